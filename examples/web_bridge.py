"""Puts what waits for a person on a web page, for this machine alone: `python3 web_bridge.py [PORT]` says where."""
import hmac, html, json, secrets, subprocess, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

waiting = {}  # requests by their ids
SECRET = "/" + secrets.token_urlsafe(16)  # pages from elsewhere do not know it: they see nothing and can say nothing
HEAD = """<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer><title>What waits for you</title>
<meta http-equiv=Content-Security-Policy content="default-src 'none'; style-src 'unsafe-inline'"><style>body{font:17px/1.5
sans-serif;max-width:42rem;margin:2rem auto}form,.said{border:1px solid #bbb;border-radius:8px;padding:1rem;margin:1rem 0}
fieldset{border:0;padding:0 0 1rem}label{display:block}.said{background:#e8f1ff}[type=text]{width:95%;margin:.4rem 0}input,
button{font:inherit}pre,small,.said{white-space:pre-wrap;overflow-wrap:anywhere}</style><h1>What waits for you</h1>"""

def safe(value):
    return html.escape(value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False))

def form(request):
    record, parts = request["record"], [f"<form method=post><input type=hidden name=id value={request['id']}>"]
    for at, asked in enumerate(record.get("questions", [])):
        parts.append(f"<fieldset><b>{safe(asked['question'])}</b>")
        for number, option in enumerate(asked["options"], 1):
            box = f"<input type={'checkbox' if asked['multiSelect'] else 'radio'} name=option{at} value={number}>"
            about = safe("\n".join(option[key] for key in ("description", "preview") if key in option))
            parts.append(f"<label>{box} {safe(option['label'])} <small>{about}</small></label>")
        parts.append(f"<input type=text name=text{at} placeholder='or in your own words' autocomplete=off></fieldset>")
    if record["kind"] != "question":
        matter = safe(record.get("plan", {}).get("text") or record.get("tool_input", ""))
        parts.append(f"<b>{safe(record['tool'])}</b><pre>{matter}</pre><input type=text name=why placeholder='why not'>")
    for verb in {"question": ["answer"], "plan": ["approve", "reject"]}.get(record["kind"], ["allow", "deny"]):
        parts.append(f"<button name=verb value={verb}>{verb.title()}</button> ")
    return "".join(parts) + f"<small>{safe(record.get('cwd', ''))}, until {request['until'][11:19]} UTC</small></form>"

def answer(fields):
    id, verb, why, words = fields["id"][0], fields["verb"][0], fields.get("why", [""])[0], []
    for at in range(len([name for name in fields if name.startswith("text")])):
        text = fields[f"text{at}"][0]  # behind "=" it is taken as it stands, be it a number
        words.append("=" + text if text else ",".join(fields.get(f"option{at}", [])))
    words = words or ([verb, "=" + why] if why and verb in ("reject", "deny") else [verb])
    said = subprocess.run(["unattended", "answer", "--means", "web page", "--", id, *words], capture_output=True)
    waiting.pop(id if said.returncode == 0 else None, None)
    return f"<p class=said>{safe((said.stdout or said.stderr).decode())}</p>"

class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        if not hmac.compare_digest(self.path.encode(), SECRET.encode()) or self.headers["Host"] != HOST:
            return self.send_error(404)
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        said = answer(parse_qs(body, keep_blank_values=True)) if self.command == "POST" else ""
        forms = "".join(map(form, list(waiting.values()))) or "<p>Nothing.<meta http-equiv=refresh content=2>"
        self.wfile.write(f"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n{HEAD}{said}{forms}".encode())
    do_POST = do_GET

server = ThreadingHTTPServer(("127.0.0.1", int((sys.argv + ["0"])[1])), Page)
HOST = f"127.0.0.1:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"http://{HOST}{SECRET}", flush=True)
for event in map(json.loads, subprocess.Popen(["unattended", "watch", "--requests"], stdout=subprocess.PIPE).stdout):
    waiting.update({event["request"]["id"]: event["request"]} if event["type"] == "request" else {})
    waiting.pop(event.get("id"), None)

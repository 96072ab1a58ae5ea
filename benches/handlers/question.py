"""The same work in Python: read a payload, deny a question with guidance, append a record."""
import datetime
import json
import os
import sys

payload = json.load(sys.stdin)
if payload.get("hook_event_name") == "PreToolUse" and payload.get("tool_name") == "AskUserQuestion":
    message = "Nobody is available, and nobody has answered. Choose what you would recommend, and go on."
    specific = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": message}
    json.dump({"hookSpecificOutput": specific}, sys.stdout)
    sys.stdout.flush()
    now = datetime.datetime.now(datetime.timezone.utc)
    folder = os.path.join(os.environ["UNATTENDED_STATE"], "records")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    record = {"at": now.isoformat(), "session_id": payload["session_id"], "questions": payload["tool_input"]["questions"]}
    with open(os.path.join(folder, f"{now:%Y-%m-%d}.jsonl"), "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")

"""Shows the newest question on record with its rows as Claude Code draws them, and what became of it."""
import json, os, sys
from pathlib import Path

state = Path(os.environ.get("UNATTENDED_STATE") or Path.home() / ".local/state/unattended")
records = []
for file in sorted((state / "records").glob("*.jsonl")):
    lines = file.read_text(encoding="utf-8").splitlines()
    records += [json.loads(line) for line in lines if line.endswith("}")]

asked = [record for record in records if record["kind"] == "question"]
if not asked:
    sys.exit("no question is on record")
newest = asked[-1]
for question in newest["questions"]:
    print(f"[{question['header']}] {question['question']}")
    means = {option["label"]: option.get("description", "") for option in question["options"]}
    for row in question["rows"]:
        print(f"{row.get('number', '-'):>3}  {row['label']}  {means.get(row['label'], '')}".rstrip())

here = [record for record in records if record.get("session_id") == newest.get("session_id")]
answers = [record for record in here if record["kind"] == "answer" and record["at"] >= newest["at"]]
if newest["decision"]["action"] == "deny":
    print("denied: the model was told to decide")
elif answers:
    print("answered by", answers[0]["whose"] + ":", ", ".join(answers[0].get("answers", {}).values()))
else:
    print("open: the digit of a row chooses it")

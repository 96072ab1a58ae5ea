"""Makes a million records on four machines and runs the queries of docs/fleet.md over them.

The records are what the program itself writes for the recorded payloads, multiplied: each copy is another session, at
another time. What the queries count must be what the program counts, times the copies."""

import datetime
import glob
import json
import os
import re
import subprocess
import sys
import time

program, work = os.path.abspath(sys.argv[1]), sys.argv[2]
WANTED = 1_000_000
MACHINES = 4
DAYS = 30
START = datetime.datetime(2026, 11, 1)


def run(*args, given=None, state):
    environment = {"PATH": os.environ["PATH"], "HOME": work, "UNATTENDED": "on", "UNATTENDED_STATE": state}
    done = subprocess.run([program, *args], input=given, env=environment, capture_output=True, check=True)
    return done.stdout


def seeds():
    """The records of every recorded session, each session's ids its own."""
    state = os.path.join(work, "seed")
    for number, file in enumerate(sorted(glob.glob("tests/fixtures/2.1.332/*.jsonl"))):
        if file.endswith(".answers.jsonl"):
            continue
        payloads = [line.replace("00000000-0000-4000", f"{number:08x}-0000-4000") for line in open(file)]
        # What waits in a recording to its end is ended by the person who comes back.
        last = json.loads(payloads[-1])
        end = {"session_id": last["session_id"], "cwd": last["cwd"], "hook_event_name": "SessionEnd", "reason": "exit"}
        for payload in [*payloads, json.dumps(end)]:
            run("hook", given=payload.encode(), state=state)
    lines = run("export", state=state).decode().splitlines()
    review = json.loads(run("review", "--json", "--all", state=state))
    return lines, review["decisions"]


def multiply(lines):
    """Copies of the lines in day files; the first machine's last day lies in a fifth folder too."""
    began = json.loads(lines[0])["at"]
    first = datetime.datetime.fromisoformat(began.rstrip("Z"))
    parts = []
    for line in lines:
        record = json.loads(line)
        at = datetime.datetime.fromisoformat(record["at"].rstrip("Z")) - first
        line = line.replace(record["at"], "\0at\0", 1).replace(record["id"], "\0id\0", 1)
        parts.append((at, line.replace("-0000-4000-8000-", "-\0copy\0-4000-8000-")))
    copies = -(-WANTED // len(parts))
    step = datetime.timedelta(days=DAYS) / copies
    files, number = {}, 0
    for copy in range(copies):
        machine = f"fleet/machine-{copy % MACHINES}/records"
        for at, line in parts:
            when = START + step * copy + at
            number += 1
            stamp = when.isoformat(timespec="milliseconds") + "Z"
            line = line.replace("\0at\0", stamp).replace("\0id\0", f"{number:016x}").replace("\0copy\0", f"{copy:04x}")
            key = os.path.join(work, machine, stamp[:10] + ".jsonl")
            if key not in files:
                os.makedirs(os.path.dirname(key), exist_ok=True)
                files[key] = open(key, "w", encoding="utf-8", buffering=1 << 20)
            files[key].write(line + "\n")
    for file in files.values():
        file.close()
    again = os.path.join(work, "fleet/copied-twice/records")
    os.makedirs(again)
    day = sorted(key for key in files if "machine-0" in key)[-1]
    with open(day) as old, open(os.path.join(again, os.path.basename(day)), "w") as new:
        new.write(old.read())
    return copies, number


def main():
    import duckdb

    started = time.monotonic()
    lines, decisions = seeds()
    copies, number = multiply(lines)
    print(f"{number} records on {MACHINES} machines ({time.monotonic() - started:.0f} s)")
    queries = re.findall(r"```sql\n(.*?)```", open("docs/fleet.md", encoding="utf-8").read(), re.S)
    os.chdir(work)
    database = duckdb.connect()
    shown = 0
    for query in queries:
        began = time.monotonic()
        rows = database.execute(query).fetchall()
        first = " ".join(query.split())[:60]
        print(f"{time.monotonic() - began:6.1f} s  {len(rows):>6} rows  {first}")
        if query.startswith("SELECT"):
            shown += 1
            assert rows, f"no rows: {query}"
        if "AS waited" in query:
            assert any(row[-1] is not None for row in rows), "no wait has an end"
    assert shown >= 6, shown

    def one(query):
        return database.execute(query).fetchone()[0]

    assert one("SELECT count(*) FROM records") == number, "a record is lost or counted twice"
    for kind in ("question", "plan", "permission", "elicitation", "nudge"):
        expected = copies * sum(decision["kind"] == kind for decision in decisions)
        counted = one(f"SELECT sum(calls) FROM decisions WHERE kind = '{kind}'")
        print(f"{kind}: {counted}")
        assert counted == expected > 0, f"{kind}: {counted} counted, {expected} decided"
    folders = sorted(glob.glob("fleet/*"))
    run("export", "--from", *folders, "--output", "fleet.jsonl", state=os.path.join(work, "none"))
    with open("fleet.jsonl", "rb") as exported:
        assert sum(1 for _ in exported) == number, "export loses or repeats a record"
    print(f"all of it: {time.monotonic() - started:.0f} s")


os.makedirs(work, exist_ok=True)
work = os.path.abspath(work)
main()

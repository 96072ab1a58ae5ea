// The same work in Node: read a payload, deny a question with guidance, append a record.
const fs = require("fs");
const path = require("path");

const payload = JSON.parse(fs.readFileSync(0, "utf8"));
if (payload.hook_event_name === "PreToolUse" && payload.tool_name === "AskUserQuestion") {
  const message = "Nobody is available, and nobody has answered. Choose what you would recommend, and go on.";
  const specific = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: message };
  fs.writeSync(1, JSON.stringify({ hookSpecificOutput: specific }));
  const at = new Date().toISOString();
  const folder = path.join(process.env.UNATTENDED_STATE, "records");
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const record = { at, session_id: payload.session_id, questions: payload.tool_input.questions };
  fs.appendFileSync(path.join(folder, `${at.slice(0, 10)}.jsonl`), JSON.stringify(record) + "\n");
}

#!/usr/bin/env bash
# The same work in bash with jq: read a payload, deny a question with guidance, append a record.
set -euo pipefail
payload=$(cat)
event=$(jq -r '.hook_event_name + ":" + .tool_name' <<<"$payload")
if [ "$event" = PreToolUse:AskUserQuestion ]; then
    message="Nobody is available, and nobody has answered. Choose what you would recommend, and go on."
    jq -nc --arg message "$message" '{hookSpecificOutput: {hookEventName: "PreToolUse",
        permissionDecision: "deny", permissionDecisionReason: $message}}'
    printf -v day '%(%F)T' -1
    mkdir -p "$UNATTENDED_STATE/records"
    jq -c '{at: (now | todate), session_id, questions: .tool_input.questions}' <<<"$payload" \
        >>"$UNATTENDED_STATE/records/$day.jsonl"
fi

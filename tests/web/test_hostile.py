#!/usr/bin/env python3
"""Whatever stands in the fields of sessions and messages is shown as text: it never becomes markup.  Prints TAP."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from capture.homes import Transcript  # noqa: E402
from web import place  # noqa: E402

RUN = "window.pwned=1"
EVIL = (f'<img src=x onerror="{RUN}"></script><script>{RUN}</script>"\'><svg/onload={RUN}><iframe srcdoc="<script>parent.pwned=1</script>">'
        f"<a href=\"javascript:{RUN}\">evil</a><style>*{{display:none}}</style><!--]]>{{{{7*7}}}}${{7*7}}&lt;b&gt; "
        "\u202eltr\u202c \u2066\u200f שלום مرحبا >>><b>evil</b><<< %00 \\u0000 \x1b[31m \x07")
NUL = "nul \0 \0json: " + EVIL
LONG = "w" * 1_000_000


def hostile_messages(session):
    fields = {"content": EVIL, "tool_name": EVIL, "finish_reason": EVIL, "reasoning": EVIL, "reasoning_content": EVIL}
    calls = [{"id": EVIL, "type": EVIL, "function": {"name": EVIL, "arguments": json.dumps({EVIL: EVIL})}},
             {"id": "c2", "name": EVIL, "input": {"command": EVIL}}, EVIL, 7, None, {"function": None}, {"function": {"name": 5, "arguments": [EVIL]}}]
    yield {"session_id": session, "role": "user", **fields}
    yield {"session_id": session, "role": EVIL, **fields}
    yield {"session_id": session, "role": "assistant", **fields, "tool_calls": calls, "reasoning_details": [{"text": EVIL, EVIL: 1}],
           "codex_reasoning_items": [EVIL], "codex_message_items": {EVIL: EVIL}, "token_count": 1 << 53}
    yield {"session_id": session, "role": "assistant", "content": "", "reasoning_details": [EVIL]}
    yield {"session_id": session, "role": "assistant", "content": "", "tool_calls": {"name": EVIL}}
    yield {"session_id": session, "role": "tool", "content": EVIL, "tool_call_id": EVIL, "tool_name": EVIL}
    yield {"session_id": session, "role": "tool", "content": EVIL, "tool_call_id": "unknown", "tool_name": EVIL}
    yield {"session_id": session, "role": "user", "content": [{"type": "text", "text": EVIL}, {"type": EVIL, "image_url": EVIL}, EVIL, 5, None]}
    yield {"session_id": session, "role": "user", "content": {"html": EVIL}}
    yield {"session_id": session, "role": "user", "content": f"```{'x' * 300}\n{EVIL}\n```\n```html\n{EVIL}\n```\n`{EVIL}`"}
    yield {"session_id": session, "role": "user", "content": NUL}
    yield {"session_id": session, "role": "user", "content": LONG + " evil", "tool_name": LONG, "reasoning": LONG, "timestamp": 1e300}
    yield {"session_id": session, "role": LONG, "content": "evil", "timestamp": -1e300}


def transcript():
    """What only a transcript can tell: the project, the branch and the version."""
    told = Transcript(9, cwd="/srv/" + EVIL, gitBranch=EVIL, version=EVIL, agentId=EVIL)
    told.user("evil " + EVIL)
    told.assistant({"type": "text", "text": EVIL}, model=EVIL)
    told.line(json.dumps({"type": "custom-title", "customTitle": EVIL, "sessionId": told.id}))
    return told


def hostile_stores(call):
    """The same in every other store that a view shows."""
    action = {"tool_name": EVIL, "action_type": EVIL, "payload": {EVIL: EVIL}, "preview_text": EVIL, "chat_id": EVIL, "original_user_message": EVIL}
    call("assistant.save_pending_action", id=EVIL, expires_at="2100-01-01T00:00:00Z", **action)
    call("assistant.save_note", id=EVIL, title=EVIL, content=EVIL)
    call("assistant.save_note", title=LONG, content=LONG)
    call("assistant.create_task", id=EVIL, title=EVIL, status=EVIL)
    call("assistant.create_reminder", id=EVIL, user_id=EVIL, chat_id=EVIL, message=EVIL, remind_at="2100-01-01T00:00:00Z", channel=EVIL)
    call("assistant.create_scheduled_task", id=EVIL, name=EVIL, prompt=EVIL, cron_expression="0 7 * * *")
    call("planner.create_session", session=EVIL, description=EVIL)
    message = call("planner.receive_message", session=EVIL, content=EVIL)["id"]
    plan = call("planner.create_plan", session=EVIL, message_id=message, goal=EVIL, model=EVIL, tasks=[{"type": "exec", "detail": EVIL, "expect": EVIL}])
    call("planner.update_task", id=plan["task_ids"][0], status="failed", output=EVIL, stderr=EVIL, substatus=EVIL)
    call("planner.save_fact", content=EVIL, source=EVIL, session=EVIL)
    call("planner.save_learning", content=EVIL, session=EVIL, user=EVIL)
    call("planner.save_pending_item", content=EVIL, scope="global", source=EVIL)
    where = {"cwd": "/srv/" + EVIL, "hostname": EVIL, "shell": EVIL, "git_repo": EVIL, "git_branch": EVIL}
    call("capture.insert_event", command=EVIL, stdout=EVIL, terminal=EVIL, timestamp="2026-01-01T00:00:00Z", now="2026-01-01T00:00:00Z", **where)
    call("capture.insert_browser_event", url="javascript:" + RUN, title=EVIL, domain=EVIL, extracted_text=EVIL)
    call("capture.upsert_workflow_run", id=7, repo=EVIL, head_sha=EVIL, head_branch=EVIL, event=EVIL, status=EVIL, conclusion=EVIL, html_url="javascript:" + RUN,
         raw_json={"name": EVIL}, started_at="2026-01-01T00:00:00Z")
    ticket = call("capture.claim", queue="shell", worker="w")[0]
    call("capture.write_knowledge_node", queue="shell", tickets=[ticket["id"]], token=ticket["token"], content={"summary": EVIL, "intent": EVIL}, embed_text=EVIL, tags=[EVIL],
         entities=[{"type": "tool", "name": EVIL}, {"type": "concept", "name": "x" + EVIL}])
    for _ in range(2):
        call("capture.record_lesson", repo=EVIL, tool=EVIL, rule_id=EVIL, path=EVIL, fix_hint=EVIL)
    call("capture.record_source_error", source="shell", error=EVIL)
    call("capture.record_drops", source="shell", dropped=3, cause=EVIL)
    call("capture.run_watchdog")
    session = call("telemetry.create_session")["session_id"]
    listener = call("telemetry.register_listener", app_key=EVIL, instance_index=0, handler_method=EVIL, topic=EVIL, source_location=EVIL)["listener_id"]
    call("telemetry.record_invocation", listener_id=listener, session_id=session, duration_ms=1e300, status="error", error_type=EVIL, error_message=EVIL)


def fill(server, directory):
    hostile_stores(server.call)
    for session, more in (("evil/../" + EVIL, {}), ("long", {"source": LONG, "model": LONG, "user_id": LONG})):
        fields = {"source": EVIL, "model": EVIL, "user_id": EVIL, "system_prompt": EVIL, "model_config": {EVIL: EVIL}, **more}
        server.call("conversation.create_session", session_id=session, **fields)
        for message in hostile_messages(session):
            server.call("conversation.append_message", **message)
        server.call("conversation.set_session_title", session_id=session, title=(EVIL if not more else LONG)[:100])
        server.call("conversation.update_token_counts", session_id=session, input_tokens=1 << 52, estimated_cost_usd=1e12, cost_status=EVIL,
                    cost_source=EVIL, pricing_version=EVIL, billing_provider=EVIL, billing_base_url=EVIL, billing_mode=EVIL)
        server.call("conversation.request_handoff", session_id=session, platform=EVIL)
    server.call("conversation.create_session", session_id=EVIL, source=EVIL, parent_session_id="long", started_at=-1e300)
    server.call("conversation.end_session", session_id=EVIL, end_reason=EVIL, ended_at=1e300)
    told = transcript()
    folder = os.path.join(directory, "transcripts")
    os.makedirs(folder)
    with open(os.path.join(folder, f"{told.id}.jsonl"), "wb") as file:
        file.write(told.bytes())
    subprocess.run([server.cli, "--home", server.home, "--quiet", "import", "--harness", "claude-code", folder], check=True, stdout=subprocess.DEVNULL)
    return [row["id"] for row in server.call("conversation.search_sessions", limit=-1)]


def main():
    with place.serve(fill) as (server, sessions):
        return place.drive("hostile.mjs", server, *sessions)


if __name__ == "__main__":
    sys.exit(main())

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


def fill(server, directory):
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

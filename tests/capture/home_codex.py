"""A sample home of Codex CLI: three generations of rollout files, with their quirks."""

import ctypes
import json
import os

from capture.expect import message, session, usage

T0 = 1_760_000_000  # 2025-10-09T08:53:20Z


def thread(n):
    return f"0199c0de-{n:04x}-7000-8000-00000000{n:04x}"


def stamp(second):
    minute, s = divmod(20 + second, 60)
    return f"2025-10-09T08:{53 + minute:02d}:{s:02d}.000Z"


def line(type, payload, second=0, **more):
    return {"timestamp": stamp(second), "type": type, "payload": payload, **more}


def item(second, **payload):
    return line("response_item", payload, second)


def event(second, type, **payload):
    return line("event_msg", {"type": type, **payload}, second)


def said(second, role, *texts, **more):
    kind = "output_text" if role == "assistant" else "input_text"
    return item(second, type="message", role=role, content=[{"type": kind, "text": text} for text in texts], **more)


def meta(n, second=0, **more):
    return line("session_meta", {"id": thread(n), "timestamp": stamp(second), "cwd": "/srv/me/app", "originator": "codex_cli_rs",
                                 "cli_version": "0.40.0", "instructions": None,
                                 "git": {"commit_hash": "abc", "branch": "main"}, **more}, second)


def context(second, model="gpt-5-codex", cwd="/srv/me/app"):
    return line("turn_context", {"cwd": cwd, "approval_policy": "on-request", "model": model, "effort": "high"}, second)


def tokens(second, total, last):
    def counts(c):
        return dict(zip(("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens", "total_tokens"),
                        (*c, c[0] + c[2])))
    return event(second, "token_count", info={"total_token_usage": counts(total), "last_token_usage": counts(last),
                                              "model_context_window": 272000})


def zstd(data):
    """Compressed by the library that Stele reads it with."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compressBound.restype = library.ZSTD_compress.restype = ctypes.c_size_t
    library.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    library.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    room = library.ZSTD_compressBound(len(data))
    out = ctypes.create_string_buffer(room)
    length = library.ZSTD_compress(out, room, data, len(data), 3)
    return out.raw[:length]


def text_of(records):
    """A str is a line as it stands."""
    return "".join((r if isinstance(r, str) else json.dumps(r, ensure_ascii=False, separators=(",", ":"))) + "\n" for r in records)


ENVIRONMENT = "<environment_context>\n  <cwd>/srv/me/app</cwd>\n</environment_context>"
INSTRUCTIONS = "<user_instructions>\nBe brief.\n</user_instructions>"


def bare():
    """The first generation: no envelope, no time, states in between."""
    records = [
        {"id": thread(1), "timestamp": "2025-05-01T10:00:00.000Z", "instructions": "Be kind.", "git": {"branch": "old"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ENVIRONMENT}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "list the files"}]},
        {"record_type": "state"},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "**Listing**"}], "encrypted_content": "x"},
        {"type": "function_call", "id": "fc_1", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "call_1"},
        {"record_type": "state"},
        {"type": "function_call_output", "call_id": "call_1",
         "output": json.dumps({"output": "a.c\nb.c\n", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}, separators=(",", ":"))},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Two files."}]},
        {"type": "something_new", "value": 7},
    ]
    return records, session("codex", thread(1), [
        message("system", ENVIRONMENT, at=1746093600.0),
        message("user", "list the files", at=1746093600.0),
        message("assistant", thought="**Listing**"),
        message("assistant", calls=[("call_1", "shell", '{"command":["ls"]}')]),
        message("tool", "Exit code: 0\nWall time: 0.1 seconds\nOutput:\na.c\nb.c\n", call_id="call_1", tool="shell"),
        message("assistant", "Two files."),
        message("event", parts={"type": "something_new", "value": 7}),
    ], branch="old", system_prompt="Be kind.", started_at=1746093600.0)


def doubled():
    """The second: every text twice, glued records, a line that is none, no newline at the end."""
    image = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
    glued = [said(8, "user", "continue"), event(8, "user_message", message="continue", kind="plain")]
    records = [
        meta(2),
        said(0, "user", INSTRUCTIONS),
        said(0, "user", ENVIRONMENT),
        context(1),
        said(1, "user", "fix the tést"),
        event(1, "user_message", message="fix the tést", kind="plain"),
        event(2, "agent_reasoning", text="**Looking**\n\nat it"),
        item(2, type="reasoning", summary=[{"type": "summary_text", "text": "**Looking**\n\nat it"}], content=None, encrypted_content="gAAA"),
        context(2),
        item(3, type="function_call", name="shell", arguments='{"command":["pytest"]}', call_id="call_a"),
        item(3, type="function_call_output", call_id="call_a", output="Exit code: 1\nOutput:\nE   boom"),
        tokens(3, (1000, 400, 50, 20), (1000, 400, 50, 20)),
        tokens(3, (1000, 400, 50, 20), (1000, 400, 50, 20)),
        item(4, type="custom_tool_call", status="completed", call_id="call_b", name="apply_patch", input="*** Begin Patch"),
        item(4, type="custom_tool_call_output", call_id="call_b", output="Done"),
        item(5, type="local_shell_call", call_id="call_c", status="completed", action={"type": "exec", "command": ["true"]}),
        "{this is not JSON",
        event(6, "agent_message", message="Fixed."),
        said(6, "assistant", "Fixed."),
        tokens(6, (3000, 1500, 90, 30), (2000, 1100, 40, 10)),
        said(7, "user", "continue"),
        event(7, "user_message", message="continue", kind="plain"),
        said(7, "assistant", "Going on."),
        event(7, "agent_message", message="Going on."),
        "".join(json.dumps(r, separators=(",", ":")) for r in glued),
        context(8, model="gpt-5.1"),
        item(9, type="message", role="user", content=[{"type": "input_text", "text": "and this?"}, image]),
        event(9, "user_message", message="and this?", kind="plain", images=["data:…"]),
        item(9, type="reasoning", summary=[], content=None, encrypted_content="gAAB"),
        event(9, "turn_aborted", reason="interrupted"),
        event(10, "task_complete", last_agent_message="Going on."),
    ]
    aborted = records[-2]
    return records, session("codex", thread(2), [
        message("system", INSTRUCTIONS, at=T0),
        message("system", ENVIRONMENT),
        message("user", "fix the tést", at=T0 + 1),
        message("assistant", thought="**Looking**\n\nat it"),
        message("assistant", calls=[("call_a", "shell", '{"command":["pytest"]}')]),
        message("tool", "Exit code: 1\nOutput:\nE   boom", call_id="call_a", tool="shell"),
        message("assistant", calls=[("call_b", "apply_patch", "*** Begin Patch")]),
        message("tool", "Done", call_id="call_b", tool="apply_patch"),
        message("assistant", calls=[("call_c", "local_shell", '{"type":"exec","command":["true"]}')]),
        message("assistant", "Fixed.", at=T0 + 6),
        message("user", "continue"),
        message("assistant", "Going on."),
        message("user", "continue", at=T0 + 8),
        message("user", parts=[{"type": "text", "text": "and this?"},
                               {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]),
        message("event", parts=aborted),
    ], usage(input=1500, cache_read=1500, output=90, reasoning=30), title="Repair of the tests", cwd="/srv/me/app",
        branch="main", model="gpt-5.1", version="0.40.0", started_at=float(T0))


def turn(second, ordinal, type, **more):
    payload = {"type": "item_completed", "thread_id": "t", "turn_id": "u", "item": {"type": type, "id": f"i{ordinal}", **more}}
    return line("event_msg", payload, second, ordinal=ordinal)


def paginated():
    """The third, in paginated mode: items of turns instead of events; a rollback, a compaction."""
    records = [
        meta(3, cli_version="0.98.0", base_instructions={"text": "You are Codex."}, history_mode="paginated", source="cli",
             session_id=thread(3)),
        context(0),
        said(1, "developer", "<permissions instructions>all</permissions instructions>"),
        said(1, "user", "# AGENTS.md instructions for /srv/me/app\n\nUse tabs.", ENVIRONMENT),
        said(1, "user", "first question"),
        turn(1, 4, "UserMessage", content=[{"type": "text", "text": "first question"}]),
        turn(2, 5, "Reasoning", summary_text=["thinking one", "thinking two"], raw_content=[]),
        item(2, type="reasoning", summary=[{"type": "summary_text", "text": "thinking one"},
                                           {"type": "summary_text", "text": "thinking two"}], encrypted_content="gA"),
        said(3, "assistant", "first answer"),
        turn(3, 8, "AgentMessage", content=[{"type": "Text", "text": "first answer"}]),
        said(4, "user", "wrong turn"),
        turn(4, 10, "UserMessage", content=[{"type": "text", "text": "wrong turn"}]),
        said(5, "assistant", "wrong answer"),
        event(6, "thread_rolled_back", num_turns=1),
        said(7, "user", "second question"),
        turn(7, 15, "UserMessage", content=[{"type": "text", "text": "second question"}]),
        turn(7, 16, "CommandExecution", command=["ls"], cwd="/srv/me/app", status="completed"),
        turn(8, 17, "Plan", text="1. look\n2. act"),
        line("compacted", {"message": "Summary of it all.", "replacement_history": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "first question"}]}]}, 9),
        event(9, "context_compacted"),
        line("world_state", {"files": 3}, 9),
        turn(10, 20, "Sleep", duration_ms=5),
        turn(11, 21, "AgentMessage", content=[{"type": "Text", "text": "only an event"}]),
        line("inter_agent_communication", {"author": "root", "content": "hello"}, 12),
    ]
    return records, session("codex", thread(3), [
        message("system", "<permissions instructions>all</permissions instructions>"),
        message("system", "# AGENTS.md instructions for /srv/me/app\n\nUse tabs.\n" + ENVIRONMENT),
        message("user", "first question"),
        message("assistant", thought="thinking one\nthinking two"),
        message("assistant", "first answer"),
        message("user", "second question"),
        message("assistant", "1. look\n2. act"),
        message("system", "Summary of it all."),
        message("event", parts=records[21]),
        message("assistant", "only an event"),
        message("event", parts=records[23]),
    ], version="0.98.0", system_prompt="You are Codex.", model="gpt-5-codex")


def forked():
    """A fork that refers to the start of another file, and counts its tokens on from there."""
    records = [
        meta(4, cli_version="0.98.0", forked_from_id=thread(3), history_mode="paginated",
             history_base={"thread_id": thread(3), "end_ordinal_exclusive": 10, "end_byte_offset": 2000}),
        said(1, "user", "another way"),
        said(2, "assistant", "so be it"),
        tokens(2, (5000, 1000, 300, 10), (2000, 500, 100, 10)),
        tokens(3, (8000, 2000, 400, 30), (3000, 1000, 100, 20)),
    ]
    return records, session("codex", thread(4), [message("user", "another way"), message("assistant", "so be it")],
                            usage(input=3500, cache_read=1500, output=200, reasoning=30), parent=thread(3), link="fork")


def copied():
    """A fork that carries its history along: the other's meta stands among the copied lines."""
    records = [meta(5), meta(2), said(1, "user", "fix the tést"), said(2, "assistant", "copied answer")]
    return records, session("codex", thread(5), [message("user", "fix the tést"), message("assistant", "copied answer")],
                            parent=thread(2), link="fork")


def subagent():
    records = [
        meta(6, source={"subagent": {"thread_spawn": {"parent_thread_id": thread(3), "depth": 1, "agent_nickname": "Ada",
                                                      "agent_role": "explorer"}}}),
        said(1, "user", "look around"),
        item(2, type="web_search_call", id="ws_1", status="completed", action={"type": "search", "query": "x"}),
    ]
    return records, session("codex", thread(6), [
        message("user", "look around"),
        message("assistant", calls=[("ws_1", "web_search", '{"type":"search","query":"x"}')]),
    ], parent=thread(3), link="subagent", agent="Ada")


def archived():
    records = [meta(7), said(1, "user", "long ago"), said(2, "assistant", "x" * 300_000)]
    return records, session("codex", thread(7), [message("user", "long ago"), message("assistant", "x" * 300_000)])


def reverted():
    """A thread that was reverted goes on in a file with a second name."""
    records = [meta(3, cli_version="0.98.0"), said(1, "user", "after the revert")]
    return records, session("codex", thread(3) + "_" + thread(99), [message("user", "after the revert")], parent=thread(3), link="fork")


def make(root):
    """Write the home below `root`; returns {"files", "sessions", "bad"}: paths to import, what they hold."""
    day = os.path.join(root, ".codex", "sessions", "2025", "10", "09")
    places = [
        (bare, os.path.join(root, ".codex", "sessions", f"rollout-2025-05-01T10-00-00-{thread(1)}.jsonl")),
        (doubled, os.path.join(day, f"rollout-2025-10-09T08-53-20-{thread(2)}.jsonl")),
        (paginated, os.path.join(day, f"rollout-2025-10-09T08-53-20-{thread(3)}.jsonl")),
        (forked, os.path.join(day, f"rollout-2025-10-09T08-53-20-{thread(4)}.jsonl")),
        (copied, os.path.join(day, f"rollout-2025-10-09T08-53-20-{thread(5)}.jsonl")),
        (subagent, os.path.join(day, f"rollout-2025-10-09T08-53-20-{thread(6)}.jsonl.zst")),
        (archived, os.path.join(root, ".codex", "archived_sessions", f"rollout-2025-10-09T08-53-20-{thread(7)}.jsonl.zst")),
        (reverted, os.path.join(day, f"rollout-2025-10-09T08-53-20-{thread(3)}_{thread(99)}.jsonl")),
    ]
    files, sessions = [], []
    for build, path in places:
        records, expected = build()
        data = text_of(records).encode()
        if build is doubled:
            data = data.rstrip(b"\n")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(zstd(data) if path.endswith(".zst") else data)
        files.append(path)
        sessions.append(expected)
    index = os.path.join(root, ".codex", "session_index.jsonl")
    with open(index, "w", encoding="utf-8") as file:
        file.write(text_of([{"id": thread(2), "thread_name": "First name", "updated_at": stamp(1)},
                            {"id": thread(2), "thread_name": "Repair of the tests", "updated_at": stamp(2)}]))
    with open(os.path.join(root, ".codex", "history.jsonl"), "w", encoding="utf-8") as file:
        file.write(text_of([{"session_id": thread(2), "ts": T0, "text": "fix the tést"}]))
    return {"root": os.path.join(root, ".codex"), "files": files + [index], "sessions": sessions, "bad": 1}

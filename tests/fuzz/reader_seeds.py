"""Seeds for the fuzzers of readers, out of the sample homes: SEEDS["reader_codex"](rng) is a list of bytes."""

import json
import os
import shutil
import tempfile

from capture import home_codex, home_cursor, home_opencode, homes


def compact(record):
    return record if isinstance(record, str) else json.dumps(record, separators=(",", ":"))


def lines(records):
    return "".join(compact(record) + "\n" for record in records).encode()


def claude(rng):
    place = tempfile.mkdtemp(prefix="stele-seeds-")
    try:
        homes.claude(place)
        found = []
        for directory, _, names in sorted(os.walk(place)):
            for name in sorted(names):
                with open(os.path.join(directory, name), "rb") as file:
                    found.append(file.read(1 << 16))
        return found
    finally:
        shutil.rmtree(place)


def codex(rng):
    builders = (home_codex.bare, home_codex.doubled, home_codex.paginated, home_codex.forked, home_codex.copied, home_codex.subagent)
    items = [{"id": "item_0", "type": "agent_message", "text": "a"},
             {"id": "item_1", "type": "command_execution", "command": "ls", "aggregated_output": "b", "exit_code": 0}]
    printed = [{"type": "thread.started", "thread_id": "t"}, *({"type": "item.completed", "item": item} for item in items),
               {"type": "turn.completed", "usage": {"input_tokens": 3, "cached_input_tokens": 1, "output_tokens": 2}}]
    return [lines(build()[0]) for build in builders] + [lines(printed)]


def cursor(rng):
    return [lines(build()[0]) for build in (home_cursor.old_json, home_cursor.new_json)] + [home_cursor.PLAIN.encode()]


def database(rng):
    """Values of columns: data of opencode's rows, lists of calls and of prompts, marked content."""
    values = [
        {"role": "user"}, {"role": "assistant", "tokens": home_opencode.TOKENS, "cost": 1, "modelID": "m", "error": {"name": "x"}},
        home_opencode.text("a"), home_opencode.tool("c", "b", "completed", input={}, output="x", time={"end": 5}),
        home_opencode.FILE, {"type": "retry"},
        {"content": [{"type": "text", "text": "a"},
                     {"type": "tool", "id": "i", "name": "n", "state": {"status": "error", "error": {"message": "m"}}}],
         "model": {"id": "x"}},
        [{"name": "Bash", "summary": "x"}, "clock", {"tool": "t", "args": {}}], ["a", "b"],
    ]
    return [lines([value]) for value in values] + [b'\0json:[{"type":"text","text":"a"}]\n']


def zstd(rng):
    return [home_codex.zstd(seed) for seed in codex(rng)]


SEEDS = {"reader_claude": claude, "reader_codex": codex, "reader_cursor": cursor, "reader_database": database, "zstd": zstd}

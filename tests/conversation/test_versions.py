#!/usr/bin/env python3
"""Conversation files of every version: 1 to 10 are migrated, 12 to 16 used as they are, later ones refused, and
what is not in Stele's home is never changed unasked.  Prints TAP."""

import glob
import json
import os
import shutil
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from conversation import original  # noqa: E402
from place import Place, digest, has, main, same, test  # noqa: E402

CALLS = [{"id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": json.dumps({"command": "ls 漓江"})}},
         {"id": "call_2", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\": \"a/b.py\"}"}}]


def fill(path, version, without=()):
    """Rows of every kind.  Below version 4 two sessions may have one title."""
    sessions = original.names(original.SESSIONS, min(version, original.LATEST), without)
    messages = original.names(original.MESSAGES, min(version, original.LATEST), without)

    def put(db, table, columns, **values):
        original.insert(db, table, **{name: value for name, value in values.items() if name in columns})

    with original.connect(path) as db:
        put(db, "sessions", sessions, id="20260101_a", source="cli", user_id=None, model="m/1", started_at=1000.5,
            model_config='{"temperature": 0.1}', system_prompt="Du bist höflich. 你好 🎉", ended_at=2000.25,
            end_reason="compression", message_count=4, tool_call_count=2, input_tokens=10, output_tokens=20, title="Fix it",
            cache_read_tokens=3, reasoning_tokens=4, billing_provider="p", estimated_cost_usd=0.25, actual_cost_usd=None,
            cost_status="estimated", api_call_count=7)
        put(db, "sessions", sessions, id="20260102_b", source="telegram", user_id="ü1", started_at=2000.75,
            parent_session_id="20260101_a", title="Fix it" if version < 4 else "Fix it #2")
        put(db, "sessions", sessions, id="20260103_c", source="cron", started_at=3000.0,
            title="Fix it" if version < 4 else None)
        put(db, "sessions", sessions, id="20260104_d", source="cli", started_at=4000.0, title="Fix it #7")
        put(db, "messages", messages, session_id="20260101_a", role="user", content="Où est naïve café? 部署计划 " + "x" * 5000,
            timestamp=1001.0, token_count=12)
        put(db, "messages", messages, session_id="20260101_a", role="assistant", content=None, tool_calls=json.dumps(CALLS),
            timestamp=1002.5, finish_reason="tool_calls", reasoning="I think", reasoning_details='[{"text": "…"}]',
            codex_reasoning_items='[{"id": "rs_1"}]', reasoning_content="", codex_message_items='[{"phase": 1}]')
        put(db, "messages", messages, session_id="20260101_a", role="tool", content="total 0\nmain.c\n", tool_call_id="call_1",
            tool_name="terminal", timestamp=1002.5)
        put(db, "messages", messages, session_id="20260101_a", role="tool", content="deleted later", timestamp=1003.0)
        put(db, "messages", messages, session_id="20260102_b", role="user", content="", timestamp=900.0)
        put(db, "messages", messages, session_id="20260102_b", role="assistant", content="it's done: a/b.py", timestamp=2001.0)
        put(db, "messages", messages, session_id="20260103_c", role="user", content=b"bytes \xff", timestamp=3001.0)
        db.execute("DELETE FROM messages WHERE content = 'deleted later'")


def rows(path, version, without=()):
    """All that the columns of a version hold."""
    base = min(version, original.LATEST)
    with original.connect(path) as db:
        return {table: db.execute(f"SELECT {', '.join(original.names(declared, base, without))} FROM {table} ORDER BY id").fetchall()
                for table, declared in (("sessions", original.SESSIONS), ("messages", original.MESSAGES))}


def version_of(path):
    with original.connect(path) as db:
        return db.execute("SELECT version FROM schema_version").fetchall()


def call(place, method, *words, **args):
    return place.call(f"conversation.{method}", args, *words).reply()


def found(place, query, *words):
    return [hit["id"] for hit in call(place, "search_messages", *words, query=query, sort="oldest")]


def without_titles(sessions, version, without=()):
    at = original.names(original.SESSIONS, min(version, original.LATEST), without).index("title") if version >= 3 else None
    return [tuple(value for i, value in enumerate(row) if i != at) for row in sessions]


def check_migrated(path, version, before, without=()):
    """The file is one of version 11, and nothing of what it held is lost."""
    after = rows(path, version, without)
    same(after["messages"], before["messages"])
    same(without_titles(after["sessions"], version, without), without_titles(before["sessions"], version, without))
    same(version_of(path), [(11,)])
    with original.connect(path) as db:
        for table, declared in (("sessions", original.SESSIONS), ("messages", original.MESSAGES)):
            wanted = {column.split()[0]: "DEFAULT 0" in column for column in original.columns(declared, original.LATEST)}
            same({row[1]: row[4] == "0" for row in db.execute(f"PRAGMA table_info({table})")}, wanted)
        titles = db.execute("SELECT id, title FROM sessions ORDER BY id").fetchall()
        original.check_search_tables(db)
    if version >= 4:
        same([title for _, title in titles], ["Fix it", "Fix it #2", None, "Fix it #7"])
    elif version == 3:
        same([title for _, title in titles], ["Fix it", "Fix it #8", "Fix it #9", "Fix it #7"])
    else:
        same([title for _, title in titles], [None] * 4)


def check_used(place, *words):
    """It can be searched and written to."""
    same(found(place, "naïve", *words), [1])
    same(found(place, "部署", *words), [1])
    same(found(place, "漓江 terminal", *words), [2])
    same(found(place, "a/b.py", *words), [2, 6])
    same(found(place, "terminal NOT read", *words), [3])
    same([line["id"] for line in call(place, "get_messages", *words, session_id="20260101_a")], [1, 2, 3])
    same(call(place, "get_session", *words, session_id="20260101_a")["system_prompt"], "Du bist höflich. 你好 🎉")
    same(call(place, "get_compression_tip", *words, session_id="20260101_a")["session_id"], "20260102_b")
    last = call(place, "append_message", *words, session_id="20260102_b", role="user", content="a late 计划")["id"]
    same(last, 8)
    same(found(place, "late", *words), [8])
    same(found(place, "计划", *words), [1, 8])


def check_tables(path, before, allowed=()):
    """Nothing but an index of ours, and what is allowed, was added; nothing is missing or other than it was."""
    after = original.definitions(path)
    added = {name for _, name in after.keys() - before.keys()}
    same({name for name in added if not name.startswith("stele_messages_")} - set(allowed), set())
    same({key: after.get(key) for key in before}, before)


def listing(place):
    """Every file but what a reader of a file in WAL mode leaves beside it: an empty log, and its memory."""
    empty = [path for path in place.listing() if path.endswith("-wal") and os.path.getsize(path) == 0]
    return {path: text for path, text in place.listing().items() if path not in empty and not path.endswith("-shm")}


def in_home(place, version, without=()):
    os.makedirs(place.home)
    path = os.path.join(place.home, "conversation.db")
    original.make(path, version, without)
    fill(path, version, without)
    return path


def check_backup(path, version, before, without=()):
    [backup] = glob.glob(f"{path}.v{version}.*.backup")
    same(version_of(backup), [(version,)])
    same(rows(backup, version, without), before)


def migrates_in_home(version, without=()):
    def run():
        with Place() as place:
            path = in_home(place, version, without)
            before = rows(path, version, without)
            same(len(call(place, "search_sessions")), 4)
            check_migrated(path, version, before, without)
            check_backup(path, version, before, without)
            tables = original.definitions(path)
            check_used(place)
            check_tables(path, tables)
            same([name for name in os.listdir(place.home) if "index" in name], [])
            with original.connect(path) as db:
                original.check_search_tables(db)
    return run


for number in range(1, 11):
    test(f"a file of version {number} in the home is migrated when it is opened")(migrates_in_home(number))
# For a week version 7 was the number of api_call_count; whoever had it then never got reasoning_content.
test("a file of the other version 7, without reasoning_content")(migrates_in_home(7, ("reasoning_content",)))


@test("version 7 before api_call_count was renumbered has it already")
def _():
    with Place() as place:
        path = in_home(place, 7, ("reasoning_content",))
        with original.connect(path) as db:
            db.execute("ALTER TABLE sessions ADD COLUMN api_call_count INTEGER DEFAULT 0")
            db.execute("UPDATE sessions SET api_call_count = 5")
        before = rows(path, 7, ("reasoning_content",))
        same(call(place, "get_session", session_id="20260101_a")["api_call_count"], 5)
        check_migrated(path, 7, before, ("reasoning_content",))
        check_used(place)


@test("a file of version 1 to 10 elsewhere is refused with advice and stays as it is; asked, it is migrated")
def _():
    for version in range(1, 11):
        with Place() as place:
            path = place.at("state.db")
            original.make(path, version)
            fill(path, version)
            before, files = rows(path, version), listing(place)
            error = place.call("conversation.session_count", {}, "--json", "--store", f"conversation={path}").error(1, "FORMAT")
            has(error["message"], f"version {version}")
            has(error["hint"], "stele migrate", "--migrate")
            same(listing(place), files)
            words = ["--store", f"conversation={path}"]
            if version % 2:
                same(place.run("migrate", "conversation", "--json", *words).reply(),
                     [{"store": "conversation", "before": version, "after": 11}])
            else:
                call(place, "session_count", "--migrate", *words)
            check_migrated(path, version, before)
            check_backup(path, version, before)
            check_used(place, *words)


@test("a migrated file is what the program itself would have made of it")
def _():
    with Place() as place:
        path = in_home(place, 10)
        call(place, "session_count")
        original.make(place.at("fresh.db"), original.LATEST)
        wanted, made = original.definitions(place.at("fresh.db")), original.definitions(path)
        same(made.keys(), wanted.keys())
        tables = {"sessions", "messages"}  # their columns are in another order
        same({key: text for key, text in made.items() if key[1] not in tables},
             {key: text for key, text in wanted.items() if key[1] not in tables})
        ours, theirs = original.shape(path), original.shape(place.at("fresh.db"))
        same({name: set(columns) for name, columns in ours.items()}, {name: set(columns) for name, columns in theirs.items()})


@test("files of version 12 to 16 are used as they are, at home and elsewhere")
def _():
    for version in range(12, 17):
        for home in (True, False):
            with Place() as place:
                path = in_home(place, version) if home else place.at("state.db")
                words = [] if home else ["--store", f"conversation={path}"]
                if not home:
                    original.make(path, version)
                    fill(path, version)
                before, tables = rows(path, version), original.definitions(path)
                check_used(place, *words)
                same(version_of(path), [(version,)])
                check_tables(path, tables)
                same({name: [row for row in lines if row[0] != 8] for name, lines in rows(path, version).items()
                      if name == "messages"}["messages"], before["messages"])
                same(glob.glob(f"{path}*.backup"), [])
                call(place, "rewind_to_message", *words, session_id="20260101_a", target_message_id=2)
                same(found(place, "漓江", *words), [])
                with original.connect(path) as db:
                    same(db.execute("SELECT id FROM messages WHERE active = 0").fetchall(), [(2,), (3,)])
                    original.check_search_tables(db)
                check_tables(path, tables)


@test("a file of version 17 is refused and stays as it is, at home too")
def _():
    with Place() as place:
        path = in_home(place, 17)
        files = listing(place)
        error = place.call("conversation.session_count", {}, "--json").error(1, "FORMAT")
        has(error["message"], "version 17", "16")
        same(listing(place), files)
        place.run("migrate", "conversation", "--json").error(1, "FORMAT")
        same(listing(place), files)
        shutil.copy(path, place.at("state.db"))
        files = listing(place)
        for words in ([], ["--migrate"]):
            place.call("conversation.session_count", {}, "--json", *words, "--store", f"conversation={place.at('state.db')}").error(1, "FORMAT")
        same(listing(place), files)


@test("a file of version 11 from before handoffs does everything else, unchanged")
def _():
    with Place() as place:
        path = place.at("state.db")
        original.make(path, 11)
        fill(path, 11)
        words = ["--store", f"conversation={path}"]
        before, tables = digest(path), original.definitions(path)
        same(call(place, "get_handoff_state", *words, session_id="20260101_a"), {"state": None, "platform": None, "error": None})
        same(call(place, "list_pending_handoffs", *words), [])
        same(len(call(place, "list_sessions_rich", *words)), 3)
        same(len(call(place, "search_sessions", *words)), 4)
        same(call(place, "get_session_by_title", *words, title="Fix it")["id"], "20260101_a")
        same(digest(path), before)
        same(len(call(place, "export_session", *words, session_id="20260101_a")["messages"]), 3)
        check_used(place, *words)
        call(place, "set_session_title", *words, session_id="20260103_c", title="Mine")
        call(place, "update_token_counts", *words, session_id="20260103_c", input_tokens=5)
        call(place, "replace_messages", *words, session_id="20260103_c", messages=[{"role": "user", "content": "anew"}])
        same(found(place, "anew", *words), [9])
        call(place, "delete_session", *words, session_id="20260102_b")
        same(found(place, "late", *words), [])
        check_tables(path, tables)
        same(version_of(path), [(11,)])
        with original.connect(path) as db:
            original.check_search_tables(db)
        # Only who hands a session over gets the columns for it.
        same(call(place, "request_handoff", *words, session_id="20260101_a", platform="telegram")["requested"], 1)
        same([session["id"] for session in call(place, "list_pending_handoffs", *words)], ["20260101_a"])


@test("what Stele writes, the program reads: NULL, JSON, times, counters")
def _():
    with Place() as place:
        path = in_home(place, original.LATEST)
        call(place, "append_message", session_id="20260104_d", role="assistant", content=[{"type": "text", "text": "é"}],
             tool_calls=CALLS, timestamp=4001.25)
        with original.connect(path) as db:
            content, calls, time = db.execute("SELECT content, tool_calls, timestamp FROM messages WHERE id = 8").fetchone()
            same(content[:6], "\0json:")
            same((json.loads(content[6:]), json.loads(calls), time), ([{"type": "text", "text": "é"}], CALLS, 4001.25))
            same(db.execute("SELECT message_count, tool_call_count FROM sessions WHERE id = '20260104_d'").fetchone(), (1, 2))
            same(db.execute("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'terminal'").fetchall(), [(2,), (3,), (8,)])
            try:
                db.execute("UPDATE messages SET content = 'changed by the program' WHERE id = 8")
            except sqlite3.Error as error:
                raise AssertionError(f"the triggers: {error}") from None
        same(found(place, "changed"), [8])
        same(found(place, "terminal"), [2, 3, 8])


if __name__ == "__main__":
    sys.exit(main())

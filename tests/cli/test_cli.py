#!/usr/bin/env python3
"""The command line, from the outside: what it prints where, how it exits, what it touches.  Prints TAP."""

import contextlib
import fcntl
import json
import os
import re
import shlex
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time

from place import (BIN, LISTENER, SOME_KEY, WITHOUT_POSTGRES, Database, Place, has, in_terminal, lacks, main, postgres_test, same,
                   test)

# ---- call ------------------------------------------------------------------------------------

@test("call prints the reply as one line of JSON, and nothing else")
def _():
    with Place() as place:
        done = place.run("call", "telemetry.create_session")
        same((done.status, done.out, done.err), (0, '{"session_id":1}\n', ""))
        done = place.run("call", "telemetry.create_session", '{"now":1000}')
        same((done.status, done.out, done.err), (0, '{"session_id":2}\n', ""))
        rows = place.call("telemetry.get_session_list").reply()
        same([(row["id"], row["status"]) for row in rows], [(1, "running"), (2, "running")])
        same(place.call("telemetry.get_current_session_summary", {"session": 7}).out, "null\n")
        same(place.call("telemetry.update_heartbeat", {"session_id": 1}).out, "{}\n")


@test("call reads its arguments from standard input for -")
def _():
    with Place() as place:
        session, listener = place.listener()
        records = [{"listener_id": listener, "session_id": session, "duration_ms": n, "status": "success",
                    "error_message": "žluťoučký ☃" * 10} for n in range(2000)]
        done = place.run("call", "telemetry.persist_batch", "-", text=json.dumps({"invocations": records}).encode())
        same(done.reply(), {"written": 2000, "dropped": 0})
        done = place.run("call", "telemetry.get_session_list", "-", text=b'\n  {"limit": 1}\n')
        same(len(done.reply()), 1)


@test("call refuses standard input that is empty, holds a NUL, is too large or closed")
def _():
    with Place() as place:
        words = ("--json", "call", "telemetry.create_session", "-")
        has(place.run(*words, text=b"").error(2, "INVALID")["message"], "empty")
        has(place.run(*words, text=b" \n").error(2, "INVALID")["message"], "empty")
        has(place.run(*words, text=b'{"now":1}\0').error(2, "INVALID")["message"], "NUL")
        with tempfile.TemporaryFile() as file:
            file.truncate((256 << 20) + 1)
            has(place.run(*words, stdin=file).error(2, "INVALID")["message"], "256 MiB")
        place.run(*words, stdin=None, preexec_fn=lambda: os.close(0)).error(1, "IO")
        same(os.path.exists(place.home), False)


@test("call without arguments and with empty ones differ")
def _():
    with Place() as place:
        has(place.run("--json", "call", "telemetry.create_session", "").error(2, "INVALID")["message"], "empty")
        place.run("call", "telemetry.create_session").reply()


@test("a missing, an unknown, a wrong and a null field are named, and nothing is written")
def _():
    with Place() as place:
        session, listener = place.listener()
        before = place.listing()
        method = "telemetry.record_invocation"
        good = {"listener_id": listener, "session_id": session, "duration_ms": 1, "status": "success"}

        def wrong(args, field, hint=None):
            place.call(method, args, "--json").error(2, "INVALID", method=method, field=field, hint=hint)

        wrong({**good, "durations_ms": 1}, "durations_ms", "did you mean duration_ms?")
        wrong({name: value for name, value in good.items() if name != "status"}, "status")
        wrong({**good, "duration_ms": "long"}, "duration_ms")
        wrong({**good, "duration_ms": -1}, "duration_ms")
        wrong({**good, "status": "fine"}, "status")
        wrong({**good, "listener_id": None}, "listener_id")
        place.call("telemetry.persist_batch", {"invocations": [good, {**good, "status": 1}]}, "--json").error(
            2, "INVALID", field="invocations[1].status")
        same(place.listing(), before)


@test("malformed JSON, and JSON that is no object")
def _():
    with Place() as place:
        for text in ('{"now":', "{", "nonsense", '{"now":1}}', "{'now':1}", '{"now":1,}', "[]", "1", '"x"', "null"):
            error = place.run("--json", "call", "telemetry.create_session", text).error(2, "INVALID", field=None)
            has(error["message"], "telemetry.create_session: the arguments")
        place.run("--json", "call", "telemetry.create_session", b'{"now":"\xff"}').error(2, "INVALID")
        same(os.path.exists(place.home), False)


@test("an id that does not exist fails with 1")
def _():
    with Place() as place:
        place.call("telemetry.create_session").reply()
        done = place.call("telemetry.update_heartbeat", {"session_id": 99})
        same((done.status, done.out), (1, ""))
        same(done.err, "stele: telemetry.update_heartbeat: session_id 99 does not exist\n")
        place.call("telemetry.update_heartbeat", {"session_id": 99}, "--json").error(
            1, "NOTFOUND", method="telemetry.update_heartbeat", field="session_id", hint=None)


@test("an unknown method is a bad call, with a suggestion, and creates nothing")
def _():
    with Place() as place:
        done = place.run("call", "telemetry.creat_session")
        same((done.status, done.out), (2, ""))
        same(done.err, "stele: there is no method telemetry.creat_session\n  did you mean telemetry.create_session?\n")
        place.run("call", "telemetry.creat_session", "--json").error(
            2, "NOTFOUND", method="telemetry.creat_session", field=None, hint="did you mean telemetry.create_session?")
        place.run("call", "nonsense", "-", "--json", stdin=None).error(2, "NOTFOUND", hint=None)
        place.run("call", "telemetry.insert_invocation", "--json").error(2, "NOTFOUND")  # private
        same(os.path.exists(place.home), False)


@test("an error is one line, and its hint a second one")
def _():
    with Place() as place:
        done = place.call("telemetry.update_heartbeat", {"session_idd": 1})
        same((done.status, done.out, done.err.splitlines()),
             (2, "", ["stele: telemetry.update_heartbeat has no argument session_idd", "  did you mean session_id?"]))
        done = place.call("telemetry.update_heartbeat")
        same(done.err, "stele: telemetry.update_heartbeat needs session_id\n")


@test("what is shown of an error cannot command a terminal, and its JSON is JSON")
def _():
    with Place() as place:
        done = place.run("call", "evil\x1b[31m\nmethod\u202e")
        same((done.status, done.err), (2, "stele: there is no method evil?[31m method?\n"))
        has(place.run("call", b"evil\xff\x1b", "--json").error(2)["message"], "evil\ufffd\x1b")


# ---- Usage -----------------------------------------------------------------------------------

@test("without a command: short help on stdout, exit 2")
def _():
    with Place() as place:
        done = place.run()
        same((done.status, done.err), (2, ""))
        has(done.out, "usage: stele COMMAND", "stele call METHOD", "stele tour")
        place.run("--json").error(2, "INVALID")


@test("an unknown command, with and without a near one")
def _():
    with Place() as place:
        same(place.run("stauts").err, "stele: there is no command stauts\n  did you mean status?\n")
        same(place.run("stauts").status, 2)
        place.run("--json", "xyzzy").error(2, "INVALID", method=None, field=None, hint="`stele help` lists them")
        has(place.run("telemetry.create_session").err, "stele call METHOD")


@test("bad options, told as JSON even when --json comes last")
def _():
    with Place() as place:
        def bad(*words, hint=None, **members):
            return place.run(*words, "--json").error(2, "INVALID", hint=hint, **members)["message"]

        same(bad("--hmoe", "x", "status", hint="did you mean --home?"), "there is no option --hmoe")
        same(bad("--store", "telemetry", "status"), "--store must be NAME=PATH, not telemetry")
        same(bad("--store", "=x", "status"), "--store must be NAME=PATH, not =x")
        same(bad("--home=", "status"), "--home needs DIR")
        same(bad("--quiet=yes", "status"), "--quiet takes no value")
        for value in ("x", "", "-1", "1y", "nan", "inf", "1e99"):
            has(bad("--wait", value, "status", hint="such as 5, 1.5s, 200ms or 2m"), "--wait must be a time")
        same(bad("status", "--to", "x", hint="usage: stele status"), "status takes no --to")
        same(bad("status", "more", hint="usage: stele status"), "status: too many arguments")
        same(bad("call", hint="usage: stele call METHOD [JSON|-]"), "call: too few arguments")
        has(bad("--store", "telemtry=x.db", "status", hint="did you mean telemetry?"), "there is no store telemtry")
        has(bad("--database", "mysql://x", "status"), "postgres://")
        same(place.run("status", "--home").err, "stele: --home needs DIR\n")
        same(os.path.exists(place.home), False)


@test("options stand anywhere, -- ends them, and the last one counts")
def _():
    with Place() as place:
        for words in (["--home", place.at("a"), "call", "telemetry.create_session"],
                      ["call", "--home", place.at("b"), "telemetry.create_session"],
                      ["call", "telemetry.create_session", "{}", f"--home={place.at('c')}"],
                      ["--home", place.at("d"), "call", "--", "telemetry.create_session", "{}"],
                      ["--home", place.at("x"), "call", "telemetry.create_session", "--home", place.at("e")]):
            place.run(*words).reply()
        same([os.path.exists(place.at(name, "telemetry.db")) for name in "abcdex"], [True] * 5 + [False])
        same(place.run("--", "--json").err, "stele: there is no command --json\n  `stele help` lists them\n")
        done = place.run("call", "telemetry.create_session", "--", "-x")
        same((done.status, done.out), (2, ""))


@test("writing to a full device is an error, whatever was written")
def _():
    with Place() as place, open("/dev/full", "wb") as full:
        for words in (["version"], ["help"], ["methods"], ["call", "telemetry.create_session"]):
            done = subprocess.run([BIN, *words], env=place.environment({}), stdout=full, stderr=subprocess.PIPE)
            same((done.returncode, done.stderr.decode().splitlines()),
                 (1, ["stele: standard output: No space left on device", "  the command itself was done"]))
        same(len(place.call("telemetry.get_session_list").reply()), 1)
        for command in ("version", "methods"):  # a reply that fits into a buffer, and one that does not
            done = subprocess.run([BIN, command, "--json"], env=place.environment({}), stdout=full, stderr=subprocess.PIPE)
            same((done.returncode, json.loads(done.stderr)["error"]["code"]), (1, "IO"))


@test("a closed stdout is an error, and no file takes its place")
def _():
    with Place() as place:
        done = place.run("call", "telemetry.create_session", preexec_fn=lambda: os.close(1))
        same(done.status, 1)
        has(done.err, "standard output: Bad file descriptor")
        same(len(place.call("telemetry.get_session_list").reply()), 1)
        with contextlib.closing(sqlite3.connect(place.at("home", "telemetry.db"))) as db:
            same(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])


@test("the number of a closed stdout or stderr is taken, so that no file or connection gets it")
def _():
    for fd in (1, 2):
        with Place() as place:
            process = subprocess.Popen([BIN, "call", "telemetry.create_session", "-"], env=place.environment({}),
                                       stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       preexec_fn=lambda: os.close(fd))
            deadline = time.monotonic() + 120
            taken = None
            while taken != "/dev/null" and time.monotonic() < deadline:
                time.sleep(0.01)
                with contextlib.suppress(FileNotFoundError):
                    taken = os.readlink(f"/proc/{process.pid}/fd/{fd}")
            process.communicate(b"{}")
            same((taken, process.returncode), ("/dev/null", 1 if fd == 1 else 0))


@test("a reader that goes away ends it quietly")
def _():
    with Place() as place:
        for words in (["methods", "--json"], ["tour"]):
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([BIN, *words], env=place.environment({"TMPDIR": place.path}), stdout=write,
                                  stderr=subprocess.PIPE, restore_signals=False)
            os.close(write)
            same((done.returncode, done.stderr), (1, b""))
        same(os.listdir(place.path), [])


# ---- Help, methods, version --------------------------------------------------------------------

@test("help does not need a sane environment")
def _():
    with Place() as place:
        same(place.run("help", env={"STELE_DATABASE_URL": "nonsense", "HOME": None, "STELE_HOME": None}).status, 0)


@test("help of a method: the call first, its arguments, its reply")
def _():
    with Place() as place:
        done = place.run("help", "telemetry.get_slow_handlers")
        same((done.status, done.err), (0, ""))
        same(done.out.splitlines()[0], "  stele call telemetry.get_slow_handlers '{\"threshold_ms\":1}'")
        has(done.out, "slowest first", "at most this many (int 1..10000; 50 if absent)", "(real 0..; required)",
            "Reply: an array of objects", "Access: read.")
        same(place.run("call", "telemetry.get_slow_handlers", "--help").out, done.out)
        has(place.run("help", "telemetry.update_heartbeat").out, "It replies with {}.")
        has(place.run("help", "telemetry.check_health").out, "It takes no arguments.")
        done = place.run("help", "telemetry.get_slow_handler")
        same((done.status, done.out), (2, ""))
        has(done.err, "did you mean telemetry.get_slow_handlers?")


STORES = ["conversation", "capture", "telemetry", "assistant", "planner", "server"]
# Where no text is a good example of all, or the example of another method came first: what they say instead.
REFUSED = {
    "stele.restore": ("CONFLICT", "is there already"),
    **{f"server.memory_{verb}": ("INVALID", "must begin with /memories")
       for verb in ("view", "create", "str_replace", "insert", "delete", "rename")},
    **{f"assistant.raw_sql_{verb}": ("DENIED", "only ") for verb in ("query", "execute", "dryrun")},
    "assistant.find_relevant_read_later": ("INVALID", "text or tags must be given"),
    "capture.get_ci_status": ("INVALID", "sha or branch is needed"),
    "capture.search_knowledge": ("INVALID", "query must be given"),
    "capture.write_knowledge_node": ("INVALID", "content.summary must be a text"),
    "recall.embed_backfill": ("UNSUPPORTED", "no embedding model is configured"),
    "recall.get": ("INVALID", "names nothing that can be found"),
    "stele.embed_texts": ("UNSUPPORTED", "no embedding model is configured"),
    "stele.import_model": ("INVALID", "source gives no model"),
    "stele.forget": ("INVALID", "says nothing of what is to be forgotten"),
    **{f"stele.{verb}_tenant": ("INVALID", "the name of a tenant has") for verb in ("create", "revoke", "drop")},
    **{f"stele.{verb}_tenants": ("UNSUPPORTED", "tenants are in a PostgreSQL database") for verb in ("list", "migrate")},
    "planner.supersede_plan": ("INVALID", "are final"),
    "planner.ask_learning": ("INVALID", "is promoted already"),
}


@test("the call that the help of each method shows is accepted")
def _():
    with Place() as place:
        place.listener()
        for method in place.run("methods", "--json").reply():
            words = shlex.split(place.run("help", method["name"]).out.splitlines()[0])
            same(words[:3], ["stele", "call", method["name"]])
            done = place.run(*words[1:], "--json", env={"VAULT_MASTER_KEY": SOME_KEY}, cwd=place.path)  # stele.copy makes a directory
            if done.status:
                code, says = REFUSED.get(method["name"], ("NOTFOUND", ""))
                has(done.error(2 if code == "INVALID" else 1, code)["message"], says)


@test("methods: grouped by store, with the first sentence")
def _():
    with Place() as place:
        done = place.run("methods")
        same((done.status, done.err), (0, ""))
        lines = done.out.splitlines()
        same([line for line in lines if line and line[0] != " "], ["stele", "recall", *STORES])
        same(bool(re.search(r"^  telemetry.create_session +Start a session: one run of a process$", done.out, re.M)), True)
        one = place.run("methods", "telemetry").out
        same(one.splitlines()[0], "telemetry")
        lacks(one, "stele.version")
        has(done.out, one)
        done = place.run("methods", "telemtry")
        same((done.status, done.out), (2, ""))
        has(done.err, "did you mean telemetry?")
        place.run("methods", "xyz", "--json").error(2, "INVALID")


@test("methods --json: every method with its parameters and results")
def _():
    with Place() as place:
        rows = place.run("methods", "--json").reply()
        for row in rows:
            same(sorted(row), ["access", "doc", "http", "idempotent", "name", "outside", "params", "results", "shape", "store"])
        names = [row["name"] for row in rows]
        same(len(names), len(set(names)))
        same(sorted(names), sorted(re.findall(r"^  ([a-z]\S+)", place.run("methods").out, re.M)))
        only = place.run("methods", "telemetry", "--json").reply()
        same(only, [row for row in rows if row["store"] == "telemetry"])
        [create] = [row for row in rows if row["name"] == "telemetry.create_session"]
        same((create["shape"], create["access"], create["results"][0]["name"]), ("one", "write", "session_id"))
        same(os.path.exists(place.home), False)


@test("version, for people and as JSON")
def _():
    with Place() as place:
        done = place.run("version")
        same((done.status, done.err), (0, ""))
        version = place.run("version", "--json").reply()
        same(sorted(version), ["postgres", "sqlite", "sqlite_wal_safe", "version"])
        same(re.match(r"stele (\S+) \(SQLite (\S+?)[ ,]", done.out).groups(), (version["version"], version["sqlite"]))
        same(place.run("--version").out, done.out)
        same(place.run("-V", "--json").reply(), version)
        same(version["postgres"], not WITHOUT_POSTGRES)


# ---- Places ----------------------------------------------------------------------------------

@test("the home: --home, $STELE_HOME, $XDG_DATA_HOME, ~/.local/share, in this order")
def _():
    with Place() as place:
        env = {"STELE_HOME": place.at("env"), "XDG_DATA_HOME": place.at("xdg"), "HOME": place.at("user")}

        def location(*words, **changes):
            return place.telemetry(*words, env={**env, **changes})["location"]

        same(location("--home", place.at("flag")), place.at("flag", "telemetry.db"))
        same(location(), place.at("env", "telemetry.db"))
        same(location(STELE_HOME=""), place.at("xdg", "stele", "telemetry.db"))
        same(location(STELE_HOME=None), place.at("xdg", "stele", "telemetry.db"))
        same(location(STELE_HOME=None, XDG_DATA_HOME="relative"), place.at("user", ".local/share/stele/telemetry.db"))
        same(location(STELE_HOME=None, XDG_DATA_HOME=None), place.at("user", ".local/share/stele/telemetry.db"))
        same(location("--home=~/mine"), place.at("user", "mine/telemetry.db"))
        same(os.listdir(place.path), [])
        place.call("telemetry.create_session", env={"STELE_HOME": None}).reply()
        same(os.path.exists(place.at("user", ".local/share/stele/telemetry.db")), True)


@test("files are 0600 and directories 0700, whatever the umask")
def _():
    with Place() as place:
        home = place.at("new", "home")
        place.run("--home", home, "call", "telemetry.create_session", preexec_fn=lambda: os.umask(0)).reply()
        place.run("--home", home, "backup", preexec_fn=lambda: os.umask(0))
        modes = {path: stat.S_IMODE(os.stat(path).st_mode) for path in place.listing()}
        same({mode for path, mode in modes.items() if os.path.isdir(path)}, {0o700})
        same({mode for path, mode in modes.items() if os.path.isfile(path)}, {0o600})
        same(sum(path.endswith(".db") for path in modes), 2)


@test("a home with spaces, quotes and other letters in its path")
def _():
    with Place() as place:
        home = place.at("my ‘häuschen’ 家", "it's \"here\"")
        same(place.run("--home", home, "call", "telemetry.create_session").reply(), {"session_id": 1})
        row = place.telemetry("--home", home)
        same((row["location"], row["state"]), (os.path.join(home, "telemetry.db"), "current"))
        [copy] = place.run("backup", "--json", "--home", home).reply()
        same(os.path.dirname(copy["path"]), os.path.join(home, "backups"))


@test("--store puts a store elsewhere, and the home is not made")
def _():
    with Place() as place:
        os.mkdir(place.at("user"))
        elsewhere = place.at("else where.db")
        for words in (["--store", f"telemetry={elsewhere}"], ["--store=telemetry=~/own.db"],
                      ["--store", "telemetry=x/y/z.db", "--store", f"telemetry={elsewhere}"]):
            place.run(*words, "call", "telemetry.create_session").reply()
        same(os.path.exists(place.home), False)
        same(os.path.exists(place.at("user", "own.db")), True)
        same(len(place.run("--store", f"telemetry={elsewhere}", "call", "telemetry.get_session_list").reply()), 2)


@test("a store in memory")
def _():
    with Place() as place:
        same(place.run("--home", ":memory:", "call", "telemetry.create_session").reply(), {"session_id": 1})
        same(place.run("--store", "telemetry=:memory:", "call", "telemetry.create_session").reply(), {"session_id": 1})
        same(os.listdir(place.path), [])


@test("--readonly creates nothing and changes nothing")
def _():
    with Place() as place:
        place.call("telemetry.create_session", None, "--readonly", "--json").error(1, "NOTFOUND")
        same(os.path.exists(place.home), False)
        place.call("telemetry.create_session").reply()
        before = place.listing()
        same(len(place.call("telemetry.get_session_list", None, "--readonly").reply()), 1)
        place.call("telemetry.create_session", None, "--readonly", "--json").error(1, "READONLY")
        same({path: kind for path, kind in place.listing().items() if not path.endswith(("-wal", "-shm"))}, before)


@test("--wait bounds the wait for a store's turn")
def _():
    with Place() as place:
        place.call("telemetry.create_session").reply()
        with contextlib.closing(sqlite3.connect(place.at("home", "telemetry.db"), isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")
            for value in ("200ms", "0.2", "0.2s"):
                started = time.monotonic()
                place.call("telemetry.create_session", None, "--wait", value, "--json").error(1, "BUSY")
                same(0.15 < time.monotonic() - started < 120, True)


def foreign(path, *statements):
    with contextlib.closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()


def refused(place, path, code, part):
    """The file is refused by every command that would use it, and stays as it is, alone in its place."""
    before = place.listing()
    store = ("--store", f"telemetry={path}", "--json")
    for words in (["call", "telemetry.create_session"], ["call", "telemetry.get_session_list"], ["migrate"], ["schema"],
                  ["--migrate", "call", "telemetry.create_session"], ["backup", "--to", place.at("copies")]):
        error = place.run(*words, *store).error(1, code)
        has(error["message"] + str(error["hint"]), part)
        if os.path.isdir(place.at("copies")):  # an empty directory is all that backup may leave
            os.rmdir(place.at("copies"))
        same(place.listing(), before)
    row = place.telemetry(*store[:2])
    same(place.listing(), before)
    return row


@test("a SQLite file of another program is refused and stays byte for byte the same")
def _():
    with Place() as place:
        path = place.at("other.db")
        foreign(path, "CREATE TABLE sessions (id INTEGER PRIMARY KEY, title TEXT)", "INSERT INTO sessions VALUES (1, 'x')")
        row = refused(place, path, "FORMAT", "is not a telemetry store")
        same(row["state"], "foreign")
        done = place.run("--store", f"telemetry={path}", "status")
        has(done.out, "foreign", "PROBLEM", "it has no column")


@test("a file that is no database is refused and stays the same")
def _():
    with Place() as place:
        path = place.at("letter.db")
        with open(path, "w") as file:
            file.write("Dear reader,\n" * 1000)
        row = refused(place, path, "CORRUPT", "not a database")
        same(row["state"], "unreachable")


@test("a directory in place of the file is refused")
def _():
    with Place() as place:
        os.mkdir(place.at("dir.db"))
        place.run("--store", f"telemetry={place.at('dir.db')}", "call", "telemetry.create_session", "--json").error(1, "IO")


def hassette_file(place, path):
    """The five tables as Hassette shipped them: with execution_start_ts."""
    place.call("telemetry.create_session").reply()
    statements = [row["ddl"].replace("execution_start_dtme", "execution_start_ts")
                  for row in place.run("schema", "--json").reply()]
    foreign(path, *statements)


@test("a file with Hassette's column execution_start_ts is served under that name")
def _():
    with Place() as place:
        path = place.at("hassette.db")
        hassette_file(place, path)
        store = ("--store", f"telemetry={path}")
        place.run(*store, "call", "telemetry.create_session", '{"now":1000}').reply()
        place.call("telemetry.register_listener", LISTENER, *store).reply()
        place.call("telemetry.record_invocation", {"listener_id": 1, "session_id": 1, "execution_start_dtme": 1001,
                                                   "duration_ms": 5, "status": "error"}, *store).reply()
        [row] = place.call("telemetry.get_recent_errors", {"since": 0}, *store).reply()
        same(row["execution_start_dtme"], 1001)
        with contextlib.closing(sqlite3.connect(path)) as db:
            same(db.execute("SELECT execution_start_ts FROM handler_invocations").fetchall(), [(1001.0,)])
        has(place.run(*store, "schema", "telemetry.handler_invocations").out, "execution_start_ts")


@test("Hassette's merged table executions is refused with advice")
def _():
    with Place() as place:
        path = place.at("merged.db")
        foreign(path, "CREATE TABLE executions (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, duration_ms REAL)")
        same(refused(place, path, "FORMAT", "keep using Hassette")["state"], "foreign")
        done = place.run("--store", f"telemetry={path}", "call", "telemetry.create_session")
        same((done.status, len(done.err.splitlines())), (1, 2))
        has(done.err.splitlines()[1], "keep using Hassette")


@test("a file of a newer version is refused and stays the same")
def _():
    with Place() as place:
        path = place.at("newer.db")
        hassette_file(place, path)
        foreign(path, "CREATE TABLE stele_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
                "INSERT INTO stele_meta VALUES ('version', '99')")
        row = refused(place, path, "FORMAT", "version 99")
        same((row["state"], row["version"]), ("newer", 99))


# ---- status, schema, migrate, backup -----------------------------------------------------------

@test("looking at what does not exist makes nothing and says so on stderr")
def _():
    with Place() as place:
        same([line.split()[:2] for line in place.run("status").out.split("\n\n")[0].splitlines()[1:]],
             [[store, "absent"] for store in STORES])
        for command in ("schema", "migrate", "backup"):
            done = place.run(command)
            same((done.status, done.out), (0, ""))
            has(done.err, "note: nothing to", "does not exist yet")
            same(place.run(command, "--quiet").err, "")
            same(place.run(command, "--json").reply(), [])
        same([name for name in place.listing() if name.endswith(".db")], [])


@test("status, for people and as JSON")
def _():
    with Place() as place:
        place.call("telemetry.create_session").reply()
        done = place.run("status")
        same((done.status, done.err), (0, ""))
        head, *lines, _, summary = done.out.splitlines()
        [line] = [line for line in lines if line.startswith("telemetry ")]
        same([line.split()[0] for line in lines], STORES)
        same(head.split()[:5], ["STORE", "STATE", "VER", "ENGINE", "DURABILITY"])
        same(line.split()[:5], ["telemetry", "current", "1", "sqlite", "normal"])
        has(line, place.at("home", "telemetry.db"))
        has(summary, "all together: ", "kB; stele ", "SQLite ")
        other, _, row, *_ = place.run("status", "--json").reply()
        same((other["store"], other["state"]), ("conversation", "absent"))
        same((row["store"], row["state"], row["version"], row["knows"]), ("telemetry", "current", 1, 1))


@test("token: create, list and revoke")
def _():
    with Place() as place:
        made = place.run("token", "create", "laptop", "--scope", "conversation:read,*:write", "--expires", "2027-01-01", "--json")
        token = json.loads(made.out)["token"]
        same((made.status, len(token), token[:6]), (0, 70, "stele_"))
        listed = place.run("token", "list")
        has(listed.out, "laptop", token[:14], "conversation:read", "*:write")
        lacks(listed.out, token)
        has(place.run("token", "create", "other").err, "shown this once")
        same(place.run("token", "revoke", "1", "--json").reply()["id"], 1)
        same([row["revoked_at"] is None for row in place.run("token", "list", "--json").reply()], [True, False])
        for words in (["create"], ["list", "1"], ["revoke"], ["revoke", "x"], ["forget"], []):
            same(place.run("token", *words).status, 2)
        has(place.run("token", "create", "x", "--scope", "all").err, "scopes must be")


@test("schema prints the live definitions as SQL that makes the same store")
def _():
    with Place() as place:
        place.call("telemetry.create_session").reply()
        done = place.run("schema")
        same((done.status, done.err), (0, ""))
        same(done.out.splitlines()[0], "-- telemetry, version 1")
        same(place.run("schema", "telemetry").out, done.out)
        with contextlib.closing(sqlite3.connect(":memory:")) as db:
            db.executescript(done.out)
            same(sorted(row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'idx%'")),
                 sorted(set(re.findall(r"\bidx_\w+", done.out))))
        one = place.run("schema", "telemetry.handler_invocations").out
        has(one, "CREATE TABLE handler_invocations", "CREATE INDEX idx_hi_time")
        lacks(one, "CREATE TABLE sessions")
        rows = place.run("schema", "telemetry.sessions", "--json").reply()
        same([(row["store"], row["version"], row["type"], row["name"]) for row in rows],
             [("telemetry", 1, "table", "sessions")])


@test("schema of what there is not")
def _():
    with Place() as place:
        place.call("telemetry.create_session").reply()
        place.run("schema", "telemetry.nope", "--json").error(1, "NOTFOUND", field="table")
        place.run("schema", "telemtry", "--json").error(2, "INVALID", hint="did you mean telemetry?")
        place.run("schema", "telemetry.", "--json").error(2, "INVALID")
        place.run("schema", b"telemetry.\xff", "--json").error(2, "INVALID")
        place.run("schema", "stele", "--json").error(2, "INVALID")


@test("migrate tells each store's version")
def _():
    with Place() as place:
        place.call("telemetry.create_session").reply()
        same(place.run("migrate", "--json").reply(), [{"store": "telemetry", "before": 1, "after": 1}])
        done = place.run("migrate", "telemetry")
        same((done.status, done.err, done.out.split()), (0, "", ["STORE", "BEFORE", "NOW", "telemetry", "1", "1"]))
        place.run("migrate", "telemtry", "--json").error(2, "INVALID", hint="did you mean telemetry?")


@test("backup copies into the home, or where --to says")
def _():
    with Place() as place:
        place.call("telemetry.create_session", {"now": 1000}).reply()
        done = place.run("backup")
        same((done.status, done.err), (0, ""))
        [copy] = [name for name in os.listdir(place.at("home", "backups")) if name.endswith(".db")]
        has(done.out, "STORE", place.at("home", "backups", copy))
        [row] = place.run("backup", "telemetry", "--to", place.at("copies"), "--json").reply()
        same((row["store"], row["bytes"]), ("telemetry", os.path.getsize(row["path"])))
        same(os.path.dirname(row["path"]), place.at("copies"))
        for path in (place.at("home", "backups", copy), row["path"]):
            rows = place.run("--store", f"telemetry={path}", "call", "telemetry.get_session_list").reply()
            same([session["started_at"] for session in rows], [1000])
        place.run("backup", "--to", place.at("no", "such", "place"), "--json").error(1, "IO")
        place.run("backup", "--to", b"\xff", "--json").error(2, "INVALID")
        place.run("backup", "telemtry", "--json").error(2, "INVALID")


# ---- Terminals ---------------------------------------------------------------------------------

@test("colours only on a terminal, and only if wanted")
def _():
    with Place() as place:
        has(in_terminal(place, "methods")[1], "\x1b[1mtelemetry\x1b[0m")
        for words, env in ((["--no-color"], {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"})):
            lacks(in_terminal(place, "methods", *words, env=env)[1], "\x1b")
        has(in_terminal(place, "methods", env={"NO_COLOR": ""})[1], "\x1b[1m")
        lacks(place.run("methods").out, "\x1b")
        status, shown = in_terminal(place, "call", "telemetry.create_session")
        same((status, shown), (0, '{"session_id":1}\n'))


@test("tables and lists are not wider than the terminal")
def _():
    with Place() as place:
        home = place.at("a" * 60 + "雪" * 10, "b" * 60)
        place.run("--home", home, "call", "telemetry.create_session").reply()
        for columns in (60, 80, 120):
            for words in (["status", "--home", home], ["methods"]):
                status, shown = in_terminal(place, *words, "--no-color", columns=columns)
                same(status, 0)
                wide = [line for line in shown.splitlines() if len(line) + line.count("雪") > columns]
                same(wide, [])
        has(in_terminal(place, "status", "--home", home, "--no-color")[1], "…")
        has(place.run("status", "--home", home).out, os.path.join(home, "telemetry.db"))
        lines = place.run("status", "--home", home, env={"COLUMNS": "70", "LC_ALL": "C"}).out.splitlines()
        same(max(len(line) for line in lines) <= 70, True)
        has(lines[1], "~")


@test("progress is shown on a terminal, and goes away")
def _():
    with Place() as place:
        place.call("telemetry.create_session").reply()
        status, shown = in_terminal(place, "backup", "--no-color", "--to", place.at("one"))
        same(status, 0)
        same(shown.startswith("\rbackup"), True)
        same(shown.split("\r\x1b[K")[-1].split()[:3], ["STORE", "SIZE", "ROWS"])
        status, shown = in_terminal(place, "backup", "--no-color", "--quiet", "--to", place.at("two"))
        same(shown.startswith("STORE"), True)
        same(place.run("backup", "--to", place.at("three")).err, "")


# ---- tour --------------------------------------------------------------------------------------

@test("the tour works without a terminal, removes its store and touches nothing else")
def _():
    with Place() as place:
        done = place.run("tour", env={"TMPDIR": place.path, "STELE_DATABASE_URL": "postgres://nowhere"})
        same((done.status, done.err), (0, ""))
        has(done.out, "on_light_change", "TimeoutError", "What next", "█", "stele: telemetry.record_invocation",
            ">>>猫<<<が台所にいた。", "→ read_log")
        lacks(done.out, "\x1b")
        same(os.listdir(place.path), [])
        plain = place.run("tour", env={"TMPDIR": place.path, "LC_ALL": "C"})
        same((plain.status, plain.out.isascii()), (0, True))


@test("the tour on a terminal")
def _():
    with Place() as place:
        status, shown = in_terminal(place, "tour", env={"TMPDIR": place.path}, columns=70)
        same(status, 0)
        has(shown, "\x1b[1m4. How is it going?\x1b[0m", "\x1b[31m▒")
        bars = [re.sub(r"\x1b\[\d*m", "", line) for line in shown.splitlines() if "█" in line]
        same((len(bars), max(map(len, bars)) <= 70), (12, True))
        same(os.listdir(place.path), [])


@test("the commands that the tour shows do what it shows")
def _():
    with Place() as place:
        lines = place.run("tour", env={"TMPDIR": place.path}).out.splitlines()
        played = []
        for line, after in zip(lines, lines[1:]):
            if not line.startswith("$ stele ") or " < " in line:
                continue
            words = shlex.split(line)[2:]
            done = place.run(*words)
            same(done.status, 2 if after.startswith("stele: ") else 0)
            played.append(words[1] if words[0] == "call" else words[0])
            if after.startswith("stele: "):
                same(done.err, after + "\n")
            elif words[0] != "call":  # its times change with the minute
                same(after.split()[0], done.out.split()[0])
            elif played[-1] != "telemetry.get_session_totals":  # its figures come from the batches
                same(after in (done.out.rstrip("\n"), "") or after.isupper() or "█" in after, True)
        same(len(played) >= 20 and {"telemetry.create_session", "telemetry.get_time_buckets", "search", "show",
                                    "conversation.append_message"} <= set(played), True)


@test("the tour stopped by Ctrl-C, or without a place, leaves nothing")
def _():
    with Place() as place:
        done = place.run("tour", "--json", env={"TMPDIR": place.at("nowhere")})
        same((done.status, done.out), (1, ""))
        has(done.err, "TMPDIR")
        read, write = os.pipe()
        os.write(write, b"-" * fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096))  # full: it holds the tour up in the middle
        process = subprocess.Popen([BIN, "tour"], env=place.environment({"TMPDIR": place.path}), stdout=write,
                                   stderr=subprocess.PIPE)
        os.close(write)
        while process.poll() is None and not any(path.endswith(".db") for path in place.listing()):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        with open(read, "rb") as pipe:
            shown = pipe.read().decode()
        same((process.wait(120), process.stderr.read()), (1, b""))
        process.stderr.close()
        has(shown, "Stele, a tour")
        lacks(shown, "What next")
        same(os.listdir(place.path), [])


# ---- PostgreSQL --------------------------------------------------------------------------------

@test("a server that cannot be reached is told without the password")
def _():
    with Place() as place:
        url = "postgres://me:secret@127.0.0.1:1/nothing"
        done = place.run("--database", url, "call", "telemetry.create_session", "--json")
        lacks(done.err + done.out, "secret")
        done.error(1, "UNSUPPORTED" if WITHOUT_POSTGRES else "UNAVAILABLE")
        for words in (["status"], ["status", "--json"], ["schema"], ["migrate"]):
            done = place.run("--database", url, *words)
            lacks(done.err + done.out, "secret")
            same(done.status, 0 if words[0] == "status" else 1)


@postgres_test("libpq is loaded when PostgreSQL is first needed; without it, what to install is said")
def _():
    with Place() as place:
        os.mkdir(place.at("libraries"))
        with open(place.at("libraries", "libpq.so.5"), "w", encoding="utf-8") as file:
            file.write("not a library")
        without = {"LD_LIBRARY_PATH": place.at("libraries")}
        same(place.call("telemetry.create_session", env=without).reply(), {"session_id": 1})
        done = place.run("--database", "postgres://me:secret@127.0.0.1:1/nothing", "call", "telemetry.create_session", "--json", env=without)
        message = done.error(1, "UNSUPPORTED")["message"]
        has(message, "PostgreSQL needs libpq", "apt-get install libpq5", "libpq.so.5")
        lacks(done.err + done.out, "secret")


@postgres_test("--database keeps the stores in PostgreSQL, and no file is made")
def _():
    with Place() as place, Database() as database:
        there = ("--database", database.url)
        has(place.run("status", *there).out, "absent")
        same(place.call("telemetry.create_session", {"now": 1000}, *there).reply(), {"session_id": 1})
        [row] = place.call("telemetry.get_session_list", None, *there).reply()
        same((row["id"], row["started_at"]), (1, 1000))
        row = place.telemetry(*there)
        same((row["engine"], row["location"], row["state"], row["version"]), ("postgres", "telemetry", "current", 1))
        done = place.run("schema", "telemetry.sessions", *there)
        same((done.status, done.out.splitlines()[0]), (0, "-- telemetry, version 1"))
        has(done.out, "CREATE TABLE", "sessions", "started_at")
        same(place.run("migrate", *there, "--json").reply(), [{"store": "telemetry", "before": 1, "after": 1}])
        place.run("backup", *there, "--to", place.at("copies"), "--json").error(1, "UNSUPPORTED")
        place.call("telemetry.update_heartbeat", {"session_id": 9}, *there, "--json").error(1, "NOTFOUND", field="session_id")
        same([path for path in place.listing() if path.endswith(".db")], [])


@postgres_test("$STELE_DATABASE_URL counts if neither --database nor --home is given")
def _():
    with Place() as place, Database() as database:
        env = {"STELE_DATABASE_URL": database.url}

        def engine(*words, **changes):
            return place.telemetry(*words, env={**env, **changes})["engine"]

        same(engine(), "postgres")
        same(engine("--home", place.at("own")), "sqlite")
        same(engine("--database", ""), "sqlite")
        same(engine("--store", f"telemetry={place.at('own.db')}"), "sqlite")
        same(engine("--database", database.url, "--home", place.at("own"), STELE_DATABASE_URL="nonsense"), "postgres")
        same(engine(STELE_DATABASE_URL=""), "sqlite")
        place.call("telemetry.create_session", env=env).reply()
        same(os.path.exists(place.home), False)


@postgres_test("--store puts one store into a schema of its own")
def _():
    with Place() as place, Database() as database:
        one, two = (("--store", f"telemetry={database.schema(name)}") for name in ("my_place", "other"))
        for _ in range(2):
            place.call("telemetry.create_session", None, *one).reply()
        same(place.call("telemetry.create_session", None, *two).reply(), {"session_id": 1})
        same(len(place.call("telemetry.get_session_list", None, *one).reply()), 2)
        row = place.telemetry(*one)
        same((row["location"], row["state"]), ("my_place", "current"))
        place.call("telemetry.create_session", None, "--readonly", *one, "--json").error(1, "READONLY")


if __name__ == "__main__":
    sys.exit(main())

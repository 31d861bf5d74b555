#!/usr/bin/env python3
"""stele doctor: every check is made to fire by breaking what it watches, and is well again once that is mended.  Prints TAP."""

import contextlib
import glob
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from place import BIN, Database, Place, digest, has, in_terminal, lacks, main, postgres_test, same, server_of, test

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MEMBERS = ["store", "check", "state", "summary", "cause", "fix", "doc"]


def doctor(place, *words, **more):
    """The lines by (store, check), and the exit status."""
    done = place.run("doctor", "--json", *words, **more)
    same(done.err, "")
    found = {}
    for row in json.loads(done.out):
        same(list(row), MEMBERS)
        same(row["doc"], f"docs/doctor.md#{row['check']}")
        same((row["cause"] is None, row["fix"] is None), (row["state"] == "ok",) * 2)
        if (row["store"], row["check"]) in found:
            raise AssertionError(f"two lines {row['store']} {row['check']}")
        found[row["store"], row["check"]] = row
    same(done.status, 1 if any(row["state"] == "fail" for row in found.values()) else 0)
    return found


def states(found):
    """Of all lines but that of the disk, which is not the test's."""
    return {row["state"] for (_, check), row in found.items() if check != "disk"}


def line(place, check, state, *parts, store=None, words=(), **more):
    """That line is there in that state, with these parts in its summary."""
    found = doctor(place, *words, **more)
    if (store, check) not in found:
        raise AssertionError(f"there is no line {store} {check} in\n{json.dumps(list(found.values()), indent=1)}")
    row = found[store, check]
    same((row["check"], row["state"], row["summary"]), (check, state, row["summary"]))
    has(row["summary"], *parts)
    return row


def fires(place, check, state, breaking, mending, *parts, **more):
    """Well before, told while it is broken, well afterwards."""
    well = line(place, check, "ok", **more)
    breaking()
    row = line(place, check, state, *parts, **more)
    mending()
    same(line(place, check, "ok", **more)["check"], well["check"])
    return row


def telemetry(place):
    place.call("telemetry.create_session").reply()
    return os.path.join(place.home, "telemetry.db")


def conversation(place, messages=1):
    place.call("conversation.create_session", {"session_id": "s", "source": "cli"}).reply()
    path = os.path.join(place.home, "conversation.db")
    for n in range(min(messages, 1)):
        place.call("conversation.append_message", {"session_id": "s", "role": "user", "content": f"a word {n}"}).reply()
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.executemany("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', ?, 1)",
                       [(f"a word {n}",) for n in range(1, messages)])
    return path


def sql(path, *statements):
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)


def put(path, data):
    with open(path, "wb") as file:
        file.write(data)


# ---- What is printed ----

@test("a home that is not there yet is well, and stays away")
def _():
    with Place() as place:
        before = place.listing()
        same(states(doctor(place)), {"ok"})
        same(place.listing(), before)


@test("all is well in a home that is used, and nothing in it is changed")
def _():
    with Place() as place:
        telemetry(place)
        conversation(place)
        place.call("planner.save_fact", {"content": "tea is green", "category": "x"})
        before = place.listing()
        for words in ([], ["--full"], ["telemetry"]):
            same(states(doctor(place, *words)), {"ok"})
        after = {path: what for path, what in place.listing().items() if not path.endswith(("-wal", "-shm"))}
        same(after, before)


@test("lines for people: words without a terminal, signs and colours with one, tabs with --plain")
def _():
    with Place() as place:
        path = telemetry(place)
        os.chmod(path, 0o644)
        put(os.path.join(place.home, "planner.db"), b"not a database at all\n" * 100)
        os.chmod(os.path.join(place.home, "planner.db"), 0o600)
        done = place.run("doctor")
        same(done.status, 1)
        has(done.out, "ok   redaction", "warn permissions", "fail planner.integrity", "ok   telemetry.integrity")
        has(done.err, " to look at, 1 wrong: `stele doctor --explain`")
        lacks(done.out, "\033", "CAUSE")
        same(done.out.isascii(), True)
        explained = place.run("doctor", "--explain").out
        has(explained, "       CAUSE  ", "       FIX    chmod 600 ", f" '{path}'", "       DOC    docs/doctor.md#permissions\n")
        same(explained.count("CAUSE"), explained.count("FIX"))
        lacks(explained[:explained.index("warn permissions")], "CAUSE")
        plain = place.run("doctor", "--plain").out
        has(plain, "warn\tpermissions\t", "can be read by others\n", "fail\tplanner.integrity\t")
        status, shown = in_terminal(place, "doctor", "--no-pager", env={"NO_COLOR": None})
        same(status, 1)
        has(shown, "\033[32m✓", "\033[33m!", "\033[31m✗")
        lacks(in_terminal(place, "doctor", "--no-pager", env={"LC_ALL": "C"})[1], "✓")


@test("only the stores that are named, besides what concerns all; a wrong name is told")
def _():
    with Place() as place:
        same({store for store, _ in doctor(place, "telemetry", "planner")}, {None, "telemetry", "planner"})
        done = place.run("doctor", "telemtry")
        same((done.status, done.out), (2, ""))
        has(done.err, "there is no store telemtry", "did you mean telemetry?")


@test("help has examples first")
def _():
    with Place() as place:
        help_text = place.run("doctor", "--help").out
        same(help_text.index("stele doctor --explain") < help_text.index("--full  "), True)
        has(help_text, "exit status is 1 if any check failed")


@test("every check has its section in docs/doctor.md, and every section its check")
def _():
    with open(os.path.join(ROOT, "docs", "doctor.md"), encoding="utf-8") as file:
        sections = re.findall(r"^### (\w+)$", file.read(), re.MULTILINE)
    checks = set()
    for path in glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        checks |= set(re.findall(r'st_doctor_line\(call,[^;"]*"(\w+)"', text)) | set(re.findall(r'end\(call, &inquiry, "(\w+)"', text))
    for path in glob.glob(os.path.join(ROOT, "sql", "**", "*.sql"), recursive=True):
        with open(path, encoding="utf-8") as file:
            checks |= set(re.findall(r"docs/doctor\.md#(\w+)", file.read()))
    same((len(sections), sorted(sections)), (len(set(sections)), sorted(checks)))


# ---- What concerns all ----

@test("home: a file in its place")
def _():
    with Place() as place:
        fires(place, "home", "fail", lambda: put(place.home, b""), lambda: os.remove(place.home), "not a directory")


@test("permissions: of the home, of files, of backups; the fix mends it")
def _():
    with Place() as place:
        telemetry(place)
        place.run("backup", "telemetry")
        [copy] = glob.glob(os.path.join(place.home, "backups", "*.db"))

        def fix():
            command = line(place, "permissions", "warn")["fix"]
            subprocess.run(["sh", "-c", command], check=True)
        fires(place, "permissions", "warn", lambda: os.chmod(place.home, 0o755), fix, "mode 755")
        fires(place, "permissions", "warn", lambda: os.chmod(copy, 0o640), fix, "1 file")
        os.mkdir(os.path.join(place.home, "fallback"), 0o700)
        left = os.path.join(place.home, "fallback", "2026-01-02.jsonl")
        put(left, b"")
        os.chmod(left, 0o600)
        fires(place, "permissions", "warn", lambda: os.chmod(left, 0o604), fix, "1 file")

        def open_all():
            os.chmod(place.home, 0o777)
            os.chmod(copy, 0o644)
        fires(place, "permissions", "warn", open_all, fix, "mode 777")


@test("disk: a store too large to be copied")
def _():
    with Place() as place:
        path = telemetry(place)
        size, about = os.path.getsize(path), os.statvfs(place.home)
        fires(place, "disk", "fail", lambda: os.truncate(path, about.f_bavail * about.f_frsize * 2),
              lambda: os.truncate(path, size), "are free", words=["planner"])


@test("disk: a store elsewhere, too large to be copied there")
def _():
    with Place() as place:
        path, elsewhere = place.at("elsewhere.db"), ["--store", f"telemetry={place.at('elsewhere.db')}", "telemetry"]
        place.call("telemetry.create_session", None, *elsewhere[:2]).reply()
        size, about = os.path.getsize(path), os.statvfs(place.path)
        fires(place, "disk", "fail", lambda: os.truncate(path, about.f_bavail * about.f_frsize * 2), lambda: os.truncate(path, size),
              "are free; it has", store="telemetry", words=elsewhere)


@test("config: a key that does not exist, a text that is not TOML; other commands refuse")
def _():
    with Place() as place:
        path = place.at("config.toml")
        env = {"STELE_CONFIG": path}
        put(path, b"wait = 5\n")
        fires(place, "config", "fail", lambda: put(path, b"wiat = 5\n"), lambda: put(path, b"wait = 5\n"), "wiat", env=env)
        fires(place, "config", "fail", lambda: put(path, b"wait = [\n"), lambda: put(path, b"wait = 5\n"), env=env)
        put(path, b"wiat = 5\n")
        same(place.run("status", env=env).status, 2)


@test("vault: a key that is none, which is not shown")
def _():
    with Place() as place:
        good, bad = "A" * 43 + "=", "B" * 40
        same((None, "vault") in doctor(place), False)
        line(place, "vault", "ok", "1 vault key,", env={"VAULT_MASTER_KEY": good})
        row = line(place, "vault", "fail", "vault key 2", env={"VAULT_MASTER_KEY": f"{good},{bad}"})
        lacks(json.dumps(row), bad, good)


@test("redaction: a rule that is no regular expression")
def _():
    with Place() as place:
        os.mkdir(place.home, 0o700)
        path = os.path.join(place.home, "redact.toml")
        good, bad = (f'[[rule]]\nname = "n"\nregex = \'{regex}\'\n'.encode() for regex in ("E-[0-9]+", "E-[0-9"))
        put(path, good)
        os.chmod(path, 0o600)
        fires(place, "redaction", "fail", lambda: put(path, bad), lambda: put(path, good), "line 3")


@test("server: none, one that runs, one of another version, one that was killed")
def _():
    with Place() as place:
        telemetry(place)
        line(place, "server", "ok", "no server runs")
        with server_of(place.home, "0.0.1 4711\n"):
            has(line(place, "server", "warn", "process 4711 runs version 0.0.1")["fix"], "kill 4711")
        line(place, "server", "ok", "no server runs")
        process = subprocess.Popen([BIN, "serve", "--port", "0", "--no-import", "--set", "jobs=0,record=0"],
                                   env=place.environment({}), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            for shown in process.stderr:
                if "listening on http" in shown:
                    break
            line(place, "server", "ok", "runs, version", f"process {process.pid}")
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(60)
            process.stderr.close()
        same(os.path.exists(os.path.join(place.home, "serve.pid")), True)
        line(place, "server", "ok", "no server runs")


# ---- Files ----

@test("open: a directory in the place of a store does not stop the rest")
def _():
    with Place() as place:
        telemetry(place)
        path = os.path.join(place.home, "planner.db")
        row = fires(place, "open", "fail", lambda: os.mkdir(path), lambda: os.rmdir(path), "is not a file", store="planner")
        same(row["store"], "planner")
        os.mkdir(path)
        line(place, "integrity", "ok", store="telemetry")
        line(place, "open", "ok", store="server")


@test("foreign: a file of another program, untouched")
def _():
    with Place() as place:
        telemetry(place)
        path = os.path.join(place.home, "planner.db")
        sql(path, "CREATE TABLE other (a)")
        before = digest(path)
        line(place, "foreign", "fail", "is not a planner store", store="planner")
        same(digest(path), before)
        os.remove(path)
        line(place, "open", "ok", store="planner")


@test("version: newer is refused, older needs a migration, which doctor does not do")
def _():
    with Place() as place:
        path = conversation(place)

        def mark(version):
            return lambda: sql(path, f"UPDATE schema_version SET version = {version}")
        [(now,)] = sqlite3.connect(path).execute("SELECT version FROM schema_version")
        row = fires(place, "version", "fail", mark(99), mark(now), "version 99", store="conversation")
        has(row["fix"], "newer Stele")
        row = fires(place, "version", "warn", mark(now - 1), mark(now), f"version {now - 1}", store="conversation")
        same(row["fix"], "stele migrate conversation")


@test("integrity: pages that were overwritten")
def _():
    with Place() as place:
        path = telemetry(place)
        with open(path, "rb") as file:
            whole = file.read()
        damaged = bytearray(whole)
        for page in range(1, len(whole) // 4096):
            damaged[page * 4096:page * 4096 + 64] = b"\xa5" * 64
        fires(place, "integrity", "fail", lambda: put(path, bytes(damaged)), lambda: put(path, whole), "damaged", store="telemetry")


@test("integrity: an index of other values is found with --full only")
def _():
    with Place() as place:
        path = telemetry(place)
        sql(path, "CREATE INDEX extra ON sessions(started_at)")
        with contextlib.closing(sqlite3.connect(path)) as db:
            [(schema, root)] = db.execute("SELECT sql, rootpage FROM sqlite_master WHERE name = 'extra'")

        def forget():
            with contextlib.closing(sqlite3.connect(path)) as db, db:
                db.execute("PRAGMA writable_schema = ON")
                db.execute("DELETE FROM sqlite_master WHERE name = 'extra'")
                db.execute("PRAGMA writable_schema = RESET")
            with contextlib.closing(sqlite3.connect(path)) as db, db:
                db.execute("UPDATE sessions SET started_at = 1")
            with contextlib.closing(sqlite3.connect(path)) as db, db:
                db.execute("PRAGMA writable_schema = ON")
                db.execute("INSERT INTO sqlite_master VALUES ('index', 'extra', 'sessions', ?, ?)", (root, schema))
                db.execute("PRAGMA writable_schema = RESET")
        forget()
        line(place, "integrity", "ok", store="telemetry")
        line(place, "integrity", "fail", "extra", store="telemetry", words=["--full"])
        sql(path, "REINDEX extra")
        line(place, "integrity", "ok", store="telemetry", words=["--full"])


@test("references: a child without its parent, with --full")
def _():
    with Place() as place:
        path = telemetry(place)
        fires(place, "references", "warn",
              lambda: sql(path, "INSERT INTO job_executions (job_id, session_id, execution_start_dtme, duration_ms, status) "
                                "VALUES (77, 1, 1, 1, 'success')"),
              lambda: sql(path, "DELETE FROM job_executions"), "1 row refers", store="telemetry", words=["--full"])


@test("fts: a full-text table that does not agree with itself")
def _():
    with Place() as place:
        path = conversation(place, 5)
        same(place.run("reindex", "--mode", "compatible").status, 0)
        line(place, "fts", "ok", "full-text table", store="conversation")
        sql(path, "DELETE FROM messages_fts_data WHERE id > 10")
        line(place, "fts", "fail", "fts5: corruption", store="conversation")
        sql(path, "INSERT INTO messages_fts(messages_fts) VALUES ('rebuild')")
        line(place, "fts", "ok", store="conversation")


@test("wal: a log that a reader keeps from being emptied")
def _():
    with Place() as place:
        path = telemetry(place)
        reader = sqlite3.connect(path, isolation_level=None)
        writer = sqlite3.connect(path, isolation_level=None)

        def grow():
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM sessions").fetchall()
            writer.execute("PRAGMA wal_autocheckpoint = 0")
            for _ in range(66):
                writer.execute("UPDATE sessions SET error_traceback = hex(randomblob(524288))")

        def end():
            reader.execute("ROLLBACK")
            reader.close()
            writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            writer.close()
        row = fires(place, "wal", "warn", grow, end, "MB", store="telemetry")
        has(row["fix"], f"fuser -v '{path}'")


@test("lock: one that was left is well, one that is no file is not")
def _():
    with Place() as place:
        telemetry(place)
        path = os.path.join(place.home, "telemetry.lock")
        same(os.path.exists(path), True)

        def spoil():
            os.remove(path)
            os.mkdir(path)

        def mend():
            os.rmdir(path)
            telemetry(place)
        fires(place, "lock", "warn", spoil, mend, path, store="telemetry")


@test("backups: counted, and told once they are old")
def _():
    with Place() as place:
        path = telemetry(place)
        copy = path + ".v0.2026-01-01T00-00-00Z.backup"
        shutil.copy(path, copy)
        os.chmod(copy, 0o600)
        old = time.time() - 31 * 86400
        row = fires(place, "backups", "warn", lambda: os.utime(copy, (old, old)), lambda: os.utime(copy), "1 copy", store="telemetry")
        has(row["fix"], "rm ")
        subprocess.run(["sh", "-c", row["fix"].split(": ")[1]], check=True)
        same(("telemetry", "backups") in doctor(place), False)


@test("tables: what Stele added to a file")
def _():
    with Place() as place:
        conversation(place)
        same(place.run("index").status, 0)
        line(place, "tables", "ok", "stele_change", store="conversation")
        telemetry(place)
        line(place, "tables", "ok", "no table", store="telemetry")


# ---- Lines of the stores' own ----

@test("index: behind, deleted, damaged, of another format")
def _():
    with Place() as place:
        conversation(place, 1200)
        index = os.path.join(place.home, "conversation.index.db")

        def build():
            same(place.run("index").status, 0)

        def drop():
            for path in glob.glob(index + "*"):
                os.remove(path)

        def garble():
            drop()
            put(index, b"nothing of the kind\n" * 300)
            os.chmod(index, 0o600)
        line(place, "index", "warn", "a thousand", store="conversation")
        build()
        fires(place, "index", "warn", drop, build, "a thousand", store="conversation")
        fires(place, "index", "warn", garble, build, "cannot be read", store="conversation")
        fires(place, "index", "warn", lambda: sql(index, "UPDATE stele_index SET value = '0' WHERE key = 'format'"), build,
              "another format", store="conversation")
        place.call("conversation.append_message", {"session_id": "s", "role": "user", "content": "new"}).reply()
        line(place, "index", "ok", "lacks 1 message,", store="conversation")


@test("heartbeat: a session that runs only by its row")
def _():
    with Place() as place:
        telemetry(place)
        fires(place, "heartbeat", "warn", lambda: place.call("telemetry.create_session", {"now": 1}).reply(),
              lambda: place.call("telemetry.mark_orphaned_sessions", {"stale_after": 900}).reply(), "1 running", store="telemetry")


@test("jobs: the server's, whose last run failed")
def _():
    with Place() as place:
        telemetry(place)
        job = place.call("telemetry.register_job", {
            "app_key": "stele.serve", "instance_index": 0, "job_name": "index", "handler_method": "m",
            "source_location": "s"}).reply()["job_id"]

        def run(status, **more):
            return lambda: place.call("telemetry.record_execution", {
                "job_id": job, "session_id": 1, "duration_ms": 1, "status": status, **more})
        row = fires(place, "jobs", "warn", run("error", error_message="no room"), run("success"), "index", store="telemetry")
        same(row["cause"], "no room")


# ---- PostgreSQL ----

@postgres_test("postgres: a server that does not answer is a line for each store")
def _():
    with Place() as place:
        found = doctor(place, "--database", "postgres://nobody@127.0.0.1:1/nothing?connect_timeout=2")
        same(states({name: row for name, row in found.items() if row["store"]}), {"fail"})
        same(states({name: row for name, row in found.items() if not row["store"]}), {"ok"})


@postgres_test("postgres: version, rights, sessions; nothing is made by looking")
def _():
    with Place() as place, Database() as database:
        here = ["--database", database.url]
        line(place, "open", "ok", "not there yet", store="telemetry", words=here)
        place.run("call", "telemetry.create_session", *here).reply()
        line(place, "postgres", "ok", "PostgreSQL 1", store="telemetry", words=here)
        line(place, "sessions", "ok", store="telemetry", words=here)
        line(place, "heartbeat", "ok", store="telemetry", words=here)
        same(("planner", "postgres") in doctor(place, *here), False)
        line(place, "rights", "ok", store="telemetry", words=here)
        role = f"doctor_{os.getpid()}"
        psql = ["psql", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", database.url]
        subprocess.run([*psql, "-c", f"CREATE ROLE {role}"], check=True)
        try:
            less = ["--database", database.url + ("&" if "?" in database.url else "?") + f"options=-crole%3D{role}"]
            row = line(place, "rights", "fail", f"role {role} may not", store="telemetry", words=less)
            has(row["fix"], "GRANT USAGE", "GRANT SELECT")
            subprocess.run([*psql, "-c", row["fix"].split(": ", 1)[1]], check=True)
            line(place, "rights", "ok", store="telemetry", words=less)
        finally:
            subprocess.run([*psql, "-c", f"DROP OWNED BY {role}", "-c", f"DROP ROLE {role}"], check=True)


@postgres_test("sessions: one that is idle inside a transaction")
def _():
    with Place() as place, Database() as database:
        place.run("call", "telemetry.create_session", "--database", database.url).reply()

        def found():
            rows = place.run("call", "stele.doctor", '{"patience":0,"stores":["telemetry"]}', "--database", database.url).reply()
            [row] = [row for row in rows if row["check"] == "sessions"]
            return row
        same(found()["state"], "ok")
        idle = subprocess.Popen(["psql", "--no-psqlrc", "--quiet", "-At", database.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            idle.stdin.write("BEGIN; SELECT pg_backend_pid();\n")
            idle.stdin.flush()
            pid = idle.stdout.readline().strip()
            deadline = time.monotonic() + 60
            while found()["state"] == "ok" and time.monotonic() < deadline:  # its state is told a moment after its reply
                time.sleep(0.05)
            row = found()
            same((row["state"], row["summary"]), ("warn", "1 session idle in a transaction, 0 prepared transactions"))
            has(row["fix"], f"pg_terminate_backend({pid})")
        finally:
            idle.communicate("ROLLBACK;\n", timeout=60)
        same(found()["state"], "ok")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""stele copy: every store to PostgreSQL and back, value by value, as the methods tell it and as it is exported; killed at any moment and continued,
while others write; what it refuses, and what it names.  Prints TAP."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method import doors  # noqa: E402
from place import BIN, Database, Place, has, main, postgres_test, same, test  # noqa: E402
from scale import filled  # noqa: E402

# What is about the engine itself.
OF_THE_ENGINE = {"conversation.index_status"}


@contextlib.contextmanager
def opened(**where):
    with doors.Player() as player:
        player.open(where)
        yield player


def asked(player, store):
    """The methods that read and need nothing."""
    methods = player.must("call", "stele.methods", json.dumps({"store": store}))
    return [each["name"] for each in methods if each["access"] == "read" and each["name"] not in OF_THE_ENGINE and not each["outside"]
            and all(p.get("optional") or "default" in p for p in each["params"])]


def make(home, seed=1, tame=False):
    """A home in which everything has rows."""
    with opened(home=home) as player:
        for store in filled.STORES:
            player.call(asked(player, store)[0], "{}")
    return {store: filled.fill(home, store, seed, tame) for store in filled.STORES}


def told(**where):
    """What every such method tells: times of the call itself are none of the store's."""
    found = {}
    with opened(**where) as player:
        for store in filled.STORES:
            for method in asked(player, store):
                word, reply = player.call(method, "{}")
                found[method] = (word, reply if word == "ok" else reply["code"])
    return found


def differences(a, b):
    return [f"{key}: {a.get(key)!r:.300} against {b.get(key)!r:.300}" for key in sorted(a.keys() | b.keys()) if a.get(key) != b.get(key)]


def unordered(replies):
    """Rows that a method has no order for come as the engine likes."""
    return {method: (word, sorted(reply, key=repr) if isinstance(reply, list) else reply) for method, (word, reply) in replies.items()}


def same_homes(one, other):
    for store in filled.STORES:
        same((store, differences(filled.contents(one, store), filled.contents(other, store))), (store, []))


def rows(reply, *columns):
    return [tuple(row[column] for column in columns) for row in reply]


@postgres_test("every table of every store goes to PostgreSQL and back, value by value, and methods tell the same")
def _():
    with Place() as place, Database() as database:
        counts = make(place.home)
        same([f"{store}.{table}" for store, found in counts.items() for table, count in found.items() if count == 0], [])
        there = place.run("copy", database.url, "--json").reply()
        wanted = {(store, table, count) for store, found in counts.items() for table, count in found.items()}
        same(set(rows(there, "store", "table", "rows")) ^ wanted, set())
        same({(row["state"], row["left_out"]) for row in there}, {("copied", 0)})
        back = place.at("back")
        place.run("copy", back, "--json", env={"STELE_DATABASE_URL": database.url}).reply()
        same_homes(place.home, back)
        same(differences(told(home=place.home), told(home=back)), [])
        same({row["state"] for row in place.run("copy", database.url, "--json").reply()}, {"there"})


@postgres_test("on PostgreSQL methods tell what they told of the files")
def _():
    with Place() as place, Database() as database:
        make(place.home, seed=3, tame=True)
        place.run("copy", database.url, "--json").reply()
        same(differences(unordered(told(home=place.home)), unordered(told(database=database.url))), [])


@test("files to files, and a number that was given once is not given again")
def _():
    with Place() as place:
        place.call("planner.save_fact", {"content": "a", "source": "s"}).reply()
        place.call("planner.save_fact", {"content": "b", "source": "s"}).reply()
        place.call("planner.delete_facts", {"ids": [2]}).reply()
        done = place.run("copy", place.at("other"), "planner", "--json").reply()
        same({row["store"] for row in done}, {"planner"})
        made = place.call("planner.save_fact", {"content": "c", "source": "s"}, "--home", place.at("other")).reply()
        same(made["id"], 3)
        has(place.run("copy", place.home).err, "onto itself")


@postgres_test("a target with rows of its own is refused, and one whose copy is not finished cannot be used")
def _():
    with Place() as place, Database() as database:
        place.call("planner.save_fact", {"content": "a", "source": "s"}).reply()
        env = {"STELE_DATABASE_URL": database.url}
        place.call("planner.save_fact", {"content": "theirs", "source": "s"}, env=env).reply()
        error = place.run("copy", database.url, "--json").error(2, "INVALID", field="to")
        has(error["message"], "planner is not empty there: facts has rows")
        same(len(place.call("planner.get_facts", env=env).reply()), 1)


@postgres_test("a row that PostgreSQL cannot keep is named; without it, the rest is copied")
def _():
    with Place() as place, Database() as database:
        for content in ("one", "two", "three"):
            place.call("planner.save_fact", {"content": content, "source": "s"}).reply()
        with contextlib.closing(sqlite3.connect(place.at("home", "planner.db"))) as db, db:
            db.execute("UPDATE facts SET content = 'a' || char(0) || 'b' WHERE id = 2")
        env = {"STELE_DATABASE_URL": database.url}
        done = place.run("copy", database.url)
        same(done.status, 2)
        has(done.err, "planner.facts 2: text with a NUL character cannot be kept on PostgreSQL", "1 rows of planner cannot be kept there")
        error = place.call("planner.get_facts", {}, "--json", env=env).error(1, "BUSY")
        has(error["message"], "a copy into this planner store is not finished")
        done = json.loads(place.run("copy", database.url, "--json", "--leave-out", "--quiet").out)
        same([row for row in rows(done, "table", "rows", "left_out") if row[0] == "facts"], [("facts", 3, 1)])
        same([fact["id"] for fact in place.call("planner.get_facts", env=env).reply()], [1, 3])


@postgres_test("a finished copy is brought up to date: what is new, changed and gone")
def _():
    with Place() as place, Database() as database:
        env = {"STELE_DATABASE_URL": database.url}
        for content in ("one", "two", "three"):
            place.call("planner.save_fact", {"content": content, "source": "s"}).reply()
        place.run("copy", database.url, "--json").reply()
        place.call("planner.save_fact", {"content": "four", "source": "s"}).reply()
        place.call("planner.delete_facts", {"ids": [1]}).reply()
        with contextlib.closing(sqlite3.connect(place.at("home", "planner.db"))) as db, db:
            db.execute("UPDATE facts SET content = 'zwei' WHERE id = 2")
        done = place.run("copy", database.url, "--again", "--json").reply()
        same([row for row in rows(done, "table", "rows", "written") if row[0] == "facts"], [("facts", 3, 3)])
        same([fact["content"] for fact in place.call("planner.get_facts", env=env).reply()],
             [fact["content"] for fact in place.call("planner.get_facts").reply()])


def lines_of(text):
    return {number: json.loads(line) for number, line in enumerate(text.splitlines())}


@postgres_test("what the tests of all methods leave in a home goes to PostgreSQL and back: the same rows, answers and exports")
def _():
    with Place() as place, Database() as database:
        with opened(home=place.home, vault_keys=doors.VAULT_KEYS) as player:
            filled.played(player, place.home, "sqlite", 1)
        with contextlib.closing(sqlite3.connect(place.at("home", "conversation.db"))) as db, db:
            db.execute("DELETE FROM messages WHERE instr(substr(content, 2), char(0)) > 0")  # which PostgreSQL cannot keep
        there, back = {"STELE_DATABASE_URL": database.url}, place.at("back")
        place.run("copy", database.url, "--json").reply()
        place.run("copy", back, "--json", env=there).reply()
        same_homes(place.home, back)
        same(differences(told(home=place.home), told(home=back)), [])
        exported = place.run("export").out
        same((len(exported.splitlines()) > 20, exported == place.run("export", "--home", back).out), (True, True))
        same(differences(lines_of(exported), lines_of(place.run("export", env=there).out)), [])  # 100.0 is 100 there


@postgres_test("a source is known by its server, database and schema, and not by how it is addressed")
def _():
    with Place() as place, Database() as one, Database() as other:
        for database, content in ((one, "ours"), (other, "theirs")):
            place.call("planner.save_fact", {"content": content, "source": "s"}, env={"STELE_DATABASE_URL": database.url}).reply()
        target = place.at("target")
        place.run("copy", target, "planner", "--json", env={"STELE_DATABASE_URL": one.url}).reply()
        error = place.run("copy", target, "planner", "--again", "--json", env={"STELE_DATABASE_URL": other.url}).error(2, "INVALID", field="to")
        has(error["message"], "planner is not empty there")
        otherwise = one.url + ("&" if "?" in one.url else "?") + "connect_timeout=7"
        same({row["state"] for row in place.run("copy", target, "planner", "--json", env={"STELE_DATABASE_URL": otherwise}).reply()}, {"there"})
        error = place.run("copy", otherwise, "planner", "--json", env={"STELE_DATABASE_URL": one.url}).error(2, "INVALID", field="to")
        has(error["message"], "onto itself")
        same([fact["content"] for fact in place.call("planner.get_facts", {}, "--home", target).reply()], ["ours"])


def write_in_pairs(where, pairs):
    """One call of a handler and one run of a job in each transaction."""
    record = {"session_id": 1, "duration_ms": 1, "status": "success"}
    with opened(**where) as player:
        for n in range(pairs):
            player.must("call", "telemetry.persist_batch", json.dumps({"invocations": [{**record, "listener_id": 1, "execution_start_dtme": n}],
                                                                       "executions": [{**record, "job_id": 1, "execution_start_dtme": n}]}))


def copy_while_writing(place, source, env, target):
    app = {"app_key": "a", "instance_index": 0, "handler_method": "h", "source_location": "a.py:1"}
    with opened(**source) as player:
        player.must("call", "telemetry.create_session", "{}")
        player.must("call", "telemetry.register_listener", json.dumps({**app, "topic": "t"}))
        player.must("call", "telemetry.register_job", json.dumps({**app, "job_name": "j"}))
    write_in_pairs(source, 50)
    writer = threading.Thread(target=write_in_pairs, args=(source, 300))
    writer.start()
    done = place.run("copy", target, "telemetry", "--json", env=env)
    if done.status != 0:
        has(done.error(1, "BUSY")["message"], "others keep writing to telemetry")
    else:  # one moment of the source, whatever came later
        found = filled.contents(target, "telemetry")
        same((len(found["handler_invocations"]) >= 50, len(found["handler_invocations"])), (True, len(found["job_executions"])))
    writer.join()
    place.run("copy", target, "telemetry", "--again", "--json", env=env).reply()
    found = filled.contents(target, "telemetry")
    same((len(found["handler_invocations"]), len(found["job_executions"])), (350, 350))


@postgres_test("others write to the source meanwhile: the copy is one moment of it, or says that they keep writing")
def _():
    with Place() as place, Database() as database:
        copy_while_writing(place, {"home": place.home}, {}, place.at("of_files"))
        copy_while_writing(place, {"home": place.at("nowhere"), "database": database.url}, {"STELE_DATABASE_URL": database.url}, place.at("of_postgres"))


@postgres_test("killed at any moment it goes on, and ends with the same")
def _():
    with Place() as place, Database() as database:
        make(place.home, seed=2)
        with contextlib.closing(sqlite3.connect(place.at("home", "conversation.db"))) as db, db:
            db.execute("INSERT INTO sessions (id, source, started_at) VALUES ('many', 's', 1.0)")
            db.executemany("INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (?, 'many', 'user', ?, 1.0)",
                           [[1000 + n, f"message {n}"] for n in range(5000)])
        killed = 0
        for tries in range(200):
            process = subprocess.Popen([BIN, "copy", database.url], env=place.environment({}), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(0.05 * 1.3 ** tries)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
        same((process.returncode, killed > 0), (0, True))
        place.run("copy", place.at("back"), "--json", env={"STELE_DATABASE_URL": database.url}).reply()
        same_homes(place.home, place.at("back"))


if __name__ == "__main__":
    sys.exit(main())

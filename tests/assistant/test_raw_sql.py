#!/usr/bin/env python3
"""Raw SQL of the assistant store, attacked and limited, on both engines.  Prints TAP."""

import contextlib
import json
import os
import re
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from assistant import attacks  # noqa: E402
from method import doors  # noqa: E402
from place import has, lacks, main, postgres_test, same, test  # noqa: E402

MARK = "MARK-of-the-vault-7f3a"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i > 0) SELECT count(*) AS many FROM n"
TIME = "2026-01-01T00:00:00.000000+00:00"
VAULT = f"INSERT INTO vault_credentials VALUES ('v', '{MARK}', '{MARK}', '{MARK}', '{MARK}', '{MARK}', '{TIME}', '{TIME}')"
# What a user of the file or the database may have made there.
MADE = ["CREATE VIEW leak AS SELECT * FROM vault_credentials",
        "CREATE TABLE stele_secret (x TEXT)", f"INSERT INTO stele_secret VALUES ('{MARK}')",
        "CREATE TABLE trapped (id TEXT)", "INSERT INTO trapped VALUES ('old')"]
MADE_SQLITE = ["CREATE TRIGGER trap AFTER INSERT ON trapped BEGIN INSERT INTO tasks (id, title, created_at) SELECT new.id, password_enc, created_at FROM vault_credentials; END",
               "CREATE TRIGGER trap2 AFTER UPDATE ON trapped BEGIN UPDATE tasks SET title = (SELECT password_enc FROM vault_credentials); END",
               "CREATE VIRTUAL TABLE vault_words USING fts5(password_enc, content='vault_credentials')",
               "CREATE VIRTUAL TABLE words USING fts5(word)", "INSERT INTO words VALUES ('tea')",
               "INSERT INTO vault_words (vault_words) VALUES ('rebuild')", "ANALYZE"]
MADE_POSTGRES = ["CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO tasks (id, title, created_at) "
                 "SELECT NEW.id, password_enc, created_at FROM vault_credentials; RETURN NEW; END'",
                 "CREATE TRIGGER trap AFTER INSERT OR UPDATE ON trapped FOR EACH ROW EXECUTE FUNCTION trap()",
                 "CREATE FUNCTION leak_function() RETURNS SETOF text LANGUAGE sql AS 'SELECT password_enc FROM vault_credentials'",
                 "CREATE FUNCTION leak_dynamic(run text) RETURNS SETOF text LANGUAGE plpgsql AS 'BEGIN EXECUTE run; RETURN QUERY SELECT password_enc FROM vault_credentials; END'",
                 "CREATE FUNCTION leak_reset() RETURNS text LANGUAGE plpgsql AS 'BEGIN RESET ROLE; RETURN current_user; END'",
                 "CREATE MATERIALIZED VIEW leak_materialized AS SELECT * FROM vault_credentials", "ANALYZE vault_credentials"]


class Store:
    """An assistant store, open in a player, and a way round Stele to its tables."""

    def __init__(self, places, player):
        self.place, self.player, self.engine = places.new(), player, places.engine
        player.open(self.place)

    def ask(self, method, **args):
        return self.player.call("assistant." + method, json.dumps(args))

    def call(self, method, **args):
        word, reply = self.ask(method, **args)
        if word != "ok":
            raise AssertionError(f"{method} {args}: {reply}")
        return reply

    def fails(self, code, method, **args):
        word, reply = self.ask(method, **args)
        same((word, reply.get("code")), ("error", code))
        return reply["message"]

    def schema(self):
        return re.search(r"schema=(\w+)", self.place["stores"]["assistant"]).group(1)

    def psql(self, *statements):
        url = re.sub(r"[?&]schema=\w+", "", self.place["stores"]["assistant"])
        words = [word for sql in (f"SET search_path = {self.schema()}", *statements) for word in ("-c", sql)]
        done = subprocess.run(["psql", "--no-psqlrc", "-qtA", "-v", "ON_ERROR_STOP=1", *words, url], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout

    def direct(self, *statements):
        if self.engine == "postgres":
            return self.psql(*statements)
        with contextlib.closing(sqlite3.connect(os.path.join(self.place["home"], "assistant.db"))) as file:
            for sql in statements:
                file.execute(sql)
            file.commit()
        return None

    def dump(self):
        """All rows of all tables, as a text."""
        if self.engine == "postgres":
            names = self.psql("SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1").split()
            return {name: sorted(self.psql(f"SELECT t::text FROM {name} t").splitlines()) for name in names}
        with contextlib.closing(sqlite3.connect(os.path.join(self.place["home"], "assistant.db"))) as file:
            names = [name for name, in file.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'vault_words%' ORDER BY 1")]
            return {name: [repr(row) for row in file.execute(f"SELECT * FROM \"{name}\"")] for name in names}

    def fill(self):
        self.call("save_note", id="n", title="Tea", content="green", created_at=TIME)
        self.direct(VAULT, f"INSERT INTO tasks (id, title, created_at) VALUES ('t0', 'T', '{TIME}')", *MADE,
                    *(MADE_SQLITE if self.engine == "sqlite" else MADE_POSTGRES))


def both(name):
    """A test of a store on each engine."""
    def keep(function):
        def on(places):
            def run():
                with places() as place, doors.Player() as player:
                    function(Store(place, player))
            return run
        test(f"sqlite: {name}")(on(doors.Sqlite))
        postgres_test(f"postgres: {name}")(on(lambda: doors.Postgres(["assistant"])))
        return function
    return keep


@both("no statement sees or changes the vault")
def attacked(store):
    store.fill()
    before = store.dump()
    own = attacks.SQLITE if store.engine == "sqlite" else attacks.POSTGRES
    for sql in attacks.BOTH + own:
        text = sql.replace("{m}", MARK).replace("{s}", store.schema() if store.engine == "postgres" else "")
        for method in ("raw_sql_query", "raw_sql_dryrun", "raw_sql_execute"):
            word, reply = store.ask(method, sql=text)
            if MARK not in text:
                lacks(json.dumps(reply), MARK)
            if word == "ok" and sql in attacks.REFUSED and sql not in attacks.MAY_BE_ANSWERED:
                raise AssertionError(f"{method} answered {sql}: {reply}")
            if word == "error" and reply["code"] not in ("DENIED", "INVALID"):
                raise AssertionError(f"{method} {sql}: {reply}")
    after = store.dump()
    for table, rows in before.items():
        same((table, after[table]), (table, rows))
    same(list(after), list(before))
    same(store.call("get_notes"), [{"id": "n", "title": "Tea", "content": "green", "created_at": TIME}])


@both("nothing of a statement's doing outlives it in the session")
def forgotten(store):
    if store.engine != "postgres":
        return  # SQLite's sessions have nothing that a SELECT could change
    store.fill()
    store.player.must("begin", "assistant")
    for setting in ("search_path", "TimeZone", "DateStyle", "statement_timeout", "bytea_output"):
        value = {"TimeZone": "Asia/Tokyo", "DateStyle": "German", "statement_timeout": "1", "bytea_output": "escape"}.get(setting, "public")
        reply = store.call("raw_sql_execute", sql=f"UPDATE tasks SET title = title WHERE set_config('{setting}', '{value}', false) IS NOT NULL")
        same(reply["changed"], 1)
        same([note["created_at"] for note in store.call("get_notes")], [TIME])
    store.player.must("commit")
    store.call("raw_sql_execute", sql="UPDATE tasks SET title = title WHERE pg_advisory_lock(77) IS NULL OR true")
    same([note["id"] for note in store.call("get_notes")], ["n"])
    same(store.psql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77").strip(), "0")


@both("a statement that does not end is stopped")
def stopped(store):
    has(store.fails("CANCELLED", "raw_sql_query", sql=ENDLESS, timeout=0.2), "stopped after 0.2 s")
    insert = f"INSERT INTO tasks (id, title, created_at) SELECT 'x', many, '{TIME}' FROM (" + ENDLESS + ") AS n"
    for method in ("raw_sql_execute", "raw_sql_dryrun"):
        has(store.fails("CANCELLED", method, sql=insert, timeout=0.2), "stopped after 0.2 s")
    same(store.call("raw_sql_query", sql="SELECT count(*) FROM tasks")["rows"], [[0]])
    if store.engine == "postgres":
        has(store.fails("CANCELLED", "raw_sql_query", sql="SELECT set_config('statement_timeout', '0', false), pg_sleep(60)::text", timeout=0.2), "stopped")
    store.call("save_note", title="a", content="b")


@both("rows and bytes have limits")
def limited(store):
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n"
    reply = store.call("raw_sql_query", sql=many, limit=10000)
    same((reply["row_count"], len(reply["rows"]), reply["truncated"]), (10000, 10000, True))
    few = many.replace("20000", "20").replace("SELECT i FROM", "SELECT $1 AS wide FROM")
    reply = store.call("raw_sql_query", sql=few, params=["x" * 1000000])
    same((reply["row_count"], reply["truncated"]), (8, True))
    if store.engine == "sqlite":
        store.fails("INVALID", "raw_sql_query", sql="SELECT length(zeroblob(100000000))")
        same(store.call("raw_sql_query", sql="SELECT length(zeroblob(1000000)) AS n")["rows"], [[1000000]])


@both("a dry run leaves everything as it was")
def dry(store):
    store.fill()
    before = store.dump()
    same(store.call("raw_sql_dryrun", sql="DELETE FROM notes")["changed"], 1)
    same(store.call("raw_sql_dryrun", sql="UPDATE tasks SET title = $1 RETURNING title", params=["other"])["rows"], [["other"]])
    insert = "INSERT INTO notes (id, title, content, created_at) VALUES ($1, $2, $3, $4)"
    same(store.call("raw_sql_dryrun", sql=insert, params=["m", "t", "c", TIME])["changed"], 1)
    store.fails("INVALID", "raw_sql_dryrun", sql=insert, params=["n", "t", "c", TIME])
    same(store.dump(), before)


@both("one that fails on its way leaves nothing, alone or in a transaction")
def halfway(store):
    store.fill()
    insert = f"INSERT INTO notes (id, title, content, created_at) VALUES ('x', 'x', 'x', '{TIME}'), ('n', 'x', 'x', '{TIME}')"
    before = store.dump()
    store.fails("INVALID", "raw_sql_execute", sql=insert)
    same(store.dump(), before)
    store.player.must("begin", "assistant")
    store.call("raw_sql_execute", sql="UPDATE tasks SET title = 'kept'")
    store.fails("INVALID", "raw_sql_execute", sql=insert)
    store.fails("DENIED", "raw_sql_execute", sql="DELETE FROM vault_credentials")
    same(store.call("raw_sql_dryrun", sql="DELETE FROM tasks")["changed"], 1)
    store.fails("MISUSE", "raw_sql_query", sql="SELECT 1")
    store.player.must("commit")
    same(store.call("raw_sql_query", sql="SELECT title FROM tasks")["rows"], [["kept"]])
    same(len(store.call("get_notes")), 1)


@both("writers do not wait for a long query")
def unhindered(store):
    store.call("save_note", title="a", content="b")
    with doors.Player() as other:
        other.open({**store.place, "wait_ms": 1000})
        request = "\t".join(("call", "assistant.raw_sql_query", json.dumps({"sql": ENDLESS, "timeout": 3}))) + "\n"
        store.player.process.stdin.write(request.encode())
        store.player.process.stdin.flush()
        for number in range(20):
            other.must("call", "assistant.save_note", json.dumps({"title": str(number), "content": "c"}))
        word, reply = store.player._answer(("call",))
        same((word, reply["code"]), ("error", "CANCELLED"))
    same(len(store.call("get_notes")), 21)


@both("a store that is open for reading only is read, and not written")
def readonly(store):
    store.fill()
    store.call("raw_sql_query", sql="SELECT 1")
    with doors.Player() as reader:
        reader.open({**store.place, "flags": ["readonly"]})
        same(reader.must("call", "assistant.raw_sql_query", '{"sql":"SELECT id FROM notes"}')["rows"], [["n"]])
        for method in ("raw_sql_execute", "raw_sql_dryrun"):
            word, reply = reader.call("assistant." + method, '{"sql":"DELETE FROM notes"}')
            same((word, reply["code"]), ("error", "READONLY"))


@both("the schema is told without what is hidden, and anew when it has changed")
def described(store):
    store.fill()
    text = store.call("describe_schema")["schema"]
    lacks(text, "vault_credentials", "stele_", "sqlite_", MARK)
    notes = {"sqlite": "notes (id text, title text NOT NULL, content text NOT NULL, created_at text NOT NULL, embedding text, PRIMARY KEY (id))",
             "postgres": "notes (id text, title text NOT NULL, content text NOT NULL, created_at timestamp with time zone NOT NULL, embedding "}
    has(text, "\n" + notes[store.engine], "\n  INDEX idx_tasks_status (status, due_date)\n", "trapped (id text)\n")
    same(store.call("describe_schema")["schema"], text)
    store.direct("ALTER TABLE trapped ADD COLUMN more INTEGER")
    has(store.call("describe_schema")["schema"], "trapped (id text, more integer)\n")
    store.direct("CREATE UNIQUE INDEX one ON trapped (more, id)")
    has(store.call("describe_schema")["schema"], "trapped (id text, more integer)\n  UNIQUE INDEX one (more, id)\n")


# ---- The role, on PostgreSQL ----

def on_postgres(name):
    def keep(function):
        def run():
            with doors.Postgres(["assistant"]) as places, doors.Player() as player:
                function(Store(places, player))
        postgres_test(f"postgres: {name}")(run)
        return function
    return keep


def role_of(store):
    return store.psql("SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE proname = 'stele_confined' AND pronamespace = current_schema()::regnamespace").strip()


@on_postgres("rights that were given to the role are taken back, or nothing is run")
def repaired(store):
    store.fill()
    store.call("raw_sql_query", sql="SELECT 1")
    role = role_of(store)
    vault = "SELECT password_enc FROM vault_credentials"
    store.psql(f"GRANT SELECT ON vault_credentials TO {role}")
    store.fails("DENIED", "raw_sql_query", sql=vault)
    store.psql(f"GRANT SELECT (password_enc) ON vault_credentials TO {role}")
    lacks(store.fails("DENIED", "raw_sql_query", sql=vault), MARK)
    store.psql(f"REVOKE ALL ON vault_credentials FROM {role}", "ALTER FUNCTION stele_confined(text) OWNER TO CURRENT_USER")
    store.fails("DENIED", "raw_sql_query", sql=vault)
    same(role_of(store), role)
    store.psql("ALTER FUNCTION stele_confined(text) SECURITY INVOKER")
    store.fails("DENIED", "raw_sql_query", sql=vault)
    store.psql(f"GRANT pg_read_all_data TO {role}")
    has(store.fails("DENIED", "raw_sql_query", sql="SELECT 1"), "rights that raw SQL must not have")
    store.psql(f"REVOKE pg_read_all_data FROM {role}")
    same(store.call("raw_sql_query", sql="SELECT 1 AS x")["rows"], [[1]])


@on_postgres("a table that came later is seen")
def later(store):
    store.call("raw_sql_query", sql="SELECT 1")
    store.psql("CREATE TABLE late (x int)", "INSERT INTO late VALUES (5)")
    same(store.call("raw_sql_query", sql="SELECT x FROM late")["rows"], [[5]])


@on_postgres("the role can be dropped, and is made again")
def dropped(store):
    store.call("raw_sql_query", sql="SELECT 1")
    role = role_of(store)
    store.psql(f"DROP OWNED BY {role}", f"DROP ROLE {role}")
    same(store.call("raw_sql_query", sql="SELECT 1 AS x")["rows"], [[1]])
    same(role_of(store), role)


@on_postgres("who may not make roles is told what to ask for")
def unprivileged(store):
    database = re.search(r"/(method_[^?]*)", store.place["stores"]["assistant"]).group(1)
    name = "plain_" + database  # roles are the server's, and other tests may use it
    store.psql(f"CREATE ROLE {name} LOGIN", f"GRANT CREATE ON DATABASE {database} TO {name}")
    url = store.place["stores"]["assistant"].replace("postgres@", name + "@").replace("schema=", "schema=own_")
    with doors.Player() as player:
        player.open({"home": store.place["home"] + "2", "stores": {"assistant": url}})
        word, reply = player.call("assistant.raw_sql_query", '{"sql":"SELECT 1 AS x"}')
        same((word, reply["code"]), ("error", "DENIED"))
        told = re.search(r"CREATE ROLE \w+ NOLOGIN; GRANT \w+ TO \"\w+\"", reply["message"])
        store.psql(*told.group(0).split("; "))
        same(player.must("call", "assistant.raw_sql_query", '{"sql":"SELECT 1 AS x"}')["rows"], [[1]])
        word, reply = player.call("assistant.raw_sql_query", '{"sql":"SELECT * FROM vault_credentials"}')
        same((word, reply["code"]), ("error", "DENIED"))
        same(player.must("call", "assistant.raw_sql_execute", '{"sql":"DELETE FROM notes"}')["changed"], 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Tenants: none sees another, through any method; what a tenant's role may, and what it may not.  Prints TAP."""

import contextlib
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from forget import filled as marked  # noqa: E402
from method import doors  # noqa: E402
from place import Database, Place, has, main, postgres_test, same  # noqa: E402
from scale import filled  # noqa: E402

CALLS_OF_A_METHOD = 2
MARK = "Quetzalcoatlus"  # stands in every column of the first tenant in which a text can stand


def names():
    """Roles are the whole server's."""
    mine = f"t{os.getpid()}"
    return f"{mine}_a", f"{mine}_b"


def url_of(database, tenant):
    return database.url.replace("postgres@", f"{tenant}@", 1) + ("&" if "?" in database.url else "?") + f"tenant={tenant}"


@contextlib.contextmanager
def tenants(place, database):
    """Two of them, and their addresses."""
    pair = names()
    env = {"STELE_DATABASE_URL": database.url}
    try:
        for name in pair:
            place.run("tenant", "create", name, "--json", env=env).reply()
        yield [url_of(database, name) for name in pair]
    finally:
        for name in pair:
            place.run("tenant", "drop", name, "--yes", "--json", env=env)


@contextlib.contextmanager
def opened(place, url):
    with doors.Player() as player:
        player.open({"home": place.at("nowhere"), "database": url, "vault_keys": doors.VAULT_KEYS})
        yield player


def sql(url, text):
    done = subprocess.run(["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1", "-c", text, url],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def contents(database, tenant):
    """Every row of a tenant's stores."""
    _, listed = sql(database.url, f"SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname LIKE '{tenant}\\_%' ORDER BY 1")
    status, rows = sql(database.url, " UNION ALL ".join(f"SELECT '{table} ' || t::text FROM {table} AS t" for table in listed.split()) + " ORDER BY 1")
    same((status, rows[:200] if status else ""), (0, ""))
    return rows


class Marked(marked.Postgres):
    """The tables of one store of a tenant, for whom they are filled."""

    def __init__(self, url, schema):  # pylint: disable=super-init-not-called
        self.url, self.schema = url, schema


def plain(url):
    """The address without the tenant, as psql knows it."""
    return url.split("?tenant=")[0].split("&tenant=")[0]


def mark(database, url, tenant):
    """Put the mark into every table: the tenant's role makes them, the administrator fills them, whatever refers to what."""
    for store, features in marked.features().items():
        for feature in features:
            Marked(plain(url), f"{tenant}_{store}").make(feature)
        same(len(marked.fill(Marked(database.url, f"{tenant}_{store}"), MARK)) > 5, True)


VALUES = {"int": 1, "real": 1, "bool": True, "time": 1000, "duration": 60, "json": {}, "jsontext": {}, "date": "2026-01-01", "vector": [1.0], "blob": "",
          "cron": "0 0 * * *", "timezone": "UTC"}


def guessed(method):
    """Arguments for a method, made from what it declares: numbers and keys that rows of the first tenant have."""
    args = {}
    for param in method["params"]:
        if param.get("optional") or "default" in param:
            continue
        value = param["choices"][0] if param.get("choices") else VALUES.get(param["type"], "v1")
        args[param["name"]] = [value] if param.get("list") else value
    return json.dumps(args)


def answers(player, methods, calls):
    """What the methods answer to another's calls, and to such as can be thought of."""
    return {(method["name"], args): player.call(method["name"], args)
            for method in methods for args in {*calls.get(method["name"], []), guessed(method)}}


@postgres_test("no method of one tenant sees or changes anything of another's")
def _():
    with Place() as place, Database() as database, Database() as empty:
        with tenants(place, database) as [first, second]:
            alone = empty.url
            with opened(place, first) as player:
                listed = player.must("call", "stele.methods", "{}")
                calls = filled.played(player, place.at("nowhere"), "postgres", CALLS_OF_A_METHOD)
            stores = [each for each in listed if each["store"] in filled.STORES]
            reading = [each for each in stores if each["access"] == "read"]
            others = [each for each in listed if each not in reading and each["name"] not in ELSEWHERE]
            same(len(calls) > len(stores) * 9 // 10, True)
            mark(database, first, names()[0])
            with opened(place, first) as player:  # who may see it does
                same(sum(MARK in json.dumps(answer) for answer in answers(player, reading, {}).values()) > 20, True)
            before = contents(database, names()[0])
            same((before.count("\n") > 500, before.count(MARK) > 200), (True, True))
            with opened(place, second) as player, opened(place, alone) as nobody:
                told, wanted = answers(player, reading, calls), answers(nobody, reading, calls)
                same([(key, told[key], wanted[key]) for key in wanted if word_of(told[key]) != word_of(wanted[key])], [])
                told.update(answers(player, others, calls))
                told.update({("recall.search", MARK): player.call("recall.search", json.dumps({"query": MARK.lower() + "*"})),
                             ("stele.forget", MARK): player.call("stele.forget", json.dumps({"text": MARK, "dry_run": False}))})
                same([key for key, answer in told.items() if MARK.lower() in json.dumps(answer).lower() and MARK not in key], [])
                same((told["recall.search", MARK], told["stele.forget", MARK]), (("ok", []), ("ok", [])))
            place.run("copy", place.at("back"), "--json", env={"STELE_DATABASE_URL": second}).reply()
            same([path for path in glob.glob(place.at("back", "*")) if MARK.encode() in read(path)], [])
            same(contents(database, names()[0]), before)


def read(path):
    with open(path, "rb") as file:
        return file.read()


# What is about the machine and its files, and would wait, ask others or write outside the database.
ELSEWHERE = {"stele.copy", "recall.ask"}


def word_of(answer):
    """What an answer says, without what is of the moment."""
    word, reply = answer
    return (word, reply["code"]) if word == "error" else (word, len(reply) if isinstance(reply, list) else sorted(reply or {}))


@postgres_test("a tenant's role has rights in its own schemas only, and no statement of it lasts for ever")
def _():
    with Place() as place, Database() as database, tenants(place, database) as [first, second]:
        one, other = names()
        for text in (f"SELECT * FROM {other}_planner.facts", f"CREATE TABLE {other}_planner.mine (x int)", "CREATE TABLE public.mine (x int)",
                     f"SET ROLE {other}", f"DROP SCHEMA {other}_planner CASCADE", f"CREATE ROLE {one}_more", "CREATE SCHEMA mine",
                     f"ALTER ROLE {one} SUPERUSER", f"GRANT ALL ON SCHEMA {other}_planner TO {one}"):
            status, said = sql(plain(first), text)
            same((text, status != 0, "permission denied" in said or "must be" in said or "not own" in said), (text, True, True))
        same(sql(plain(first), f"SELECT count(*) FROM {one}_planner.facts"), (0, "0\n"))
        same(sql(plain(first), "SHOW statement_timeout"), (0, "1min\n"))


@postgres_test("no table, number or function of a tenant is open to another's role")
def _():
    with Place() as place, Database() as database, tenants(place, database) as [first, second]:
        one, _ = names()
        with opened(place, first) as player:
            player.must("call", "stele.hold", json.dumps({"store": "planner", "reason": "functions and triggers"}))
        mine = f"c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname LIKE '{one}\\_%')"
        _, open_to = sql(plain(second), f"SELECT count(*), count(*) FILTER (WHERE CASE c.relkind WHEN 'S' THEN has_sequence_privilege(c.oid, 'USAGE, SELECT, UPDATE')"
                         " WHEN 'i' THEN false WHEN 'I' THEN false ELSE has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')"
                         f" OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES') END) FROM pg_class AS c WHERE {mine}")
        there, allowed = open_to.strip().split("|")
        same((int(there) > 100, allowed), (True, "0"))
        denied = ("DO $$ DECLARE t text; opened int := 0; BEGIN FOR t IN SELECT c.oid::regclass FROM pg_class AS c WHERE c.relkind IN ('r', 'p', 'v') AND " + mine +
                  " LOOP BEGIN EXECUTE 'SELECT 1 FROM ' || t || ' LIMIT 1'; opened := opened + 1; EXCEPTION WHEN insufficient_privilege THEN NULL; END; END LOOP;"
                  " IF opened > 0 THEN RAISE EXCEPTION '% were read', opened; END IF; END $$")
        same(sql(plain(second), denied), (0, ""))
        status, said = sql(plain(second), f"SELECT {one}_planner.stele_hold_fact()")
        same((status != 0, "permission denied for schema" in said), (True, True))


@postgres_test("raw SQL of a tenant cannot cross")
def _():
    with Place() as place, Database() as database, tenants(place, database) as [first, second]:
        one, other = names()
        with opened(place, first) as player, opened(place, second) as stranger:
            player.must("call", "assistant.save_note", json.dumps({"title": "mine", "content": "private"}))
            same(len(player.must("call", "assistant.raw_sql_query", json.dumps({"sql": "SELECT title FROM notes"}))) > 0, True)
            for text in (f"SELECT title FROM {one}_assistant.notes", f"SELECT count(*) FROM {one}_planner.facts", f"DELETE FROM {one}_assistant.notes"):
                for method in ("assistant.raw_sql_query", "assistant.raw_sql_execute"):
                    word, reply = stranger.call(method, json.dumps({"sql": text}))
                    same((text, word), (text, "error"))
            same(len(player.must("call", "assistant.get_notes", "{}")), 1)


@postgres_test("a tenant that was shut out comes in again only when it is made anew, with all it had")
def _():
    with Place() as place, Database() as database, tenants(place, database) as [first, second]:
        env, mine = {"STELE_DATABASE_URL": database.url}, {"STELE_DATABASE_URL": first}
        place.call("planner.save_fact", {"content": "kept", "source": "s"}, env=mine).reply()
        place.run("tenant", "revoke", names()[0], "--json", env=env).reply()
        has(place.call("planner.get_facts", env=mine).err, "not permitted to log in")
        place.run("tenant", "create", names()[0], "--json", env=env).reply()
        same([fact["content"] for fact in place.call("planner.get_facts", env=mine).reply()], ["kept"])
        has(place.run("tenant", "drop", names()[0], env=env).err, "--yes")


@postgres_test("a home of files becomes a tenant's, and the other's stays empty")
def _():
    with Place() as place, Database() as database, tenants(place, database) as [first, second]:
        place.call("planner.save_fact", {"content": "moved", "source": "s"}).reply()
        place.run("copy", first, "--json").reply()
        same([fact["content"] for fact in place.call("planner.get_facts", env={"STELE_DATABASE_URL": first}).reply()], ["moved"])
        same(place.call("planner.get_facts", env={"STELE_DATABASE_URL": second}).reply(), [])


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""stele repair: rows without a parent are put aside and what is missing is added, all or nothing; opening does neither.  Prints TAP."""

import glob
import json
import os
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store import dying, versions  # noqa: E402
from place import Database, Place, digest, has, main, postgres_test, same, test  # noqa: E402

LINKS, TICKETS = "knowledge_node_claude_sessions", "claude_enrichment_queue"
ORPHANS = [("quarantined", LINKS, 1, "no knowledge_nodes for knowledge_node_id"), ("quarantined", LINKS, 1, "no claude_sessions for claude_session_id"),
           ("quarantined", TICKETS, 1, "no claude_sessions for claude_session_id")]
PREFLIGHT = ("seeded", "source_health", 1, None)


def broken(path):
    """A file of the present version with three orphans and a missing source."""
    versions.make(path, 18)
    with versions.opened(path) as db:
        versions.orphan(db)
        db.execute("DELETE FROM source_health WHERE source = 'brain-preflight'")
    sqlite3.connect(path).execute("PRAGMA journal_mode = WAL").connection.close()


def in_home(place):
    os.makedirs(place.home, mode=0o700, exist_ok=True)
    return os.path.join(place.home, "capture.db")


def repair(place, *words):
    """[(action, name, rows, reason)], and the copy that was made."""
    found = place.run("repair", "capture", "--json", *words).reply()
    copies = {row.pop("backup") for row in found} or {None}
    same((len(copies), {row["store"] for row in found} <= {"capture"}), (1, True))
    return sorted(((row["action"], row["name"], row["rows"], row["reason"]) for row in found), key=str), copies.pop()


def contents(path):
    return versions.shape(path), versions.rows(path, versions.columns(path))


def references(place, *words):
    [line] = [row for row in json.loads(place.run("doctor", "capture", "--json", *words).out) if row["check"] == "references"]
    return line


@test("orphans move and missing sources come back, after a copy; then there is nothing more to do")
def _():
    with Place() as place:
        path = in_home(place)
        broken(path)
        before = contents(path)
        place.call("capture.list_source_health").reply()
        same(contents(path), before)  # opening does nothing of that
        line = references(place)
        same((line["state"], line["summary"]), ("warn", "3 rows refer to a row that does not exist"))
        has(line["fix"], "stele repair capture")
        done, copy = repair(place)
        same(done, sorted([*ORPHANS, PREFLIGHT], key=str))
        same((os.path.dirname(copy), contents(copy)), (place.home, before))
        has(os.path.basename(copy), "capture.db.v18.", ".backup")
        with versions.opened(path) as db:
            same(db.execute("PRAGMA foreign_key_check").fetchall(), [])
        same("brain-preflight" in versions.sources(path), True)
        same(versions.counts(path), versions.EXPECTED[18])
        same(references(place)["state"], "ok")
        same(repair(place), ([], None))
        same(glob.glob(f"{path}*.backup"), [copy])


@test("what was put aside can be read")
def _():
    with Place() as place:
        path = in_home(place)
        broken(path)
        same(place.call("capture.list_quarantine").reply(), [])
        same("stele_quarantine" in versions.columns(path), False)  # asking made no table
        repair(place)
        rows = place.call("capture.list_quarantine").reply()
        same([row["table"] for row in rows].count(LINKS), 2)
        [row] = place.call("capture.list_quarantine", {"table": TICKETS}).reply()
        same((row["row"]["id"], row["row"]["claude_session_id"], row["reason"]), (900, 9998, "no claude_sessions for claude_session_id"))


@test("a dry run tells the same, and changes nothing")
def _():
    with Place() as place:
        path = in_home(place)
        broken(path)
        before = digest(path)
        same(repair(place, "--dry-run"), (sorted([*ORPHANS, PREFLIGHT], key=str), None))
        same((digest(path), glob.glob(f"{path}*.backup")), (before, []))
        same(place.call("capture.list_quarantine").reply(), [])
        has(place.run("repair", "--dry-run").out, "quarantined", LINKS, "no knowledge_nodes for knowledge_node_id")


@test("what refers to an orphan moves with it")
def _():
    with Place() as place:
        path = in_home(place)
        versions.make(path, 18)
        with versions.opened(path) as db:
            db.execute("DELETE FROM workflow_runs")  # as a program that enforces no keys does
        done, _ = repair(place)
        same([(action, name, rows) for action, name, rows, _ in done if action == "quarantined"],
             [("quarantined", "workflow_annotations", 1), ("quarantined", "workflow_jobs", 1)])


@test("a file elsewhere gets what it lacks, without being migrated")
def _():
    with Place() as place:
        path = place.at("hippo.db")
        versions.make(path, 18)
        with versions.opened(path) as db:
            db.execute("DROP TABLE workflow_log_excerpts")
            db.execute("DROP INDEX idx_entities_canonical")
            db.execute("DROP TRIGGER knowledge_nodes_fts_au")
            db.execute("ALTER TABLE events DROP COLUMN tool_name")
        words = ["--store", f"capture={path}"]
        wanted = [("added", name, None, None) for name in
                  ("events.tool_name", "idx_entities_canonical", "idx_workflow_log_excerpts_job", "knowledge_nodes_fts_au", "workflow_log_excerpts")]
        same(repair(place, "--dry-run", *words)[0], wanted)
        same(repair(place, *words)[0], wanted)
        fresh = place.at("fresh.db")
        place.call("capture.list_source_health", {}, "--store", f"capture={fresh}").reply()
        same(versions.shape(path), versions.shape(fresh))


@test("nodes that the search table lost are found again")
def _():
    with Place() as place:
        path = in_home(place)
        versions.make(path, 18)
        with versions.opened(path) as db:
            db.execute("DELETE FROM knowledge_fts WHERE rowid < 3")
        same(repair(place)[0], [("seeded", "knowledge_fts", 2, None)])
        same(versions.counts(path), versions.EXPECTED[18])


@test("a store that is not there, is well, or is of another version")
def _():
    with Place() as place:
        same(place.run("repair", "--json").reply(), [])
        same(os.path.exists(place.home), False)
        has(place.run("repair").err, "nothing to repair")
        place.call("capture.list_source_health").reply()
        same(repair(place), ([], None))
        for version, words in ((12, ("version 12", "stele migrate capture")), (19, ("version 19", "left as it is"))):
            path = place.at(f"v{version}.db")
            versions.make(path, version)
            before, elsewhere = digest(path), ["--store", f"capture={path}"]
            has(place.run("repair", "capture", "--json", *elsewhere).error(1, "FORMAT")["message"], *words)
            done = place.run("repair", *elsewhere)
            same(done.status, 0)
            has(done.err, *words)
            same(digest(path), before)
        place.run("repair", "capturing", "--json").error(2, "INVALID", hint="did you mean capture?")


# ---- Killed ------------------------------------------------------------------------------------


@test("killed before every statement: nothing is done, or all")
def _():
    with Place() as place:
        broken(place.at("old.db"))
        with open(place.at("old.db"), "rb") as file:
            old = file.read()
        os.makedirs(place.home, mode=0o700)
        before, outcomes = contents(place.at("old.db")), set()
        for n, path in dying.each_death(place.home, "capture.db", old, "stele.repair", "{}"):
            found = contents(path)
            if found != before:
                same(len(found[1]["stele_quarantine"]), 3)
                same(len(found[1]["source_health"]), 8)
            outcomes.add(found == before)
        print(f"# {n} statements")
        same((outcomes, n > 50), ({True, False}, True))


# ---- PostgreSQL --------------------------------------------------------------------------------


def psql(url, schema, sql):
    subprocess.run(["psql", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-c", f"SET search_path = {schema}; {sql}", url], check=True,
                   stdout=subprocess.DEVNULL)


@postgres_test("PostgreSQL: no row can lose its parent; what is missing is added")
def _():
    with Place() as place, Database() as database:
        words = ["--database", database.url]
        place.call("capture.list_source_health", {}, *words).reply()
        [schema] = [row["location"] for row in place.run("status", "--json", *words).reply() if row["store"] == "capture"]
        psql(database.url, schema, "DROP INDEX idx_entities_canonical; DELETE FROM source_health WHERE source IN ('shell', 'browser')")
        wanted = [("added", "idx_entities_canonical", None, None), ("seeded", "source_health", 2, None)]
        same(repair(place, "--dry-run", *words), (wanted, None))
        same(repair(place, *words), (wanted, None))
        same(repair(place, *words), ([], None))
        same(place.call("capture.list_quarantine", {}, *words).reply(), [])


if __name__ == "__main__":
    sys.exit(main())

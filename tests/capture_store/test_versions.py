#!/usr/bin/env python3
"""Files of versions 1 to 17 become files of version 18, whatever was missing in them, and nothing is lost.  Prints TAP.

STELE_TEST_FIXTURES may name a directory with files of the program itself (v01.db, v03.db, ...): copies of them are
migrated, too."""

import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store import versions  # noqa: E402
from place import BIN, Place, digest, has, main, same, test  # noqa: E402

METHOD = "capture.list_source_health"
SOURCES = {"shell", "claude-tool", "browser", "agentic-session-claude", "agentic-session-opencode", "agentic-session-codex",
           "agentic-session-cursor", "brain-preflight"}
GROWING = ["agentic_sessions", "knowledge_node_agentic_sessions", "agentic_enrichment_queue", "source_health"]
FROZEN = ["claude_sessions", "knowledge_node_claude_sessions", "claude_enrichment_queue"]
FIXTURES = os.environ.get("STELE_TEST_FIXTURES")


def in_home(place):
    os.makedirs(place.home, exist_ok=True)
    return os.path.join(place.home, "capture.db")


def fresh(place):
    path = place.at("fresh.db")
    place.call(METHOD, {}, "--store", f"capture={path}").reply()
    return versions.shape(path)


def version_of(path):
    with versions.opened(path) as db:
        return db.execute("PRAGMA user_version").fetchone()[0]


def check_sound(path):
    with versions.opened(path) as db:
        same(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        same(db.execute("PRAGMA foreign_key_check").fetchall(), [])
        same(db.execute("SELECT count(*) FROM knowledge_fts('summary : feature')").fetchone(), (5,))
        same(db.execute("SELECT count(*) FROM knowledge_fts('run AND cafe')").fetchone(), (6,))


def migrate(place, path, wanted=None):
    """Open it in the home: it is a whole file of version 18 afterwards, and opening it again changes nothing."""
    place.call(METHOD).reply()
    same(version_of(path), 18)
    same(versions.shape(path), wanted or fresh(place))
    same(SOURCES - versions.sources(path), set())
    check_sound(path)
    with versions.opened(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    before = digest(path)
    place.call(METHOD).reply()
    same(digest(path), before)


def check_sessions(path, since):
    """Every session is where it belongs, with what it had."""
    with versions.opened(path) as db:
        found = {(row[0], row[1]): row[2:] for row in db.execute(
            "SELECT session_id, segment_index, harness, source_file, summary_text, token_count, enriched, probe_tag, content_hash, "
            "model, snapshot_diffs_json, commit_messages_json FROM agentic_sessions WHERE harness <> 'opencode'")}
        for number, (session, segment, path_, harness, _, enriched) in versions.LEGACY.items():
            if number == 115 and since < 8 or number == 102 and since >= 17:
                continue
            same(found[session, segment], (harness, path_, f"summary {number}", 0 if number == 105 else number, enriched,
                                           "probe" if number == 115 else None, "h" if number == 101 and since >= 12 else None,
                                           "", "null", "[]"))
        if since >= 17:
            same(found["a", 1][2], "live")
        queue = db.execute("SELECT s.session_id, s.segment_index, q.status, q.retry_count, q.locked_at, q.locked_by, q.enqueued_at "
                           "FROM agentic_enrichment_queue q JOIN agentic_sessions s ON s.id = q.session_id "
                           "WHERE s.harness <> 'opencode' AND q.status <> 'done' ORDER BY 1, 2").fetchall()
        wanted = sorted((session, segment, "failed" if ticket == "failed" else "pending",
                         {"failed": 5, "processing": 1}.get(ticket, 0), None, None, versions.TIME + 7)
                        for number, (session, segment, _, _, ticket, enriched) in versions.LEGACY.items()
                        if ticket in ("pending", "processing", "failed") and not enriched and not (number == 102 and since >= 17))
        same(queue, wanted)


for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17):
    @test(f"a file of version {number} is migrated when it is opened")
    def _(number=number):
        with Place() as place:
            path = in_home(place)
            versions.make(path, number)
            kept = {name: columns for name, columns in versions.columns(path).items()
                    if name not in GROWING and not name.startswith(("sqlite_", "knowledge_fts"))}
            before = versions.rows(path, kept)
            migrate(place, path)
            same(versions.rows(path, kept), before)
            expected = versions.EXPECTED[max(known for known in versions.EXPECTED if known <= number)]
            same(versions.counts(path), expected)
            if number >= 3:
                check_sessions(path, number)
            [backup] = glob.glob(f"{path}.v{number}.*.backup")
            same((version_of(backup), versions.rows(backup, kept)), (number, before))


@test("the older name of a source becomes one with the present one")
def _():
    with Place() as place:
        path = in_home(place)
        versions.make(path, 14)
        with versions.opened(path) as db:
            db.execute("UPDATE source_health SET last_event_ts = 40, last_error_ts = 10, last_error_msg = 'mine', probe_ok = 0, "
                       "probe_lag_ms = 7, probe_last_run_ts = 30 WHERE source = 'agentic-session-claude'")
        migrate(place, path)
        with versions.opened(path) as db:
            same(db.execute("SELECT last_event_ts, last_error_ts, last_error_msg, probe_ok, probe_lag_ms, probe_last_run_ts, "
                            "consecutive_failures FROM source_health WHERE source = 'agentic-session-claude'").fetchall(),
                 [(50, 20, "old", 0, 7, 30, 2)])
        same("claude-session" in versions.sources(path), False)


# ---- What was missing -------------------------------------------------------------------------


def odd(name, version, *changes, expected=None):
    @test(name)
    def _():
        with Place() as place:
            path = in_home(place)
            versions.make(path, version)
            with versions.opened(path) as db:
                for change in changes:
                    db.execute(change)
            migrate(place, path)
            same(versions.counts(path), versions.EXPECTED[expected or version])


odd("a crash of the program between the two halves of its step to version 2", 1, "ALTER TABLE events ADD COLUMN envelope_id TEXT")
odd("a version 2 that never had envelope_id", 3, "DROP INDEX idx_events_envelope_id", "ALTER TABLE events DROP COLUMN envelope_id",
    "PRAGMA user_version = 3")
odd("a crash in the step to version 7", 6, "ALTER TABLE events ADD COLUMN source_kind TEXT NOT NULL DEFAULT 'shell'", expected=5)
odd("a crash in the step to version 6: the search table is half filled", 6, "DELETE FROM knowledge_fts WHERE rowid > 2", expected=5)
odd("leftovers of a rebuilt table", 12, "CREATE TABLE entities_new (id INTEGER PRIMARY KEY, type TEXT)",
    "INSERT INTO entities_new VALUES (1, 'x')")
odd("a version 14 without its health rows", 14, "DELETE FROM source_health")
odd("a version 17 without an index, a trigger, the search table and a table", 17, "DROP INDEX idx_events_git_repo",
    "DROP TRIGGER knowledge_nodes_fts_ad", "DROP TRIGGER knowledge_nodes_fts_ai", "DROP TRIGGER knowledge_nodes_fts_au",
    "DROP TABLE knowledge_fts", "DROP TABLE claude_session_parity")


@test("an early version 14 keeps what it knew of its sources")
def _():
    with Place() as place:
        path = in_home(place)
        versions.make(path, 14)
        wanted = fresh(place)
        with versions.opened(path) as db:
            db.execute("ALTER TABLE agentic_cursor RENAME COLUMN last_seen_updated_at TO last_time_created")
            db.execute("ALTER TABLE agentic_sessions DROP COLUMN probe_tag")
        place.call(METHOD).reply()
        with versions.opened(path) as db:
            same(db.execute("SELECT last_seen_updated_at, last_time_created FROM agentic_cursor").fetchall(), [(9, 9)])
            db.execute("ALTER TABLE agentic_cursor DROP COLUMN last_time_created")
        same(versions.shape(path), wanted)


@test("a version 1 that has only events and sessions")
def _():
    with Place() as place:
        path = in_home(place)
        with versions.opened(path) as db:
            for statement in versions.ddl(1):
                if "TABLE events " in statement or "TABLE sessions " in statement:
                    db.execute(statement)
            versions.put(db, "sessions", id=1, start_time=1, shell="zsh", hostname="h", username="u", created_at=1)
            versions.put(db, "events", id=1, session_id=1, timestamp=5, command="make", duration_ms=5, cwd="/", hostname="h",
                         shell="zsh", created_at=1)
            db.execute("PRAGMA user_version = 1")
        place.call(METHOD).reply()
        same(versions.shape(path), fresh(place))
        same(versions.sources(path), SOURCES)
        with versions.opened(path) as db:
            same(db.execute("SELECT id, command, source_kind FROM events").fetchall(), [(1, "make", "shell")])
            same(db.execute("SELECT last_event_ts FROM source_health WHERE source = 'shell'").fetchall(), [(5,)])


@test("a virtual table of an extension that is not loaded is no obstacle, and stays")
def _():
    with Place() as place:
        path = in_home(place)
        versions.make(path, 12)
        with versions.opened(path) as db:
            db.execute("PRAGMA writable_schema = ON")
            db.execute("INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'knowledge_vectors', "
                       "'knowledge_vectors', 0, 'CREATE VIRTUAL TABLE knowledge_vectors USING vec0(a float[3])')")
        place.call(METHOD).reply()
        same((version_of(path), versions.counts(path)), (18, versions.EXPECTED[12]))
        with versions.opened(path) as db:
            same(db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'knowledge_vectors'").fetchall(), [(0,)])


# ---- Orphans --------------------------------------------------------------------------------


def quarantined(path):
    with versions.opened(path) as db:
        return [(table, json.loads(row), reason) for table, row, reason in
                db.execute('SELECT "table", row, reason FROM stele_quarantine ORDER BY id')]


@test("rows without a parent move to the quarantine, and do not block")
def _():
    for number in (3, 12, 17):
        with Place() as place:
            path = in_home(place)
            versions.make(path, number)
            with versions.opened(path) as db:
                versions.orphan(db)
            migrate(place, path)
            same(versions.counts(path), versions.EXPECTED[number])
            found = quarantined(path)
            same({table for table, _, _ in found}, {"knowledge_node_claude_sessions", "claude_enrichment_queue"})
            same([row for table, row, _ in found if table == FROZEN[1]],
                 [{"knowledge_node_id": 999, "claude_session_id": 102}, {"knowledge_node_id": 6, "claude_session_id": 9999}])
            same([(row["id"], row["status"], row["created_at"], reason) for table, row, reason in found if table == FROZEN[2]],
                 [(900, "pending", versions.TIME, "no claude_sessions for claude_session_id")])


@test("what referred to a row in quarantine goes there too; bytes that are no text are not lost")
def _():
    with Place() as place:
        path = in_home(place)
        versions.make(path, 8)
        with versions.opened(path) as db:
            versions.put(db, "events", id=9, session_id=99, timestamp=1, command=b"\xff\x00", duration_ms=1, cwd='it"s', hostname="h",
                         shell="s", created_at=1, env_snapshot_id=77)
            versions.put(db, "enrichment_queue", id=9, event_id=9, created_at=1, updated_at=1)
            versions.put(db, "knowledge_node_events", knowledge_node_id=1, event_id=9)
        migrate(place, path)
        found = quarantined(path)
        same([table for table, _, _ in found][0], "events")
        same({table for table, _, _ in found}, {"events", "enrichment_queue", "knowledge_node_events"})
        same((found[0][1]["command"], found[0][1]["cwd"]), ("X'FF00'", 'it"s'))
        has(found[0][2], "no sessions for session_id", "no env_snapshots for env_snapshot_id")


# ---- The present version, and others -----------------------------------------------------------


@test("a file of version 18 is used as it is, at home and elsewhere, orphans and all")
def _():
    for home in (True, False):
        with Place() as place:
            path = in_home(place) if home else place.at("hippo.db")
            words = [] if home else ["--store", f"capture={path}"]
            versions.make(path, 18)
            with versions.opened(path) as db:
                versions.orphan(db)
                db.execute("DELETE FROM source_health WHERE source = 'brain-preflight'")
            sqlite3.connect(path).execute("PRAGMA journal_mode = WAL").connection.close()
            before = digest(path)
            same(len(place.call(METHOD, {}, *words).reply()), 7)
            same(digest(path), before)
            same(glob.glob(f"{path}*.backup"), [])


@test("a file of version 18 that lacks something is completed in the home, and elsewhere when asked")
def _():
    for home in (True, False):
        with Place() as place:
            path = in_home(place) if home else place.at("hippo.db")
            words = [] if home else ["--store", f"capture={path}"]
            wanted = fresh(place)
            versions.make(path, 18)
            with versions.opened(path) as db:
                db.execute("DROP TABLE env_snapshots")
                db.execute("UPDATE events SET env_snapshot_id = NULL")
                db.execute("DROP INDEX idx_entities_canonical")
                versions.orphan(db)
            if not home:
                error = place.call(METHOD, {}, "--json", *words).error(1, "FORMAT")
                has(error["message"], "is an older capture store: it has no table env_snapshots")
                has(error["hint"], "--migrate")
                words.append("--migrate")
            place.call(METHOD, {}, *words).reply()
            same(versions.shape(path), wanted)
            same(versions.counts(path), versions.EXPECTED[18])
            same("stele_quarantine" in versions.columns(path), False)  # only `stele repair` moves the orphans of such a file


@test("an older file elsewhere is refused with advice and stays as it is; asked, it is migrated")
def _():
    with Place() as place:
        path = place.at("hippo.db")
        versions.make(path, 12)
        before, words = digest(path), ["--json", "--store", f"capture={path}"]
        error = place.call(METHOD, {}, *words).error(1, "FORMAT")
        has(error["message"], "is a capture store of version 12, and this Stele works with 18")
        has(error["hint"], "stele migrate", "--migrate")
        same(digest(path), before)
        same(place.run("migrate", "capture", *words).reply(), [{"store": "capture", "before": 12, "after": 18}])
        same(versions.counts(path), versions.EXPECTED[12])


@test("a newer file is refused and stays as it is, whatever is asked")
def _():
    with Place() as place:
        path = in_home(place)
        versions.make(path, 19)
        before = place.listing()
        for words in ([], ["--migrate"]):
            error = place.call(METHOD, {}, "--json", *words).error(1, "FORMAT")
            has(error["message"], "version 19", "18")
            has(error["hint"], "newer Stele", "copy from before")
        place.run("migrate", "capture", "--json").error(1, "FORMAT")
        same(place.listing(), before)


@test("a file of another program with such a number is refused")
def _():
    for tables in ("CREATE TABLE songs (id INTEGER)", "CREATE TABLE sessions (id INTEGER PRIMARY KEY, singer TEXT)"):
        with Place() as place:
            path = in_home(place)
            with versions.opened(path) as db:
                db.execute(tables)
                db.execute("PRAGMA user_version = 5")
            before = digest(path)
            has(place.call(METHOD, {}, "--json", "--migrate").error(1, "FORMAT")["message"], "is not a capture store")
            same(digest(path), before)


@test("several processes migrate a file once")
def _():
    with Place() as place:
        path = in_home(place)
        versions.make(path, 5)
        wanted = fresh(place)
        crowd = [subprocess.Popen([BIN, "call", METHOD], env=place.environment({}), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                 for _ in range(6)]
        for one in crowd:
            same((one.communicate()[1], one.returncode), (b"", 0))
        migrate(place, path, wanted)
        same(versions.counts(path), versions.EXPECTED[5])
        same(len(glob.glob(f"{path}.*.backup")), 1)


# ---- The program's own files -------------------------------------------------------------------


def fixture(path, expected, orphans=0):
    @test(f"a file of the program itself: {os.path.basename(path)}")
    def _():
        with Place() as place:
            copy = in_home(place)
            shutil.copy(path, copy)
            os.chmod(copy, 0o600)
            if expected is None:
                place.call(METHOD, {}, "--json").error(1, "FORMAT")
                same(digest(copy), digest(path))
                return
            whole = expected is versions.EXPECTED[18] and version_of(copy) == 18
            if whole:
                tables = versions.columns(copy)
                before = versions.rows(copy, tables)
                place.call(METHOD).reply()
                same(versions.rows(copy, tables), before)
                same((versions.counts(copy), versions.shape(copy)), (expected, fresh(place)))
                return
            migrate(place, copy)
            same(versions.counts(copy), expected)
            same(len(quarantined(copy)) if orphans else 0, orphans)


if FIXTURES:
    for version in versions.EXPECTED:
        fixture(os.path.join(FIXTURES, f"v{version:02}.db"), versions.EXPECTED[version], 3 if version == 17 else 0)
    fixture(os.path.join(FIXTURES, "v06-partial.db"), versions.EXPECTED[5])
    fixture(os.path.join(FIXTURES, "v12-dangling.db"), versions.EXPECTED[12], 3)
    fixture(os.path.join(FIXTURES, "v19.db"), None)


if __name__ == "__main__":
    sys.exit(main())

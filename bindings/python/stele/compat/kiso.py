"""A drop-in for kiso's store: import its functions from here instead, on the file you have.

    from stele.compat.kiso import init_db, save_message, create_plan

    db = await init_db("store.db")
    message = await save_message(db, "dev", "marco", "user", "deploy the app")

The file keeps its format: its tables, indexes and triggers and nothing else, so that the original goes on reading and
writing it.  Names, defaults, replies (rows as the file has them: times as text, flags as 0 and 1, JSON unparsed) and
exceptions are the original's, and so is what the methods of the planner store are stricter about.  What is better is
below: the connection is one of libstele, writers take turns, every function writes all or nothing, and several tasks
may use one `db`.

`db` is a stele.aiosqlite.Connection, also for SQL of your own.  Do not open the same file with the sqlite3 module in the
same process: two SQLite libraries cancel each other's locks."""

import json
import logging
import re

from .. import aiosqlite
from ._kiso_access import call, change, insert, rows, write
from ._kiso_learnings import (
    ask_learning, get_pending_items, get_pending_learnings, promote_learning, resolve_pending, save_learning,
    save_pending_item, update_learning)
from ._kiso_plans import (  # noqa: F401  the last one: as the original calls it
    append_task_llm_call, cancel_plan, create_plan, create_task, get_plan_for_session, get_tasks_for_plan,
    get_tasks_for_session, recover_stale_running, supersede_plan, update_plan_status, update_plan_usage, update_task,
    update_task_command, update_task_retry_count, update_task_review, update_task_substatus, update_task_usage,
    _KEEP_LLM_CALLS)
from ._kiso_schema import SCHEMA, MessageDict, PlanDict, SessionDict, TaskDict
from ._kiso_sessions import (
    count_messages, create_session, get_all_sessions, get_oldest_messages, get_recent_messages, get_session,
    get_sessions_for_user, get_unprocessed_messages, get_unprocessed_trusted_messages, get_untrusted_messages,
    mark_message_processed, save_message, update_summary, upsert_session)
from ._script import names_made, statements

__all__ = [
    "SCHEMA", "MessageDict", "PlanDict", "SessionDict", "TaskDict", "append_task_llm_call",
    "archive_low_confidence_facts", "ask_learning", "cancel_plan", "consolidate_facts", "count_messages",
    "create_plan", "create_session", "create_task", "decay_facts", "delete_facts", "get_all_sessions", "get_facts",
    "get_oldest_messages", "get_pending_items", "get_pending_learnings", "get_plan_for_session",
    "get_recent_messages", "get_session", "get_sessions_for_user", "get_tasks_for_plan", "get_tasks_for_session",
    "get_unprocessed_messages", "get_unprocessed_trusted_messages", "get_untrusted_messages", "init_db",
    "mark_message_processed", "promote_learning", "recover_stale_running", "resolve_pending", "save_fact",
    "save_facts_batch", "save_learning", "save_message", "save_pending_item", "search_facts", "supersede_plan",
    "update_fact_usage", "update_learning", "update_plan_status", "update_plan_usage", "update_summary",
    "update_task", "update_task_command", "update_task_retry_count", "update_task_review", "update_task_substatus",
    "update_task_usage", "upsert_session"]

log = logging.getLogger("kiso.store")  # programs that listen to the original's hear this

_BUSY_TIMEOUT_MS = 5000


# ---- Opening ----

async def init_db(db_path):
    """Open a file, make the tables it lacks, and answer the connection."""
    db = await aiosqlite.connect(db_path, timeout=_BUSY_TIMEOUT_MS / 1000, store="planner")
    try:
        db.row_factory = aiosqlite.Row
        await db.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
        names = {each["name"] for each in await rows(db, "SELECT name FROM sqlite_master")}
        if not names.issuperset(names_made(SCHEMA)):  # a file that has all is only read, whoever writes to it
            await write(db, _complete)
    except BaseException:
        await db.close()
        raise
    return db


def _complete(connection):
    searched = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'kiso_facts_fts'").fetchone()
    for statement in statements(SCHEMA):
        connection.execute(statement)
    if not searched:  # facts that are older than the table of their words
        connection.execute("INSERT INTO kiso_facts_fts (kiso_facts_fts) VALUES ('rebuild')")


# ---- Facts ----

_FACT = "INSERT INTO facts (content, source, session, category, confidence) VALUES (?, ?, ?, ?, ?)"


async def save_fact(db, content, source, session=None, category="general", confidence=1.0):
    return await insert(db, _FACT, content, source, session, category, confidence)


async def save_facts_batch(db, facts):
    """All or none.  Each is a dict with content and source, and perhaps session, category and confidence."""
    values = [(each["content"], each["source"], each.get("session"), each.get("category", "general"), each.get("confidence", 1.0))
              for each in facts]
    await write(db, lambda connection: connection.executemany(_FACT, values).close())


def _visible(session, is_admin):
    """What a WHERE says, and its values: user facts are seen in their session and by admins, without a session all."""
    if is_admin or session is None:
        return "1", ()
    return "(f.category != 'user' OR f.session = ?)", (session,)


async def get_facts(db, session=None, is_admin=False):
    condition, values = _visible(session, is_admin)
    return await rows(db, f"SELECT f.* FROM facts AS f WHERE {condition} ORDER BY f.id", *values)


def _fts5_query(text):
    """The words of a text, all of which are looked for; AND, OR, NOT and NEAR keep their meaning."""
    return " ".join(re.findall(r"\w+", text))


async def search_facts(db, query, session=None, is_admin=False, limit=15):
    """The facts that have all the words, best first; if there are none, or the words are no query, all visible ones."""
    words = _fts5_query(query)
    condition, values = _visible(session, is_admin)
    found = []
    if words:
        try:
            found = await rows(db, "SELECT f.* FROM kiso_facts_fts AS s JOIN facts AS f ON f.id = s.rowid "
                                   f"WHERE kiso_facts_fts MATCH ? AND {condition} ORDER BY s.rank LIMIT ?", words, *values, limit)
        except Exception as error:
            log.debug("facts are not searched, but all taken: %s", error)
    return found or await get_facts(db, session=session, is_admin=is_admin)


_THESE = "WHERE id IN (SELECT value FROM json_each(?))"


async def update_fact_usage(db, fact_ids):
    if fact_ids:
        await change(db, f"UPDATE facts SET use_count = use_count + 1, last_used = CURRENT_TIMESTAMP {_THESE}",
                     json.dumps(list(fact_ids)))


async def delete_facts(db, fact_ids):
    if fact_ids:
        await change(db, f"DELETE FROM facts {_THESE}", json.dumps(list(fact_ids)))


async def decay_facts(db, decay_days=7, decay_rate=0.1):
    """Take confidence from facts that were not used for so long: how many."""
    return await change(db, "UPDATE facts SET confidence = max(0.0, confidence - ?) "
                            "WHERE COALESCE(last_used, created_at) < datetime('now', ?)", decay_rate, f"-{decay_days} days")


async def archive_low_confidence_facts(db, threshold=0.3):
    """Move facts with less confidence to the archive: how many."""
    def work(connection):
        columns = "content, source, session, category, confidence, last_used, use_count, created_at"
        connection.execute(f"INSERT INTO facts_archive (original_id, {columns}) SELECT id, {columns} FROM facts "
                           "WHERE confidence < ? ORDER BY id", (threshold,))
        return connection.execute("DELETE FROM facts WHERE confidence < ?", (threshold,)).rowcount
    return await write(db, work)


async def consolidate_facts(db, **changes):
    """Keep, change, delete and add facts, all or nothing; numbers stay.  Arguments and reply: planner.consolidate_facts."""
    return await call(db, "planner.consolidate_facts", **changes)

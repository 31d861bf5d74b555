"""Learnings, and what is still open."""

import re

from ._kiso_access import call, change, insert, rows

# A learning that holds one of these is not kept.
_SECRETS = re.compile(r"\b(?:password|passwd|token)\b|[0-9a-f]{32}", re.I)


# ---- Learnings ----

async def save_learning(db, content, session, user=None):
    """Its number, or 0: it is empty or holds a secret, and was not kept."""
    if not isinstance(content, str):
        raise TypeError(f"a learning is a str, not {type(content).__name__}")
    if not content.strip() or _SECRETS.search(content):
        return 0
    return await insert(db, "INSERT INTO learnings (content, session, user) VALUES (?, ?, ?)", content, session, user)


async def get_pending_learnings(db, limit=50):
    """Oldest first, of all sessions."""
    return await rows(db, "SELECT * FROM learnings WHERE status = 'pending' ORDER BY id LIMIT ?", limit)


async def update_learning(db, learning_id, status):
    await change(db, "UPDATE learnings SET status = ? WHERE id = ?", status, learning_id)


async def promote_learning(db, learning_id, content, category="general", **more):
    """Make a fact of it: the fact's number.  More: as in planner.promote_learning."""
    return (await call(db, "planner.promote_learning", id=learning_id, content=content, category=category, **more))["fact_id"]


async def ask_learning(db, learning_id, question, **more):
    """Ask the user about it: the question's number among what is open.  More: as in planner.ask_learning."""
    return (await call(db, "planner.ask_learning", id=learning_id, question=question, **more))["pending_id"]


# ---- Pending ----

async def save_pending_item(db, content, scope, source):
    return await insert(db, "INSERT INTO pending (content, scope, source) VALUES (?, ?, ?)", content, scope, source)


async def get_pending_items(db, session):
    """What is open for a session or for all."""
    return await rows(db, "SELECT * FROM pending WHERE status = 'open' AND (scope = 'global' OR scope = ?) ORDER BY id", session)


async def resolve_pending(db, pending_id):
    await call(db, "planner.resolve_pending", id=pending_id)

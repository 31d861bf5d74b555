"""Sessions and messages."""

from ._kiso_access import change, row, rows, write

_GET = "SELECT * FROM sessions WHERE session = ?"
_LATEST_FIRST = " ORDER BY updated_at DESC"
_BUMP = "UPDATE sessions SET updated_at = CURRENT_TIMESTAMP"


# ---- Sessions ----

async def get_session(db, session):
    return await row(db, _GET, session)


async def create_session(db, session, connector=None, webhook=None, description=None):
    """The session; one that exists already stays as it is."""
    await change(db, "INSERT OR IGNORE INTO sessions (session, connector, webhook, description) VALUES (?, ?, ?, ?)",
                 session, connector, webhook, description)
    return await get_session(db, session)


async def upsert_session(db, session, connector=None, webhook=None, description=None):
    """(the session, whether it is new).  What is None is erased in one that exists."""
    def work(connection):
        created = connection.execute(_GET, (session,)).fetchone() is None
        if created:
            connection.execute("INSERT INTO sessions (connector, webhook, description, session) VALUES (?, ?, ?, ?)", values)
        else:
            connection.execute(_BUMP + ", connector = ?, webhook = ?, description = ? WHERE session = ?", values)
        return created
    values = (connector, webhook, description, session)
    created = await write(db, work)
    return await get_session(db, session), created


async def get_sessions_for_user(db, user):
    """The sessions in which a user has said something, the last active first."""
    return await rows(db, "SELECT * FROM sessions WHERE session IN (SELECT session FROM messages WHERE user = ?)" + _LATEST_FIRST,
                      user)


async def get_all_sessions(db):
    return await rows(db, "SELECT * FROM sessions" + _LATEST_FIRST)


async def update_summary(db, session, summary):
    await change(db, _BUMP + ", summary = ? WHERE session = ?", summary, session)


# ---- Messages ----

async def save_message(db, session, user, role, content, trusted=True, processed=False):
    """The number of the message.  Its session, if there is one, was active now."""
    def work(connection):
        made = connection.execute("INSERT INTO messages (session, user, role, content, trusted, processed) "
                                  "VALUES (?, ?, ?, ?, ?, ?)", (session, user, role, content, int(trusted), int(processed)))
        connection.execute(_BUMP + " WHERE session = ?", (session,))
        return made.lastrowid
    return await write(db, work)


async def mark_message_processed(db, msg_id):
    await change(db, "UPDATE messages SET processed = 1 WHERE id = ?", msg_id)


async def get_unprocessed_messages(db):
    """Also those that are not trusted: for looking, not for planning."""
    return await rows(db, "SELECT * FROM messages WHERE processed = 0 ORDER BY id")


async def get_unprocessed_trusted_messages(db):
    return await rows(db, "SELECT * FROM messages WHERE processed = 0 AND trusted = 1 ORDER BY id")


async def get_recent_messages(db, session, limit=5):
    """The newest trusted ones, oldest first."""
    return await rows(db, "SELECT * FROM (SELECT * FROM messages WHERE session = ? AND trusted = 1 "
                          "ORDER BY id DESC LIMIT ?) ORDER BY id", session, limit)


async def get_oldest_messages(db, session, limit):
    return await rows(db, "SELECT * FROM messages WHERE session = ? AND trusted = 1 ORDER BY id LIMIT ?", session, limit)


async def get_untrusted_messages(db, session, limit=20):
    """The oldest ones that are not trusted."""
    return await rows(db, "SELECT * FROM messages WHERE session = ? AND trusted = 0 ORDER BY id LIMIT ?", session, limit)


async def count_messages(db, session):
    """How many trusted ones."""
    return (await row(db, "SELECT count(*) AS n FROM messages WHERE session = ? AND trusted = 1", session))["n"]

"""How the functions of stele.compat.kiso read and write."""


async def rows(db, sql, *values):
    """The rows of a statement, as dicts."""
    cursor = await db.execute(sql, values)
    return [dict(row) for row in await cursor.fetchall()]


async def row(db, sql, *values):
    """Its first row as a dict, or None."""
    found = await rows(db, sql, *values)
    return found[0] if found else None


async def write(db, work):
    """Do work(connection) all or nothing and commit, with what the caller has not committed yet.

    It is one step for everybody else who uses the connection.  What fails is undone; what the caller has not
    committed stays as it was."""
    return await db.run(lambda connection: _whole(connection, work))


def _whole(connection, work):
    inside = connection.in_transaction
    connection.execute("SAVEPOINT kiso" if inside else "BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.commit()
    except BaseException:
        if not inside:
            connection.rollback()
        elif connection.in_transaction:  # SQLite ends it by itself after some failures
            connection.execute("ROLLBACK TO kiso")
            connection.execute("RELEASE kiso")
        raise
    return result


async def change(db, sql, *values):
    """One statement that writes: the number of rows it changed."""
    return await write(db, lambda connection: connection.execute(sql, values).rowcount)


async def insert(db, sql, *values):
    """One statement that inserts: the number of the new row."""
    return await write(db, lambda connection: connection.execute(sql, values).lastrowid)


async def call(db, method, **args):
    """A method of the library, in the same way: its reply."""
    return await write(db, lambda connection: connection.call(method, **args))

"""What the tests of stele.compat.kiso share: tests with an open store, and a second in which nothing happened."""

import asyncio
import os

from python.tap import test
from stele.compat import kiso

LONG_AGO = "2020-01-01 00:00:00"


def run(place, function, name="store.db"):
    """Await function(db) with a store in the directory of a test."""
    async def use():
        db = await kiso.init_db(os.path.join(place, name))
        try:
            return await asyncio.wait_for(function(db), 120)
        finally:
            await db.close()
    return asyncio.run(use())


def kiso_test(name):
    """A test with an open store."""
    def keep(function):
        @test(name)
        def _(place):
            run(place, function)
        return function
    return keep


async def values(db, sql, *parameters):
    """The first column of every row."""
    return [row[0] for row in await db.execute_fetchall(sql, parameters)]


async def age(db, table, column="updated_at"):
    """Make it look as if nothing had happened for long."""
    await db.execute(f"UPDATE {table} SET {column} = ?", (LONG_AGO,))
    await db.commit()


async def bumped(db, table):
    """Whether something happened since then."""
    return LONG_AGO not in await values(db, f"SELECT updated_at FROM {table}")


def contents(rows):
    return [row["content"] for row in rows]

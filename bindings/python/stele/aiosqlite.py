"""The interface of the aiosqlite package over stele.dbapi: a connection whose statements are awaited.

    async with stele.aiosqlite.connect("planner.db", store="planner") as db:
        async with db.execute("SELECT id FROM sessions") as cursor:
            async for row in cursor: ...

One thread per connection runs its statements, in order.  See stele.dbapi for what is like sqlite3 and what is not."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from . import dbapi
from .dbapi import (  # noqa: F401  what a program may look for here
    DatabaseError, Error, IntegrityError, NotSupportedError, OperationalError, ProgrammingError, Row, Warning)


class _Awaited:
    """What is awaited, or entered with `async with` and closed at its end."""

    def __init__(self, coroutine):
        self._coroutine = coroutine
        self._made = None

    def __await__(self):
        return self._coroutine.__await__()

    async def __aenter__(self):
        self._made = await self._coroutine
        return self._made

    async def __aexit__(self, *_):
        await self._made.close()


class Cursor:
    """Rows of a statement."""

    def __init__(self, connection, cursor):
        self._connection, self._cursor = connection, cursor

    def __aiter__(self):
        return self

    async def __anext__(self):
        row = await self.fetchone()
        if row is None:
            raise StopAsyncIteration
        return row

    async def execute(self, sql, parameters=()):
        await self._connection._run(self._cursor.execute, sql, parameters)
        return self

    async def executemany(self, sql, parameters):
        await self._connection._run(self._cursor.executemany, sql, parameters)
        return self

    async def executescript(self, script):
        await self._connection._run(self._cursor.executescript, script)
        return self

    async def fetchone(self):
        return await self._connection._run(self._cursor.fetchone)

    async def fetchmany(self, size=None):
        return await self._connection._run(self._cursor.fetchmany, size)

    async def fetchall(self):
        return await self._connection._run(self._cursor.fetchall)

    async def close(self):
        await self._connection._run(self._cursor.close)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.close()

    rowcount = property(lambda self: self._cursor.rowcount)
    lastrowid = property(lambda self: self._cursor.lastrowid)
    description = property(lambda self: self._cursor.description)
    connection = property(lambda self: self._connection)


def _passed_on(name):
    def give(self):
        return getattr(self._opened, name)

    def take(self, value):
        setattr(self._opened, name, value)
    return property(give, take)


class Connection:
    """A connection to the file of one store."""
    row_factory = _passed_on("row_factory")
    text_factory = _passed_on("text_factory")
    isolation_level = _passed_on("isolation_level")
    in_transaction = _passed_on("in_transaction")
    total_changes = _passed_on("total_changes")

    def __init__(self, make):
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="stele")
        self._make = make
        self._connection = None

    @property
    def _opened(self):
        if self._connection is None:
            raise ValueError("no active connection")
        return self._connection

    async def _run(self, function, *args):
        if self._connection is None and function is not self._make:
            raise ValueError("no active connection")
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *args)

    async def _connect(self):
        if self._connection is None:
            self._connection = await self._run(self._make)
        return self

    def __await__(self):
        return self._connect().__await__()

    async def __aenter__(self):
        return await self._connect()

    async def __aexit__(self, *_):
        await self.close()

    async def _cursor(self, function=None, *args):
        def make():
            cursor = self._opened.cursor()
            return getattr(cursor, function)(*args) if function else cursor
        return Cursor(self, await self._run(make))

    def cursor(self):
        return _Awaited(self._cursor())

    def execute(self, sql, parameters=()):
        return _Awaited(self._cursor("execute", sql, parameters))

    def executemany(self, sql, parameters):
        return _Awaited(self._cursor("executemany", sql, parameters))

    def executescript(self, script):
        return _Awaited(self._cursor("executescript", script))

    def execute_fetchall(self, sql, parameters=()):
        async def rows():
            async with self.execute(sql, parameters) as cursor:
                return await cursor.fetchall()
        return rows()

    def execute_insert(self, sql, parameters=()):
        async def last():
            async with self.execute(sql, parameters) as cursor:
                return (cursor.lastrowid,) if cursor.lastrowid is not None else None
        return last()

    async def call(self, method, /, **args):
        """Call a method of the library on this connection, as part of its transaction if it has one."""
        return await self._run(lambda: self._opened.call(method, **args))

    async def run(self, work):
        """Call work(connection) with the connection of stele.dbapi: no statement of another task comes in between, and
        whoever waits for it can be cancelled without leaving half of it."""
        return await self._run(lambda: work(self._opened))

    async def commit(self):
        await self._run(self._opened.commit)

    async def rollback(self):
        await self._run(self._opened.rollback)

    async def interrupt(self):
        self._opened.interrupt()

    async def close(self):
        """A second time does nothing."""
        if self._connection is not None:
            await self._run(self._connection.close)
            self._connection = None
        self._threads.shutdown(wait=False)


def connect(database, **options):
    """Open the file of a store: `await` it, or use it with `async with`.  Options as in stele.dbapi.connect()."""
    options.setdefault("check_same_thread", False)
    return Connection(lambda: dbapi.connect(database, **options))

"""Stele for asyncio: the same methods, awaited; the event loop is never blocked.

    async with stele.aio.open("demo") as db:
        await db.conversation.create_session(session_id="weather", source="cli")
        async for message in db.conversation.rows.get_messages(session_id="weather"):
            print(message["content"])

A few threads of its own make the calls, each with a handle of the library.  A call whose task is cancelled is stopped
(stele_interrupt) unless it is done before; what it wrote is then undone, as if it had failed."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

from . import Database, _library, _options
from ._handle import closed
from ._stores import STORES, AsyncStores

_interrupt = _library.function("stele_interrupt")
_LANES = 4
Row = TypeVar("Row")


class _Lane:
    """One thread with one handle."""

    def __init__(self, options):
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="stele")
        self._options = options
        self._db = None
        self._guard = threading.Lock()
        self._abandoned = False  # the call under way is not wanted any more

    def _work(self, function, args):
        with self._guard:
            if self._abandoned:
                self._abandoned = False
                raise asyncio.CancelledError
            if self._db is None:
                self._db = Database(*self._options)
        return function(self._db, *args)

    def _abandon(self):
        """Stop the call under way, or keep one that has not begun from beginning."""
        with self._guard:
            self._abandoned = True
            handle = self._db._handles if self._db is not None else ()
            for each in list(handle):
                if each.alive:
                    _interrupt(each.db)

    async def run(self, function, *args):
        """function(database, *args), on the lane's thread.  Not left before it has ended: the lane is then free."""
        future = asyncio.get_running_loop().run_in_executor(self._threads, self._work, function, args)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            self._abandon()
            while not future.done():
                try:
                    await asyncio.wait([future])
                except asyncio.CancelledError:
                    continue  # it is being stopped already
            if not future.cancelled():
                future.exception()  # nobody asks for it any more
            raise
        finally:
            self._abandoned = False

    def close(self):
        if self._db is not None:
            self._threads.submit(self._db.close).result()
        self._threads.shutdown()


class AsyncRows(Generic[Row]):
    """The rows of a call, read as they are asked for.  Occupies a thread until it is read to its end or closed."""

    def __init__(self, db, wire, args, blobs):
        self._lanes, self._what = db, (wire, args, blobs)
        self._lane = self._rows = None
        self._ended = False

    def __aiter__(self) -> "AsyncRows[Row]":
        return self

    async def __anext__(self) -> Row:
        if self._ended:
            raise StopAsyncIteration
        if self._lane is None:
            self._lane = await self._lanes._take()
        try:
            if self._rows is None:
                self._rows = await self._lane.run(lambda db: db._stream(*self._what))
            row = await self._lane.run(lambda db: next(self._rows, None))
        except BaseException:
            await self.aclose()
            raise
        if row is None:
            await self.aclose()
            raise StopAsyncIteration
        return row

    async def aclose(self):
        self._ended = True
        lane, self._lane = self._lane, None
        if lane is not None:
            if self._rows is not None:
                await lane.run(lambda db: self._rows.close())
            self._lanes._give_back(lane)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.aclose()


class _Stores(AsyncStores):
    """The stores as attributes, whose methods go through _call and _stream."""

    def __init__(self):
        for name, kind in STORES.items():
            setattr(self, name, kind(self))

    async def call(self, method: str, args: dict | None = None, /, **kwargs):
        """Call a method by its name."""
        return await self._call(method.encode(), {**(args or {}), **kwargs})


class AsyncTransaction(_Stores):
    """What can be called inside a transaction: everything, as part of it."""

    def __init__(self, lane):
        super().__init__()
        self._lane = lane

    async def _call(self, wire, args):
        return await self._lane.run(Database._call, wire, args)

    def _stream(self, wire, args, blobs):
        raise TypeError("rows are not read one by one inside a transaction: await the method")


class AsyncDatabase(_Stores):
    """The stores of a home, a file or a PostgreSQL database.  Belongs to one event loop."""

    def __init__(self, path, store, options, lanes):
        super().__init__()
        made, shared = _options(path, store, options)
        count = 1 if shared else max(1, lanes)  # what is in memory is seen by one handle only
        self._all = [_Lane((made, shared)) for _ in range(count)]
        self._free = asyncio.LifoQueue()  # the lane used last has its files open
        for lane in self._all:
            self._free.put_nowait(lane)
        self._closed = False

    async def _take(self):
        if self._closed:
            raise closed()
        return await self._free.get()

    def _give_back(self, lane):
        self._free.put_nowait(lane)

    async def _call(self, wire, args):
        lane = await self._take()
        try:
            return await lane.run(Database._call, wire, args)
        finally:
            self._give_back(lane)

    def _stream(self, wire, args, blobs):
        return AsyncRows(self, wire, args, blobs)

    @asynccontextmanager
    async def transaction(self, store: str):
        """From here to the end of the `async with`, calls on what it gives are one transaction: all or nothing."""
        lane = await self._take()
        try:
            entered = await lane.run(_enter, store)
            try:
                yield AsyncTransaction(lane)
            except BaseException as error:
                await lane.run(_leave, entered, error)
                raise
            await lane.run(_leave, entered, None)
        finally:
            self._give_back(lane)

    async def aclose(self) -> None:
        """Close all, after the calls that are under way.  A second time does nothing."""
        if self._closed:
            return
        self._closed = True
        for _ in self._all:
            await self._free.get()
        loop = asyncio.get_running_loop()
        for lane in self._all:
            await loop.run_in_executor(None, lane.close)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.aclose()


def _enter(db, store):
    entered = db.transaction(store)
    entered.__enter__()
    return entered


def _leave(db, entered, error):
    if error is None:
        entered.__exit__(None, None, None)
        return
    try:
        entered.__exit__(type(error), error, error.__traceback__)
    except BaseException as raised:
        if raised is not error:
            raise


def open(path=None, *, store=None, threads=_LANES, **options) -> AsyncDatabase:  # noqa: A001
    """Open stores, as stele.open() does; threads: how many calls can be under way at once."""
    return AsyncDatabase(path, store, options, threads)

"""What the tests of stele.compat.kwasi share: tests that are played on a file and on a schema of PostgreSQL."""

import asyncio
import itertools
import os

from python.tap import test
from stele.compat import kwasi

_numbers = itertools.count(1)


def address(engine, place):
    """Of an empty database: what DATABASE_URL would say."""
    if engine == "sqlite":
        return f"sqlite:///{place}/kwasi.db"
    server = os.environ["STELE_TEST_POSTGRES"]
    return server + ("&" if "?" in server else "?") + f"schema=kwasi_{os.getpid()}_{next(_numbers)}"


def run(engine, place, function, **options):
    async def use():
        storage = await kwasi.open_storage(engine, address(engine, place), **options)
        try:
            return await asyncio.wait_for(function(storage), 120)
        finally:
            await storage.close()
    return asyncio.run(use())


def kwasi_test(name, **options):
    """A test with an open storage, on each engine."""
    def keep(function):
        for engine in ("sqlite", "postgres"):
            @test(f"{engine}: {name}")
            def _(place, engine=engine):
                run(engine, place, function, **options)
        return function
    return keep

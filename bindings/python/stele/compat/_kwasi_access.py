"""What the groups of the StoragePort's methods share: the store, the user's time zone, and how replies are told."""

import asyncio

from ..errors import ConflictError
from ._again import pauses
from ._kwasi_rows import arguments, every, one


class Access:
    def __init__(self, db, timezone="UTC"):
        self._db = db
        self._store = db.assistant
        self._timezone = timezone

    async def close(self) -> None:
        await self._db.aclose()

    async def _save(self, method, given):
        """Send a dataclass; what has an embedding is saved with it, all or nothing."""
        vector = getattr(given, "embedding", None)
        if vector is None:
            await self._db.call(f"assistant.{method}", arguments(given))
            return
        source = {"save_note": "notes", "save_interaction": "interactions", "save_read_later": "read_later"}[method]
        waits = pauses()
        while True:
            try:
                async with self._db.transaction("assistant") as inside:
                    await inside.call(f"assistant.{method}", arguments(given))
                    await inside.assistant.set_embedding(source=source, id=given.id, embedding=vector)
                return
            except ConflictError:
                pause = next(waits, None)
                if pause is None:
                    raise
            await asyncio.sleep(pause)

    async def _change(self, method, **args) -> bool:
        """Whether a row was changed."""
        reply = await self._db.call(f"assistant.{method}", arguments(args))
        return bool(reply.get("updated") or reply.get("deleted"))

    async def _one(self, kind, method, **args):
        return one(kind, await self._db.call(f"assistant.{method}", arguments(args)))

    async def _every(self, kind, method, **args):
        """Arguments that are None are left out."""
        given = {name: value for name, value in arguments(args).items() if value is not None}
        return every(kind, await self._db.call(f"assistant.{method}", given))

"""Sessions of the OpenAI Agents SDK, kept as conversations.

    from stele.compat.openai import Session

    session = Session("weather", "demo")
    result = await Runner.run(agent, "Will it rain in Lisbon?", session=session)

What the SDK gives comes back exactly and in its order, after a restart too and whichever process wrote it; and it is found,
listed and shown like every other conversation.  The SDK itself is not needed to import this."""

import asyncio

from ._openai_items import to_items, to_message
from ._opening import Opened

__all__ = ["Session"]


class Session(Opened):
    """The history of one session: the SDK's Session protocol.

    session_id        which session; it is begun with the first item
    where             a stele.Database that is open, or what stele.open() takes: a directory, a postgres:// address
    session_settings  of the SDK: its limit holds where get_items() is given none
    source            where the session runs, as lists tell it
    options           those of stele.open()"""

    def __init__(self, session_id, where=None, *, session_settings=None, source="openai-agents", **options):
        super().__init__(where, options)
        self.session_id = session_id
        self.session_settings = session_settings
        self._source = source

    async def get_items(self, limit=None):
        """The items in their order; with a limit, the last so many."""
        return await asyncio.to_thread(self._read, self._limit(limit))

    async def add_items(self, items):
        """Append items: all or none."""
        if items:
            await asyncio.to_thread(self._together, "conversation", lambda: self._append(items))

    async def pop_item(self):
        """Take the last item away and answer it; None: there is none."""
        return await asyncio.to_thread(self._together, "conversation", self._pop)

    async def clear_session(self):
        """Take all items away."""
        await asyncio.to_thread(self._db.conversation.clear_messages, session_id=self.session_id)

    def _limit(self, limit):
        settings = self.session_settings
        if limit is None and settings is not None:
            limit = settings.get("limit") if isinstance(settings, dict) else settings.limit
        return limit

    def _read(self, limit):
        if limit is None:
            return [item for row in self._rows() for item in to_items(row)]
        last = limit
        while last > 0:
            rows = self._rows(last=last)
            items = [item for row in rows for item in to_items(row)]
            if len(items) >= limit or len(rows) < last:
                return items[-limit:]
            last *= 2  # some of these messages say nothing
        return []

    def _rows(self, **narrowed):
        return self._db.conversation.get_messages(session_id=self.session_id, **narrowed)

    def _append(self, items):
        conversation = self._db.conversation
        conversation.ensure_session(session_id=self.session_id, source=self._source)
        for item in items:
            conversation.append_message(session_id=self.session_id, **to_message(item))

    def _pop(self):
        while row := self._db.conversation.pop_message(session_id=self.session_id):
            items = to_items(row)
            if items:
                self._append(items[:-1])  # of a message that stands for several, the others stay
                return items[-1]
        return None

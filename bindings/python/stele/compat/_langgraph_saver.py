"""Checkpoints of graphs, kept in the conversation store."""

import asyncio
import secrets

from ._langgraph_saver_base import WRITES_IDX_MAP, BaseCheckpointSaver, CheckpointTuple, get_checkpoint_metadata
from ._opening import Opened


class CheckpointSaver(Opened, BaseCheckpointSaver):
    """Keeps the state of graphs after each of their steps: LangGraph's protocol of checkpoint savers.

    where    a stele.Database that is open, or what stele.open() takes
    serde    how values become bytes; absent: as LangGraph does it, or, where that is not installed, JSON
    options  those of stele.open()

    The values of channels are kept once for all checkpoints in which they are the same."""

    def __init__(self, where=None, *, serde=None, **options):
        BaseCheckpointSaver.__init__(self, serde=serde)
        Opened.__init__(self, where, options)

    # ---- Reading ----

    def get_tuple(self, config):
        """The checkpoint that the configuration names, or the newest of its thread; None: there is none."""
        thread, namespace, checkpoint = _place(config)
        narrowed = {"checkpoint": checkpoint} if checkpoint else {}
        rows = self._db.conversation.list_checkpoints(thread=thread, namespace=namespace, limit=1, **narrowed)
        return self._tuple(rows[0]) if rows else None

    def list(self, config, *, filter=None, before=None, limit=None):  # noqa: A002
        """Checkpoints, newest first: of the configuration's thread or of all; filter: only those with such metadata."""
        narrowed = _narrowed(config, before)
        if limit is not None and not filter:
            narrowed["limit"] = limit
        rows = [row for row in self._db.conversation.list_checkpoints(**narrowed) if _has(row["metadata"], filter)]
        for row in rows[:limit]:
            yield self._tuple(row)

    def _tuple(self, row):
        place = {name: row[name] for name in ("thread", "namespace", "checkpoint")}
        checkpoint = self.serde.loads_typed((row["type"], row["state"]))
        values = self._db.conversation.get_checkpoint_values(**place)
        writes = self._db.conversation.get_checkpoint_writes(**place)
        return CheckpointTuple(
            config=_config(**place),
            checkpoint={**checkpoint, "channel_values": {each["channel"]: self._value(each) for each in values}},
            metadata=row["metadata"],
            parent_config=_config(**{**place, "checkpoint": row["parent"]}) if row["parent"] else None,
            pending_writes=[(each["task"], each["channel"], self._value(each)) for each in writes])

    def _value(self, row):
        return self.serde.loads_typed((row["type"], row["value"]))

    # ---- Writing ----

    def put(self, config, checkpoint, metadata, new_versions):
        """Keep a checkpoint with the values of the channels that are new in it; answers its configuration."""
        thread, namespace, parent = _place(config)
        values = checkpoint.get("channel_values") or {}
        state = {name: value for name, value in checkpoint.items() if name != "channel_values"}
        kind, written = self.serde.dumps_typed(state)
        self._db.conversation.save_checkpoint(
            thread=thread, namespace=namespace, checkpoint=checkpoint["id"], parent=parent, type=kind, state=written,
            metadata=get_checkpoint_metadata(config, metadata),
            versions={channel: str(version) for channel, version in checkpoint["channel_versions"].items()},
            values=[{"channel": channel, "version": str(version), **self._typed(values[channel])}
                    for channel, version in new_versions.items() if channel in values])
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(self, config, writes, task_id, task_path=""):
        """Keep what a task wrote, before its step is over."""
        thread, namespace, checkpoint = _place(config)
        self._db.conversation.save_checkpoint_writes(
            thread=thread, namespace=namespace, checkpoint=checkpoint, task=task_id, path=task_path,
            writes=[{"position": WRITES_IDX_MAP.get(channel, position), "channel": channel, **self._typed(value)}
                    for position, (channel, value) in enumerate(writes)])

    def delete_thread(self, thread_id):
        """Delete all checkpoints of a thread, with what belongs to them."""
        self._db.conversation.delete_checkpoints(thread=str(thread_id))

    def _typed(self, value):
        kind, written = self.serde.dumps_typed(value)
        return {"type": kind, "value": written}

    def get_next_version(self, current, channel):
        """Greater than the current version, and told from that of another branch that goes on from the same one."""
        number = int(current.split(".")[0]) if isinstance(current, str) else int(current or 0)
        return f"{number + 1:032}.{secrets.token_hex(8)}"

    # ---- The same, awaited ----

    async def aget_tuple(self, config):
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(self, config, *, filter=None, before=None, limit=None):  # noqa: A002
        found = await asyncio.to_thread(lambda: [*self.list(config, filter=filter, before=before, limit=limit)])
        for each in found:
            yield each

    async def aput(self, config, checkpoint, metadata, new_versions):
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config, writes, task_id, task_path=""):
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id):
        await asyncio.to_thread(self.delete_thread, thread_id)


def _place(config):
    """Thread, namespace and, if there is one, checkpoint of a configuration."""
    named = config["configurable"]
    return str(named["thread_id"]), named.get("checkpoint_ns") or "", named.get("checkpoint_id")


def _config(thread, namespace, checkpoint):
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint}}


def _narrowed(config, before):
    """The arguments of list_checkpoints; a namespace that is not named is any."""
    narrowed = {}
    if config is not None:
        thread, namespace, checkpoint = _place(config)
        narrowed = {"thread": thread, "checkpoint": checkpoint}
        narrowed["namespace"] = namespace if "checkpoint_ns" in config["configurable"] else None
    if before is not None:
        narrowed["before"] = before["configurable"].get("checkpoint_id")
    return {name: value for name, value in narrowed.items() if value is not None}


def _has(metadata, wanted):
    return all(metadata.get(name) == value for name, value in (wanted or {}).items())

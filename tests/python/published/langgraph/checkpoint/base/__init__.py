"""Stands for LangGraph's base of checkpoint savers."""

import pickle
from typing import Any, Generic, NamedTuple, TypeVar

V = TypeVar("V", int, float, str)
WRITES_IDX_MAP = {"__error__": -1, "__scheduled__": -2, "__interrupt__": -3, "__resume__": -4}


class CheckpointTuple(NamedTuple):
    config: dict
    checkpoint: dict
    metadata: dict
    parent_config: dict | None = None
    pending_writes: list | None = None


class AnyObject:
    """A serializer that takes everything, as LangGraph's does."""

    def dumps_typed(self, value: Any):
        return "pickle", pickle.dumps(value)

    def loads_typed(self, typed):
        kind, data = typed
        assert kind == "pickle"
        return pickle.loads(data)


class BaseCheckpointSaver(Generic[V]):
    serde = AnyObject()

    def __init__(self, *, serde=None):
        self.serde = serde or self.serde

    @property
    def config_specs(self):
        return []

    def get(self, config):
        found = self.get_tuple(config)
        return found.checkpoint if found else None

    async def aget(self, config):
        found = await self.aget_tuple(config)
        return found.checkpoint if found else None

    def copy_thread(self, source_thread_id, target_thread_id):
        raise NotImplementedError


def get_checkpoint_metadata(config, metadata):
    own = {"thread_id", "checkpoint_id", "checkpoint_ns"}
    more = {**(config.get("metadata") or {}), **config["configurable"]}
    return {**{name: value for name, value in more.items() if name not in own and not name.startswith("__")}, **metadata}

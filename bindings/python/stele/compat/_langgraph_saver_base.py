"""What a checkpoint saver is made of: LangGraph's own, or, where that is not installed, what stands for it."""

import json
from typing import Any, NamedTuple

try:
    from langgraph.checkpoint.base import WRITES_IDX_MAP, BaseCheckpointSaver, CheckpointTuple
except ImportError:
    WRITES_IDX_MAP = {"__error__": -1, "__scheduled__": -2, "__interrupt__": -3, "__resume__": -4}

    class CheckpointTuple(NamedTuple):
        """A checkpoint with all that belongs to it."""
        config: dict
        checkpoint: dict
        metadata: dict
        parent_config: dict | None = None
        pending_writes: list[tuple[str, str, Any]] | None = None

    class _Serializer:
        """Values as JSON; bytes as they are."""

        def dumps_typed(self, value):
            if isinstance(value, (bytes, bytearray)):
                return "bytes", bytes(value)
            return "json", json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

        def loads_typed(self, typed):
            kind, data = typed
            if kind not in ("bytes", "json"):
                raise ValueError(f"a value written as {kind} is read with langgraph installed, or with its serializer")
            return data if kind == "bytes" else json.loads(data)

    class BaseCheckpointSaver:
        """What every saver has."""
        serde = _Serializer()

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

try:
    from langgraph.checkpoint.base import get_checkpoint_metadata
except ImportError:
    def get_checkpoint_metadata(config, metadata):
        return {**(config.get("metadata") or {}), **metadata}

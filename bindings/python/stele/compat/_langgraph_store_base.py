"""What a store of LangGraph is made of: its own classes, or, where it is not installed, what stands for them."""

from datetime import datetime
from typing import Any, NamedTuple

try:
    from langgraph.store.base import (BaseStore, GetOp, InvalidNamespaceError, Item, ListNamespacesOp, MatchCondition, PutOp,
                                      SearchItem, SearchOp)
except ImportError:
    class InvalidNamespaceError(ValueError):
        """A namespace that cannot be one."""

    class Item:
        """What is kept under a key."""

        def __init__(self, *, value: dict, key: str, namespace: tuple, created_at: datetime, updated_at: datetime):
            self.value, self.key, self.namespace = value, key, tuple(namespace)
            self.created_at, self.updated_at = created_at, updated_at

        def dict(self):
            return {"namespace": list(self.namespace), "key": self.key, "value": self.value,
                    "created_at": self.created_at.isoformat(), "updated_at": self.updated_at.isoformat()}

        def __eq__(self, other):
            return isinstance(other, Item) and self.dict() == other.dict()

        def __hash__(self):
            return hash((self.namespace, self.key))

        def __repr__(self):
            return f"{type(self).__name__}({self.dict()!r})"

    class SearchItem(Item):
        """The same, found by a search; score: the greater the better, None where nothing was asked."""

        def __init__(self, *, score: float | None = None, **item):
            super().__init__(**item)
            self.score = score

    class GetOp(NamedTuple):
        namespace: tuple
        key: str
        refresh_ttl: bool = True

    class SearchOp(NamedTuple):
        namespace_prefix: tuple
        filter: dict | None = None
        limit: int = 10
        offset: int = 0
        query: str | None = None
        refresh_ttl: bool = True

    class PutOp(NamedTuple):
        namespace: tuple
        key: str
        value: dict | None
        index: Any = None
        ttl: float | None = None

    class MatchCondition(NamedTuple):
        match_type: str
        path: tuple

    class ListNamespacesOp(NamedTuple):
        match_conditions: tuple | None = None
        max_depth: int | None = None
        limit: int = 100
        offset: int = 0

    def _conditions(prefix, suffix):
        named = ("prefix", prefix), ("suffix", suffix)
        return tuple(MatchCondition(kind, tuple(path)) for kind, path in named if path)

    class BaseStore:
        """Every operation is a batch of one."""

        def get(self, namespace, key, *, refresh_ttl=True):
            return self.batch([GetOp(namespace, key, refresh_ttl)])[0]

        def search(self, namespace_prefix, /, *, query=None, filter=None, limit=10, offset=0, refresh_ttl=True):  # noqa: A002
            return self.batch([SearchOp(namespace_prefix, filter, limit, offset, query, refresh_ttl)])[0]

        def put(self, namespace, key, value, index=None, *, ttl=None):
            self.batch([PutOp(namespace, key, value, index, ttl)])

        def delete(self, namespace, key):
            self.batch([PutOp(namespace, key, None)])

        def list_namespaces(self, *, prefix=None, suffix=None, max_depth=None, limit=100, offset=0):
            return self.batch([ListNamespacesOp(_conditions(prefix, suffix), max_depth, limit, offset)])[0]

        async def aget(self, namespace, key, *, refresh_ttl=True):
            return (await self.abatch([GetOp(namespace, key, refresh_ttl)]))[0]

        async def asearch(self, namespace_prefix, /, *, query=None, filter=None, limit=10, offset=0,  # noqa: A002
                          refresh_ttl=True):
            return (await self.abatch([SearchOp(namespace_prefix, filter, limit, offset, query, refresh_ttl)]))[0]

        async def aput(self, namespace, key, value, index=None, *, ttl=None):
            await self.abatch([PutOp(namespace, key, value, index, ttl)])

        async def adelete(self, namespace, key):
            await self.abatch([PutOp(namespace, key, None)])

        async def alist_namespaces(self, *, prefix=None, suffix=None, max_depth=None, limit=100, offset=0):
            return (await self.abatch([ListNamespacesOp(_conditions(prefix, suffix), max_depth, limit, offset)]))[0]

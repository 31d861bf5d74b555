"""Stands for LangGraph's base of stores."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple


class InvalidNamespaceError(ValueError):
    pass


class Item:
    __slots__ = ("value", "key", "namespace", "created_at", "updated_at")

    def __init__(self, *, value, key, namespace, created_at, updated_at):
        self.value, self.key, self.namespace = value, key, tuple(namespace)
        self.created_at, self.updated_at = created_at, updated_at


class SearchItem(Item):
    __slots__ = ("score",)

    def __init__(self, namespace, key, value, created_at, updated_at, score=None):
        super().__init__(value=value, key=key, namespace=namespace, created_at=created_at, updated_at=updated_at)
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


class BaseStore(ABC):
    supports_ttl = False
    ttl_config = None
    __slots__ = ("__weakref__",)

    @abstractmethod
    def batch(self, ops): ...

    @abstractmethod
    async def abatch(self, ops): ...

    def get(self, namespace, key, *, refresh_ttl=None):
        return self.batch([GetOp(namespace, str(key), refresh_ttl is not False)])[0]

    def search(self, namespace_prefix, /, *, query=None, filter=None, limit=10, offset=0, refresh_ttl=None):  # noqa: A002
        return self.batch([SearchOp(namespace_prefix, filter, limit, offset, query, refresh_ttl is not False)])[0]

    def put(self, namespace, key, value, index=None, *, ttl=None):
        if ttl is not None and not self.supports_ttl:
            raise NotImplementedError("no time to live")
        self.batch([PutOp(namespace, str(key), value, index=index, ttl=ttl)])

    def delete(self, namespace, key):
        self.batch([PutOp(namespace, str(key), None, ttl=None)])

    def list_namespaces(self, *, prefix=None, suffix=None, max_depth=None, limit=100, offset=0):
        named = ("prefix", prefix), ("suffix", suffix)
        conditions = tuple(MatchCondition(kind, path) for kind, path in named if path)
        return self.batch([ListNamespacesOp(conditions, max_depth, limit, offset)])[0]

    async def aget(self, namespace, key, *, refresh_ttl=None):
        return (await self.abatch([GetOp(namespace, str(key), refresh_ttl is not False)]))[0]

    async def aput(self, namespace, key, value, index=None, *, ttl=None):
        await self.abatch([PutOp(namespace, str(key), value, index=index, ttl=ttl)])

"""What agents keep for all of their conversations, as items of the assistant store."""

import asyncio
from datetime import datetime, timedelta, timezone

from ._langgraph_matching import fits, matches, texts
from ._langgraph_store_base import (BaseStore, GetOp, InvalidNamespaceError, Item, ListNamespacesOp, PutOp, SearchItem,
                                    SearchOp)
from ._opening import Opened

_ALL = 2**62   # more than there are
_PAGE = 200    # hits of a search that are looked at together


class Store(Opened, BaseStore):
    """Keeps values under keys in namespaces: LangGraph's protocol of stores.

    where       a stele.Database that is open, or what stele.open() takes
    fields      what of values is searched, as paths; None: all texts.  PutOp.index says it for one value
    ttl_config  default_ttl and refresh_on_read, which LangGraph's base class reads
    options     those of stele.open()

    A search with a query finds by words, and by meaning where an embedder is configured."""

    supports_ttl = True

    def __init__(self, where=None, *, fields=None, ttl_config=None, **options):
        self._fields = fields
        self.ttl_config = ttl_config
        Opened.__init__(self, where, options)

    def batch(self, ops):
        """Carry out operations: what is read is what was there before; what is written, all or none."""
        ops = list(ops)
        results = [None if isinstance(op, PutOp) else self._read(op) for op in ops]
        writes = {(_joined(op.namespace), op.key): op for op in ops if isinstance(op, PutOp)}
        if writes:
            self._together("assistant", lambda: [self._write(*place, op) for place, op in writes.items()])
        return results

    async def abatch(self, ops):
        """The same, awaited."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Delete what has expired; answers how much that was.  It is not found before that either."""
        return self._db.assistant.sweep_items()["deleted"]

    # ---- Writing ----

    def _write(self, namespace, key, op):
        assistant = self._db.assistant
        if op.value is None:
            assistant.delete_item(namespace=namespace, key=key)
            return
        ttl = getattr(op, "ttl", None)
        assistant.put_item(namespace=namespace, key=key, value=op.value, text=self._text(op), **_lasting(ttl))
        if ttl is not None:
            self.sweep_ttl()

    def _text(self, op):
        if op.index is False:
            return ""
        return texts(op.value, self._fields if op.index is None else op.index)

    # ---- Reading ----

    def _read(self, op):
        if isinstance(op, GetOp):
            row = self._db.assistant.get_item(namespace=_joined(op.namespace), key=op.key)
            self._renew([row] if row else [], op)
            return Item(**_item(row)) if row else None
        if isinstance(op, SearchOp):
            found = self._asked(op) if op.query else self._listed(op)
            self._renew([row for row, _ in found], op)
            return [SearchItem(**_item(row), score=score) for row, score in found]
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise ValueError(f"a store has no operation {type(op).__name__}")

    def _renew(self, rows, op):
        for row in rows:
            if row["ttl"] is not None and getattr(op, "refresh_ttl", True):
                self._db.assistant.renew_item(id=row["id"], expires_at=_in(row["ttl"]))

    def _listed(self, op):
        """Items, those that were written last first."""
        inside = {"namespace": _joined(op.namespace_prefix)} if op.namespace_prefix else {}
        if not op.filter:
            rows = self._db.assistant.list_items(**inside, limit=op.limit, offset=op.offset)
        else:
            rows = [row for row in self._db.assistant.list_items(**inside, limit=_ALL) if fits(row["value"], op.filter)]
            rows = rows[op.offset:op.offset + op.limit]
        return [(row, None) for row in rows]

    def _asked(self, op):
        """Items that a query finds, best first, with their scores."""
        narrowed = {"stores": ["assistant"], "kinds": ["item"]}
        if op.namespace_prefix:
            inside = self._db.assistant.list_item_namespaces(namespace=_joined(op.namespace_prefix))
            narrowed["projects"] = [row["namespace"] for row in inside]
        found, seen = [], 0
        while len(found) < op.offset + op.limit:
            hits = self._db.recall.search(query=op.query, **narrowed, limit=_PAGE, offset=seen)
            found += self._rows(hits, op.filter)
            seen += len(hits)
            if len(hits) < _PAGE:
                break
        return found[op.offset:op.offset + op.limit]

    def _rows(self, hits, wanted):
        """The items of hits, as far as they are still there and as the filter wants them."""
        numbers = [int(hit["id"]) for hit in hits]
        rows = {row["id"]: row for row in self._db.assistant.list_items(ids=numbers, limit=len(numbers))}
        found = [(rows.get(int(hit["id"])), hit["score"]) for hit in hits]
        return [(row, score) for row, score in found if row and fits(row["value"], wanted or {})]

    def _namespaces(self, op):
        rows = self._db.assistant.list_item_namespaces()
        found = [tuple(row["namespace"].split(".")) for row in rows]
        found = [each for each in found if all(matches(each, condition) for condition in op.match_conditions or ())]
        return sorted({each[:op.max_depth] for each in found})[op.offset:op.offset + op.limit]


def _joined(namespace):
    """A namespace as it is kept."""
    for label in namespace:
        if not isinstance(label, str) or not label or "." in label:
            raise InvalidNamespaceError(f"a label of a namespace is a text, not empty and without periods: {label!r} in {namespace!r}")
    if not namespace:
        raise InvalidNamespaceError("a namespace has at least one label")
    return ".".join(namespace)


def _in(seconds):
    return datetime.now(timezone.utc) + timedelta(seconds=seconds)


def _lasting(minutes):
    return {} if minutes is None else {"ttl": minutes * 60, "expires_at": _in(minutes * 60)}


def _item(row):
    return {"namespace": tuple(row["namespace"].split(".")), "key": row["key"], "value": row["value"],
            "created_at": datetime.fromisoformat(row["created_at"]), "updated_at": datetime.fromisoformat(row["updated_at"])}

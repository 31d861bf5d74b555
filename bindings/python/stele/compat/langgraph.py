"""State of LangGraph, kept by Stele: checkpoints of graphs, and what agents keep for all of their conversations.

    from stele.compat.langgraph import CheckpointSaver, Store

    with CheckpointSaver("demo") as saver, Store("demo") as store:
        graph = builder.compile(checkpointer=saver, store=store)
        graph.invoke({"question": "Will it rain?"}, {"configurable": {"thread_id": "weather"}})

With langgraph installed they are subclasses of its BaseCheckpointSaver and BaseStore; this module is imported without it as
well, and has small classes of its own then that stand for the ones they work with."""

from ._langgraph_saver import CheckpointSaver
from ._langgraph_saver_base import CheckpointTuple
from ._langgraph_store import Store
from ._langgraph_store_base import (GetOp, InvalidNamespaceError, Item, ListNamespacesOp, MatchCondition, PutOp, SearchItem,
                                    SearchOp)

__all__ = ["CheckpointSaver", "CheckpointTuple", "GetOp", "InvalidNamespaceError", "Item", "ListNamespacesOp", "MatchCondition",
           "PutOp", "SearchItem", "SearchOp", "Store"]

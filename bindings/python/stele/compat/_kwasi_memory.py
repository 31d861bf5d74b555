"""StoragePort: exchanges, context, facts, learnings and intentions."""

from ._kwasi_access import Access
from ._kwasi_models import AgentLearning, Interaction, PendingIntention, UserContext, UserFact
from ._kwasi_rows import utc


class Memory(Access):
    # Exchanges

    async def save_interaction(self, interaction: Interaction) -> None:
        await self._save("save_interaction", interaction)

    async def get_interactions(self, limit: int = 50) -> list[Interaction]:
        return await self._every(Interaction, "get_interactions", limit=limit)

    async def get_interactions_by_user(self, user_id: str, limit: int = 20) -> list[Interaction]:
        return await self._every(Interaction, "get_interactions_by_user", user_id=user_id, limit=limit)

    async def get_interactions_since(self, since) -> list[Interaction]:
        return await self._every(Interaction, "get_interactions_since", since=since)

    async def get_interactions_by_ids(self, ids: list[str]) -> list[Interaction]:
        return await self._every(Interaction, "get_interactions_by_ids", ids=list(ids))

    async def search_interactions(self, query: str, limit: int = 10) -> list[Interaction]:
        return await self._every(Interaction, "search_interactions", query=query, limit=limit)

    # Context

    async def get_context(self, user_id: str) -> UserContext | None:
        return await self._one(UserContext, "get_context", user_id=user_id)

    async def save_context(self, context: UserContext) -> None:
        await self._save("save_context", context)

    async def set_runtime_config(self, field: str, value: str) -> None:
        await self._store.set_runtime_config(field=field, value=value)

    async def load_overrides(self) -> dict[str, str]:
        return {row["field"]: row["value"] for row in await self._store.load_overrides()}

    async def record_heartbeat(self, loop: str, status: str = "ok", detail: str = "") -> None:
        await self._store.record_heartbeat(loop=loop, status=status, detail=detail)

    async def list_heartbeats(self) -> list[dict]:
        return await self._store.list_heartbeats()

    async def mark_once(self, key: str, content: str | None = None) -> bool:
        given = {} if content is None else {"content": content}
        return (await self._store.mark_once(key=key, **given))["first"]

    async def consume_context(self, key: str) -> str | None:
        row = await self._store.consume_context(key=key)
        return row and row["content"]

    async def prune_context(self, prefix: str, days: int) -> int:
        return len(await self._store.prune_context(prefix=prefix, days=days))

    # Facts about the user

    async def save_user_fact(self, fact: UserFact) -> None:
        await self._save("save_user_fact", fact)

    async def get_user_fact(self, key: str) -> UserFact | None:
        return await self._one(UserFact, "get_user_fact", key=key)

    async def get_all_user_facts(self) -> list[UserFact]:
        return await self._every(UserFact, "get_all_user_facts")

    async def search_user_facts(self, query: str) -> list[UserFact]:
        return await self._every(UserFact, "search_user_facts", query=query)

    async def delete_user_fact(self, key: str) -> bool:
        return await self._change("delete_user_fact", key=key)

    async def decay_user_facts(self) -> list[str]:
        return [row["key"] for row in await self._store.decay_user_facts()]

    # Learnings

    async def save_agent_learning(self, learning: AgentLearning) -> None:
        """Kept once; seen again it counts, and is active from the second time on."""
        await self._store.save_agent_learning(id=learning.id, rule=learning.rule, category=learning.category, now=utc(learning.last_seen))

    async def get_agent_learnings(self, status: str | None = None) -> list[AgentLearning]:
        return await self._every(AgentLearning, "get_agent_learnings", status=status)

    async def delete_agent_learning(self, learning_id: str) -> bool:
        return await self._change("delete_agent_learning", id=learning_id)

    # Intentions

    async def create_intention(self, intention: PendingIntention) -> None:
        await self._save("create_intention", intention)

    async def list_intentions(self, status: str | None = None) -> list[PendingIntention]:
        return await self._every(PendingIntention, "list_intentions", status=status)

    async def get_due_intentions(self) -> list[PendingIntention]:
        return await self._every(PendingIntention, "get_due_intentions")

    async def update_intention(self, intention_id: str, **kwargs) -> bool:
        return await self._change("update_intention", id=intention_id, **kwargs)

    async def count_followups_today(self) -> int:
        return (await self._store.count_followups_today(timezone=self._timezone))["followups"]

"""The whole StoragePort."""

from ._kwasi_lists import Lists
from ._kwasi_memory import Memory
from ._kwasi_models import SemanticSearchResult, VaultEntry
from ._kwasi_work import Work


class StoragePort(Memory, Lists, Work):
    """Every method of the original's protocol, on one database."""

    # Finding by meaning

    async def semantic_search(self, embedding: list[float], sources: list[str] | None = None,
                              limit: int = 5) -> list[SemanticSearchResult]:
        if not embedding:
            return []
        return await self._every(SemanticSearchResult, "semantic_search", embedding=list(embedding), sources=sources, limit=limit)

    async def hybrid_search(self, query: str, embedding: list[float] | None = None, sources: list[str] | None = None,
                            limit: int = 5) -> list[SemanticSearchResult]:
        return await self._every(SemanticSearchResult, "hybrid_search", query=query, embedding=embedding, sources=sources,
                                 limit=limit)

    async def list_unembedded(self, source: str, limit: int = 100) -> list[dict]:
        return await self._store.list_unembedded(source=source, limit=limit)

    async def set_embedding(self, source: str, item_id: str, embedding: list[float]) -> bool:
        return await self._change("set_embedding", source=source, id=item_id, embedding=list(embedding))

    # The vault: what is encrypted stays so

    async def save_vault_entry(self, entry: VaultEntry) -> None:
        await self._save("save_vault_entry", entry)

    async def get_vault_entry(self, service: str) -> VaultEntry | None:
        return await self._one(VaultEntry, "get_vault_entry", service=service)

    async def list_vault_services(self) -> list[str]:
        return [row["service"] for row in await self._store.list_vault_services()]

    async def list_vault_meta(self) -> list[dict]:
        return await self._store.list_vault_meta()

    # SQL

    async def raw_sql_query(self, sql: str, params=(), limit: int = 1000) -> list[dict]:
        told = await self._store.raw_sql_query(sql=sql, params=list(params), limit=limit)
        return [dict(zip(told["columns"], row)) for row in told["rows"]]

    async def raw_sql_execute(self, sql: str, params=()) -> int:
        return (await self._store.raw_sql_execute(sql=sql, params=list(params)))["changed"]

    async def raw_sql_dryrun(self, sql: str, params=()) -> int:
        return (await self._store.raw_sql_dryrun(sql=sql, params=list(params)))["changed"]

    async def describe_schema(self) -> str:
        return (await self._store.describe_schema())["schema"]

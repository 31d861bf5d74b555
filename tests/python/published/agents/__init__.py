"""Stands for the OpenAI Agents SDK: the protocol of its sessions, and a runner that uses them as it does."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass
class SessionSettings:
    limit: int | None = None


@runtime_checkable
class Session(Protocol):
    session_id: str
    session_settings: SessionSettings | None

    async def get_items(self, limit: int | None = None) -> list: ...
    async def add_items(self, items: list) -> None: ...
    async def pop_item(self): ...
    async def clear_session(self) -> None: ...


class Runner:
    """Gives an agent the history with the new input, and keeps what was said."""

    @staticmethod
    async def run(agent, text, session):
        asked = {"role": "user", "content": text}
        answered = agent([*await session.get_items(), asked])
        await session.add_items([asked, *answered])
        return answered[-1]

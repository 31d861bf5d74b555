"""Stands for the memory tool of the anthropic package."""

from abc import ABC, abstractmethod
from types import SimpleNamespace


class ToolError(Exception):
    pass


class BetaBuiltinFunctionTool(ABC):
    @abstractmethod
    def to_dict(self): ...

    @abstractmethod
    def call(self, input): ...  # noqa: A002

    @property
    def name(self):
        return self.to_dict()["name"]


class BetaAbstractMemoryTool(BetaBuiltinFunctionTool):
    def __init__(self, *, cache_control=None):
        super().__init__()
        self._cache_control = cache_control

    def to_dict(self):
        return {"type": "memory_20250818", "name": "memory"}

    def call(self, input):  # noqa: A002
        return self.execute(SimpleNamespace(**input))

    def execute(self, command):
        return getattr(self, command.command)(command)

    @abstractmethod
    def view(self, command): ...

    @abstractmethod
    def create(self, command): ...

    @abstractmethod
    def str_replace(self, command): ...

    @abstractmethod
    def insert(self, command): ...

    @abstractmethod
    def delete(self, command): ...

    @abstractmethod
    def rename(self, command): ...

    def clear_all_memory(self):
        raise NotImplementedError


def run_tools(tools, blocks):
    """Carries out tool_use blocks as the package's runner does, and answers the tool_result of each."""
    named = {tool.to_dict()["name"]: tool for tool in tools}
    results = []
    for block in blocks:
        result = {"type": "tool_result", "tool_use_id": block["id"]}
        try:
            result["content"] = named[block["name"]].call(block["input"])
        except ToolError as error:
            result |= {"content": str(error), "is_error": True}
        results.append(result)
    return results

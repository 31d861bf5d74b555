"""The memory tool of Claude, whose files below /memories are kept by Stele.

    from stele.compat.claude import MemoryTool

    memory = MemoryTool("demo")
    client.beta.messages.run_tools(model=..., messages=..., tools=[memory], ...)

With the anthropic package it is one of its memory tools (BetaAbstractMemoryTool); without it, memory.call(block.input) carries
out what the model asks for, and answers the text for its tool_result.  What cannot be done raises ToolError, whose text the
model is to see.  The same files are there for every agent that has `stele mcp`, and are found by recall."""

import re

from ..errors import StatusError
from ._opening import Opened

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool as _Tool
except ImportError:
    _Tool = object
try:
    from anthropic.lib.tools import ToolError
except ImportError:
    class ToolError(Exception):
        """A command that could not be carried out, in words for the model."""

__all__ = ["MemoryTool", "ToolError"]

_COMMANDS = {"view": ("path", "view_range"), "create": ("path", "file_text"), "str_replace": ("path", "old_str", "new_str"),
             "insert": ("path", "insert_line", "insert_text"), "delete": ("path",), "rename": ("old_path", "new_path")}


class MemoryTool(Opened, _Tool):
    """The six commands of the memory tool.

    where          a stele.Database that is open, or what stele.open() takes
    cache_control  is told to the model's interface with the tool
    options        those of stele.open()"""
    name = "memory"

    def __init__(self, where=None, *, cache_control=None, **options):
        if _Tool is not object:
            _Tool.__init__(self, cache_control=cache_control)
        self._cache_control = cache_control
        Opened.__init__(self, where, options)

    def to_dict(self) -> dict:
        """The tool as a request names it."""
        control = {} if self._cache_control is None else {"cache_control": self._cache_control}
        return {"type": "memory_20250818", "name": self.name, **control}

    def call(self, input) -> str:  # noqa: A002
        """Carry out what a tool_use block has as its input."""
        return self.execute(input)

    def execute(self, command) -> str:
        """Carry out a command: an object of the anthropic package, or a dict."""
        name = _field(command, "command")
        if name not in _COMMANDS:
            raise ToolError(f"Unknown command: {name}")
        return getattr(self, name)(command)

    def view(self, command) -> str:
        return self._run("view", command)

    def create(self, command) -> str:
        return self._run("create", command)

    def str_replace(self, command) -> str:
        return self._run("str_replace", command)

    def insert(self, command) -> str:
        return self._run("insert", command)

    def delete(self, command) -> str:
        return self._run("delete", command)

    def rename(self, command) -> str:
        return self._run("rename", command)


    def _run(self, name, command):
        given = {field: _field(command, field) for field in _COMMANDS[name]}
        method = getattr(self._db.server, "memory_" + name)
        try:
            return method(**{field: value for field, value in given.items() if value is not None})["text"]
        except StatusError as error:
            raise ToolError(_told(error)) from error


def _field(command, name):
    return command.get(name) if isinstance(command, dict) else getattr(command, name, None)


def _told(error):
    """What went wrong, without the method and the parameter, of which the model knows nothing."""
    text = re.sub(r"^server\.memory_(?:\w+: )?", "", error.message)
    text = re.sub(r"^new_path: File (.*) already exists$", r"The destination \1 already exists", text)
    return re.sub(r"^(path|new_path): ", "", text)

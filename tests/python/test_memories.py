#!/usr/bin/env python3
"""stele.compat.claude carries out the commands of Claude's memory tool, on both engines.  Prints TAP."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.adapter import STEPS, each_engine, finished, killed_on_its_way, opened, python, with_published  # noqa: E402
from python.tap import main, raises, same, test  # noqa: E402

with_published()
from anthropic.lib import tools  # noqa: E402
from stele.compat.claude import MemoryTool, ToolError  # noqa: E402

NUMBERED = "Here's the content of /memories/a.md with line numbers:\n"


@each_engine(test, "the six commands")
def _(where):
    with MemoryTool(**where) as memory:
        def call(command, path="/memories/a.md", **more):
            return memory.call({"command": command, "path": path, **more})
        same(call("create", file_text="tea: green\ncoffee: none\n"), "File created successfully at: /memories/a.md")
        same(call("view"), NUMBERED + "     1\ttea: green\n     2\tcoffee: none")
        same(call("view", view_range=[2, -1]), NUMBERED + "     2\tcoffee: none")
        same(call("str_replace", old_str="none", new_str="black").split("\n")[0],
             "The memory file has been edited. Here's the result around the change:")
        same(call("insert", insert_line=0, insert_text="# Drinks\n").split(".")[0], "The file /memories/a")
        same(call("view"), NUMBERED + "     1\t# Drinks\n     2\ttea: green\n     3\tcoffee: black")
        same(memory.call({"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/d/b.md"}),
             "Successfully renamed /memories/a.md to /memories/d/b.md")
        same(call("view", "/memories"), "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items "
             "and node_modules:\n34B\t/memories\n34B\t/memories/d\n34B\t/memories/d/b.md")
        same(call("delete", "/memories/d"), "Successfully deleted /memories/d")


@each_engine(test, "what cannot be done is told in the words that the model knows")
def _(where):
    with MemoryTool(**where) as memory:
        def fails(text, command, path="/memories/a.md", **more):
            raises(tools.ToolError, memory.call, {"command": command, "path": path, **more}, says=text)
        memory.call({"command": "create", "path": "/memories/a.md", "file_text": "a\na\n"})
        memory.call({"command": "create", "path": "/memories/b.md", "file_text": ""})
        fails("File /memories/a.md already exists", "create", file_text="")
        fails("The path /memories/c.md does not exist. Please provide a valid path.", "view", "/memories/c.md")
        fails("No replacement was performed, old_str `x` did not appear verbatim in /memories/a.md.", "str_replace", old_str="x", new_str="")
        fails("No replacement was performed. Multiple occurrences of old_str", "str_replace", old_str="a", new_str="")
        fails("Invalid `insert_line` parameter: 3.", "insert", insert_line=3, insert_text="")
        fails("The destination /memories/b.md already exists", "rename", old_path="/memories/a.md", new_path="/memories/b.md")
        fails("path must be something in /memories", "delete", "/memories")
        for path in ("/etc/passwd", "/memories/../etc/passwd", "/memories/%2e%2e/x", "memories/a.md"):
            fails("/memories", "view", path)
        fails("create needs file_text", "create", "/memories/c.md")
        fails("Unknown command: fly", "fly")
        same(str(raises(ToolError, memory.call, {"command": "view", "path": "/memories/c"})),
             "The path /memories/c does not exist. Please provide a valid path.")


@test("it is one of the package's memory tools, and its runner's results are the tool's")
def _(place):
    with MemoryTool(place, cache_control={"type": "ephemeral"}) as memory:
        same(isinstance(memory, tools.BetaAbstractMemoryTool), True)
        same(memory.to_dict(), {"type": "memory_20250818", "name": "memory", "cache_control": {"type": "ephemeral"}})
        same(memory.name, "memory")
        asked = [{"command": "create", "path": "/memories/x", "file_text": "1"}, {"command": "view", "path": "/memories/y"}]
        results = tools.run_tools([memory], [{"id": str(number), "name": "memory", "input": each} for number, each in enumerate(asked)])
        same([(each["tool_use_id"], each.get("is_error", False)) for each in results], [("0", False), ("1", True)])
        same(results[0]["content"], "File created successfully at: /memories/x")


@each_engine(test, "the files are those of every other door, and are found")
def _(where):
    with MemoryTool(**where) as memory, opened(where) as db:
        memory.call({"command": "create", "path": "/memories/tea.md", "file_text": "Sencha at 70 degrees"})
        same(db.server.memory_view(path="/memories/tea.md")["kind"], "file")
        same([hit["id"] for hit in db.recall.search(query="sencha")], ["/memories/tea.md"])


AGENT = """
import json, sys
from stele.compat.claude import MemoryTool, ToolError

def work(memory, steps):
    try:
        done = len(memory.call({"command": "view", "path": "/memories/log.md"}).split("\\n")) - 1
    except ToolError:
        memory.call({"command": "create", "path": "/memories/log.md", "file_text": "step 1\\n"})
        print(1, flush=True)
        done = 1
    for step in range(done + 1, steps + 1):
        memory.call({"command": "insert", "path": "/memories/log.md", "insert_line": step - 1, "insert_text": f"step {step}\\n"})
        print(step, flush=True)

with MemoryTool(**json.loads(sys.argv[1])) as memory:
    work(memory, int(sys.argv[2]))
"""


@each_engine(test, "an agent that is killed goes on where it was")
def _(where):
    told = killed_on_its_way(AGENT, where)
    same(len(told), len(set(told)))
    with MemoryTool(**where) as memory:
        lines = memory.call({"command": "view", "path": "/memories/log.md"}).split("\n")[1:]
    same([line.split("\t")[1] for line in lines], [f"step {number + 1}" for number in range(STEPS)])


@test("it is imported and used without the package")
def _(place):
    program = """
import sys
sys.modules["anthropic"] = None
from stele.compat.claude import MemoryTool, ToolError
with MemoryTool(sys.argv[1]) as memory:
    memory.call({"command": "create", "path": "/memories/a", "file_text": "1"})
    try:
        memory.call({"command": "create", "path": "/memories/a", "file_text": "2"})
    except ToolError as error:
        print(str(error).split()[-1])
"""
    same(finished(python(program, place, published=False)), ["exists"])


main()

#!/usr/bin/env python3
"""The Model Context Protocol over standard input and output, in both eras.  Prints TAP."""

import json
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import has, lacks, main, same, test  # noqa: E402
from mcp import schema  # noqa: E402
from mcp.client import LEGACY, META, MODERN, Client  # noqa: E402

TOOLS = ["search", "timeline", "get", "sessions", "append", "memory", "runs", "plan", "tasks", "facts", "status"]
ERAS = ({"modern": True}, {"modern": False})


def fill(client, count=3, session="s1", text="message"):
    return [client.tool("append", session_id=session, role="user", content=f"{text} {number}")["message"]["id"]
            for number in range(count)]


def check_outputs(client, tools, calls):
    """Every reply fits the schema that its tool has declared."""
    schemas = {tool["name"]: tool["outputSchema"] for tool in tools}
    for name, arguments in calls:
        told = client.tool(name, **arguments)
        same((name, arguments, list(schema.misfits(told, schemas[name]))), (name, arguments, []))


@test("the user's rules of redaction hold here too")
def _():
    with tempfile.TemporaryDirectory(prefix="stele-mcp-") as home:
        with open(os.path.join(home, "redact.toml"), "w", encoding="utf-8") as file:
            file.write("[[rule]]\nname = 'fruit'\nregex = 'apple'\nreplacement = '<fruit>'\n")
        with Client("--profile", "all", home=home) as client:
            same(client.tool("stele.redact", text="an apple")["result"]["text"], "an <fruit>")


# ---- Eras ----

@test("2026-07-28: discovery tells versions, capabilities and how to use the tools")
def _():
    with Client() as client:
        found = client.ask("server/discover")
        same(found["supportedVersions"][:2], [MODERN, LEGACY])
        same(sorted(found["capabilities"]), ["completions", "prompts", "resources", "tools"])
        same((found["resultType"], found["cacheScope"], found["ttlMs"] > 0), ("complete", "public", True))
        same(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "stele")
        has(found["instructions"], "`search`", "`memory`")


@test("2026-07-28: what a request must carry, and versions that are not served")
def _():
    with Client() as client:
        client.modern = False
        same(client.error("server/discover")["code"], -32602)
        same(client.error("server/discover", _meta={"io.modelcontextprotocol/protocolVersion": MODERN})["code"], -32602)
        for version in ("2099-01-01", LEGACY, "nonsense"):
            error = client.error("tools/list", _meta={**META, "io.modelcontextprotocol/protocolVersion": version})
            same((error["code"], error["data"]["requested"], MODERN in error["data"]["supported"]), (-32022, version, True))


@test("2026-07-28: what went away is not there; every result has its type, lists and reads how long they hold")
def _():
    with Client() as client:
        for method in ("initialize", "ping", "logging/setLevel", "resources/subscribe", "subscriptions/listen", "x"):
            same(client.error(method, protocolVersion=LEGACY, level="info")["code"], -32601)
        for method, params in (("tools/list", {}), ("prompts/list", {}), ("resources/list", {}),
                               ("resources/templates/list", {}), ("resources/read", {"uri": "stele://status"})):
            result = client.ask(method, **params)
            same((result["resultType"], type(result["ttlMs"]), result["cacheScope"] in ("public", "private")),
                 ("complete", int, True))


@test("2025-11-25: initialize agrees on a version; ping and logging are there, and nothing of the later revision")
def _():
    with Client(modern=False) as client:
        same(client.hello["protocolVersion"], LEGACY)
        same(sorted(client.hello["capabilities"]), ["completions", "logging", "prompts", "resources", "tools"])
        same(client.hello["serverInfo"]["name"], "stele")
        same(client.ask("ping"), {})
        same(client.ask("logging/setLevel", level="warning"), {})
        same(client.error("logging/setLevel", level="loud")["code"], -32602)
        lacks(json.dumps(client.ask("tools/list")), "resultType", "ttlMs", "serverInfo")
    for asked, agreed in (("2025-06-18",) * 2, ("2025-03-26",) * 2, ("2024-11-05",) * 2, ("2030-01-01", LEGACY)):
        with Client(modern=False, version=asked) as client:
            same(client.hello["protocolVersion"], agreed)


@test("both eras may be spoken in one connection")
def _():
    with Client(modern=False) as client:
        lacks(json.dumps(client.ask("tools/list")), "resultType")
        client.modern = True
        same(client.ask("tools/list")["resultType"], "complete")


# ---- Messages ----

@test("what is no message is an error, and the next one is answered")
def _():
    deep = b"[" * 100_000 + b"]" * 100_000
    broken = [(b"{", -32700), (b"nonsense", -32700), (b"\xff\xfe", -32700), (b'{"a":"\xc3"}', -32700), (deep, -32700),
              (b'{"jsonrpc":"2.0","id":1,"method":"ping"}{}', -32700), (b"[]", -32600), (b"1", -32600), (b"null", -32600),
              (b"{}", -32600), (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
              (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600),
              (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
              (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
              (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602)]
    with Client(modern=False) as client:
        for text, code in broken:
            client.send(text)
            same((text[:60], client.receive()["error"]["code"]), (text[:60], code))
        for quiet in (b"", b"  \r", b'{"jsonrpc":"2.0","id":9,"result":{}}', b'{"jsonrpc":"2.0","method":"notifications/x"}',
                      b'{"jsonrpc":"2.0","method":"tools/list"}'):
            client.send(quiet)
        same(client.ask("ping"), {})
        client.send(b'{"jsonrpc":"2.0","id":"a\\u0062","method":"ping"}\r')
        same(client.receive(), {"jsonrpc": "2.0", "id": "ab", "result": {}})


@test("a batch is answered by the revisions that have them")
def _():
    with Client(modern=False, version="2025-03-26") as client:
        client.send([{"jsonrpc": "2.0", "id": 7, "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/x"},
                     {"jsonrpc": "2.0", "id": 8, "method": "none"}])
        answers = client.receive()
        same([(answer["id"], "result" in answer) for answer in answers], [(7, True), (8, False)])
        client.send([{"jsonrpc": "2.0", "method": "notifications/x"}])
        client.send(b"[]")
        same(client.receive()["error"]["code"], -32600)
        same(client.ask("ping"), {})


@test("a message that is too long is passed over")
def _():
    with Client() as client:
        client.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (70 << 20) + b'"}\n')
        same(client.receive()["error"]["code"], -32600)
        client.ask("server/discover")


@test("requests that came before the input ended are answered")
def _():
    with Client(modern=False) as client:
        for number in range(20):
            client.begin("ping")
        client.process.stdin.close()
        same([client.receive()["id"] for _ in range(20)], list(range(2, 22)))
        client.process.stdin = open(os.devnull, "wb")


# ---- Tools ----

@test("the default tools: few, named and annotated, with schemas that are schemas")
def _():
    for era in ERAS:
        with Client(**era) as client:
            tools, pages = client.pages("tools/list", "tools")
            same(([tool["name"] for tool in tools], pages, len(tools) <= 12), (TOOLS, 1, True))
            for tool in tools:
                same(list(schema.problems(tool["inputSchema"])) + list(schema.problems(tool["outputSchema"])), [])
                same(tool["annotations"]["openWorldHint"], False)
                same(tool["annotations"]["readOnlyHint"], tool["name"] not in ("append", "memory", "plan", "tasks", "facts"))
                same(tool["annotations"]["destructiveHint"], tool["name"] == "memory")
            same(len(json.dumps(tools)) < 32_000, True)


@test("--profile all: every method but those with secrets is a tool of its own name, page by page, in the order of the registry")
def _():
    import subprocess
    listed = [method for method in json.loads(subprocess.check_output([os.environ["STELE_TEST_CLI"], "methods", "--json"]))
              if not any(field.get("secret") for field in method["params"] + method["results"])]
    with Client("--profile", "all") as client:
        tools, pages = client.pages("tools/list", "tools")
        same([tool["name"] for tool in tools], [method["name"] for method in listed])
        same(pages, -(-len(listed) // 50))
        for tool, method in zip(tools, listed):
            same(list(schema.problems(tool["inputSchema"])) + list(schema.problems(tool["outputSchema"])), [])
            same(tool["annotations"]["readOnlyHint"], method["access"] == "read")
            same(bool(re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", tool["name"])), True)
            if method["access"] == "admin" or "delete" in method["name"]:
                same(tool["annotations"]["destructiveHint"], True)
            needed = [p["name"] for p in method["params"] if not p.get("optional")]
            same(tool["inputSchema"]["required"], needed)
        first = client.ask("tools/list")["nextCursor"]
        for cursor in ("", "x", first[:-1], first + "00", "ff", 7, "70726f6d7074733a" + first):
            same((cursor, client.error("tools/list", cursor=cursor)["code"]), (cursor, -32602))
        check_outputs(client, tools, [
            ("conversation.create_session", {"session_id": "s", "source": "x"}), ("conversation.get_session", {"session_id": "s"}),
            ("conversation.get_session", {"session_id": "none"}), ("conversation.list_sessions_rich", {}),
            ("conversation.append_message", {"session_id": "s", "role": "user", "content": [{"type": "text"}]}),
            ("conversation.get_messages", {"session_id": "s"}), ("stele.status", {}), ("stele.version", {}), ("stele.methods", {}),
            ("conversation.end_session", {"session_id": "s", "end_reason": "x"}), ("telemetry.get_global_summary", {})])


@test("every default tool does what it says, and replies what its schema says")
def _():
    for era in ERAS:
        with Client(**era) as client:
            tools = client.ask("tools/list")["tools"]
            ids = fill(client, 3)
            client.tool("append", session_id="s2", role="tool", content="zebra crossing", tool_name="look", source="cli")
            client.tool("facts", what="save", content="A zebra has stripes", category="general")
            same(len(client.tool("search", query="message")["found"]), 3)
            same(client.tool("search", query="zebra", role="tool", source=["cli"])["found"][0]["session"], "s2")
            same([row["ref"] for row in client.tool("search", query="zebra", kind="fact")["found"]], ["planner/fact/1"])
            same(client.tool("search", query="zebra", role="user")["found"], [])
            ref = f"conversation/message/{ids[1]}"
            same([row["here"] for row in client.tool("timeline", ref=ref, earlier=1, later=1)["events"]], [False, True, False])
            same([row["text"] for row in client.tool("get", ref=["planner/fact/1", ref])["rows"]], ["A zebra has stripes", "message 1"])
            around = client.tool("timeline", session_id="s1", message_id=ids[1], window=1)["around"]
            same([row["id"] for row in around["window"]], ids)
            same([row["id"] for row in client.tool("timeline", session_id="s1", after=ids[0])["messages"]], ids[1:])
            same([row["id"] for row in client.tool("timeline")["sessions"]], ["s2", "s1"])
            same(client.tool("get", message_id=ids[0])["message"]["content"], "message 0")
            got = client.tool("get", session_id="s1")
            same((got["session"]["id"], [row["id"] for row in got["messages"]]), ("s1", ids))
            same([row["source"] for row in client.tool("sessions", source="cli")["sessions"]], ["cli"])
            same(client.tool("status")["stores"][0]["store"], "conversation")
            same(client.tool("runs", what="errors"), {"errors": []})
            check_outputs(client, tools, [
                ("search", {"query": "message OR zebra"}), ("timeline", {"ref": ref}), ("get", {"ref": ref}),
                ("timeline", {"session_id": "s1", "message_id": ids[1]}),
                ("timeline", {"session_id": "s1"}), ("timeline", {}), ("get", {"session_id": "s2"}), ("get", {"message_id": ids[2]}),
                ("sessions", {}), ("runs", {"what": "totals"}), ("runs", {"what": "processes"}), ("runs", {"what": "slow"}),
                ("status", {}), ("memory", {"command": "view", "path": "/memories"})])


@test("plan, tasks and facts: an agent plans, works and remembers")
def _():
    with Client() as client:
        tools = client.ask("tools/list")["tools"]
        same(client.tool("facts", what="save", content="Deploys run at night", category="project")["saved"], {"id": 1, "existing": False})
        same(client.tool("facts", what="save", content="deploys RUN at night.", category="project")["saved"], {"id": 1, "existing": True})
        same([row["id"] for row in client.tool("facts", what="search", query="when do we deploy? deploys")["found"]], [1])
        same(client.tool("facts", what="used", fact_ids=[1])["used"], {"updated": 1})
        same(client.tool("facts", what="list")["facts"][0]["use_count"], 1)
        steps = [{"type": "exec", "detail": "make deploy", "expect": "exit code 0"}, {"type": "msg", "detail": "tell"}]
        same(client.tool("plan", what="create", session="s", goal="Deploy", tasks=steps)["created"], {"id": 1, "task_ids": [1, 2]})
        client.tool("tasks", what="update", task_id=1, status="failed", output="no space")
        same(client.tool("plan", what="replan", plan_id=1, goal="Make room", tasks=steps[:1])["replanned"],
             {"id": 2, "superseded": 1, "task_ids": [3]})
        same(client.tool("tasks", what="add", plan_id=2, type="msg", detail="done")["added"], {"id": 4})
        client.tool("tasks", what="update", task_id=4, status="done", output="It is done")
        same([row["output"] for row in client.tool("tasks", what="deliver", session="s")["deliverable"]], ["It is done"])
        same([row["status"] for row in client.tool("tasks", what="list", session="s")["tasks"]], ["failed", "failed", "pending", "done"])
        same(client.tool("plan", what="context", session="s")["context"]["plan"]["goal"], "Make room")
        same(client.tool("plan", what="status", session="s")["status"]["active"], True)
        client.tool("plan", what="finish", plan_id=2)
        has(client.refused("plan", what="cancel", plan_id=2), "plan 2 is done", "final")
        has(client.refused("tasks", what="add", plan_id=2, type="exec", detail="x"), "expect is needed")
        check_outputs(client, tools, [
            ("plan", {"what": "context", "session": "s"}), ("plan", {"what": "status", "session": "s"}),
            ("tasks", {"what": "list", "session": "s"}), ("tasks", {"what": "deliver", "session": "s"}),
            ("facts", {"what": "search", "query": "night"}), ("facts", {"what": "list"})])


@test("the memory tool: its six commands")
def _():
    with Client() as client:
        path = "/memories/notes.md"
        has(client.tool("memory", command="create", path=path, file_text="one\ntwo\n")["create"]["text"], "created successfully")
        has(client.tool("memory", command="view", path=path)["view"]["text"], "     1\tone\n     2\ttwo")
        has(client.tool("memory", command="view", path=path, view_range=[2, 2])["view"]["text"], "     2\ttwo")
        has(client.tool("memory", command="str_replace", path=path, old_str="two", new_str="2")["str_replace"]["text"], "edited")
        has(client.tool("memory", command="insert", path=path, insert_line=2, insert_text="three")["insert"]["text"], "     3\tthree")
        client.tool("memory", command="rename", old_path=path, new_path="/memories/old/notes.md")
        has(client.tool("memory", command="view", path="/memories")["view"]["text"], "\t/memories/old/notes.md")
        client.tool("memory", command="delete", path="/memories/old")
        has(client.refused("memory", command="view", path=path), "does not exist", "Next: view /memories")
        has(client.refused("memory", command="view", path="/etc/passwd"), "must begin with /memories")
        has(client.refused("memory", command="look"), "memory needs command: view, create, str_replace, insert, delete, rename")
        has(client.refused("memory", command="create", path=path), "memory create needs file_text")
        has(client.refused("memory", command="view", path="/memories", old_str="x"), "memory view has no argument old_str")


@test("a memory file has at most 1 MiB, and its path 1024 bytes")
def _():
    with Client() as client:
        client.tool("memory", command="create", path="/memories/a", file_text="x" * (1 << 20))
        has(client.refused("memory", command="create", path="/memories/b", file_text="x" * (1 << 20) + "y"), "at most 1048576 are allowed")
        has(client.refused("memory", command="insert", path="/memories/a", insert_line=0, insert_text="y"), "at most 1048576 are allowed")
        has(client.refused("memory", command="create", path="/memories/" + "x" * 1015, file_text=""), "longer than 1024 bytes")
        has(client.tool("memory", command="view", path="/memories")["view"]["text"], "1.0M\t/memories/a")


@test("--readonly: what reads is answered, what writes is refused")
def _():
    with Client() as first:
        fill(first, 1)
        first.tool("memory", command="create", path="/memories/a", file_text="x")
        with Client("--readonly", home=first.home) as client:
            same(len(client.tool("get", session_id="s1")["messages"]), 1)
            has(client.tool("memory", command="view", path="/memories/a")["view"]["text"], "\tx")
            has(client.refused("append", session_id="s1", role="user", content="x"), "Next: do without it")
            has(client.refused("memory", command="delete", path="/memories/a"), "reading only")


@test("a call that fails says what to do next; a tool that is not there is an error of the protocol")
def _():
    for era in ERAS:
        with Client(**era) as client:
            has(client.refused("search"), "search needs query", "Next: ")
            has(client.refused("search", query="x", limit="many"), "limit must be", "Next: correct the argument")
            has(client.refused("search", query="x", colour=1), "has no argument colour; the tool takes query, role")
            has(client.refused("get", session_id="none"), "found nothing", "Next: look for the right id")
            has(client.refused("timeline", message_id=1), "timeline needs session_id")
            error = client.ask("tools/call", name="search", arguments={})["_meta"]["stele/error"]
            same((error["code"], error["field"]), ("INVALID", "query"))
            same(client.error("tools/call", name="none")["code"], -32602)
            same(client.error("tools/call", name="stele.status")["code"], -32602)
            same(client.error("tools/call")["code"], -32602)
            same(client.error("tools/call", name="search", arguments=[1])["code"], -32602)


@test("a repeated idempotency_key writes once")
def _():
    with Client() as client:
        first = client.tool("append", session_id="s", role="user", content="x", idempotency_key="k")
        same(client.tool("append", session_id="s", role="user", content="x", idempotency_key="k"), first)
        same(len(client.tool("get", session_id="s")["messages"]), 1)


# ---- Budgets ----

@test("a list is cut to the budget, and its pages are all of it")
def _():
    with Client("--budget", "500") as client:
        ids = fill(client, 40, text="a message of some length that takes its place in the budget")
        found, after, sizes = [], {}, []
        while True:
            told = client.tool("timeline", session_id="s1", limit=30, **after)
            sizes.append(len(json.dumps(told, separators=(",", ":"))))
            found += [row["id"] for row in told["messages"]]
            if "more" not in told:
                break
            has(told["more"]["why"], "row")
            after = told["more"]["next"]
        same((found, len(sizes) > 3, max(sizes) <= 2200), (ids, True, True))
        told = client.tool("search", query="message", limit=30)
        same(told["more"]["next"], {"offset": len(told["found"])})
        second = client.tool("search", query="message", limit=30, **told["more"]["next"])
        same({row["ref"] for row in told["found"]} & {row["ref"] for row in second["found"]}, set())


@test("a text that is too long is cut between characters, and stays JSON")
def _():
    with Client("--budget", "300") as client:
        text = 'ä"\\\n\U0001f600' * 2000
        number = client.tool("append", session_id="s", role="user", content=text)["message"]["id"]
        told = client.tool("get", message_id=number)
        has(told["message"]["content"], "[cut: ")
        same(text.startswith(told["message"]["content"].partition(" [cut")[0]), True)
        has(told["more"]["why"], "long texts were cut")
        same(len(json.dumps(told, ensure_ascii=False).encode()) < 1400, True)
    with Client("--budget", "0") as client:
        client.tool("append", session_id="s", role="user", content=text)
        same(client.tool("get", message_id=1)["message"]["content"], text)


@test("a page that is full says that there may be more")
def _():
    with Client() as client:
        fill(client, 5)
        told = client.tool("get", session_id="s1", limit=2)
        same((len(told["messages"]), told["more"]["next"]), (2, {"after": told["messages"][-1]["id"]}))
        lacks(json.dumps(client.tool("get", session_id="s1", limit=6)), "more")


# ---- Resources, prompts, completion ----

@test("resources: listed, by template, read; what is not there is an error of the era")
def _():
    for era in ERAS:
        with Client(**era) as client:
            [number] = fill(client, 1, session="a b/ä")
            uris = [entry["uri"] for entry in client.ask("resources/list")["resources"]]
            same(uris, ["stele://status", "stele://memory", "stele://session/a%20b%2F%C3%A4"])
            templates = client.ask("resources/templates/list")["resourceTemplates"]
            same([entry["uriTemplate"] for entry in templates], ["stele://session/{session_id}", "stele://message/{message_id}"])
            for uri in uris + [f"stele://message/{number}"]:
                [content] = client.ask("resources/read", uri=uri)["contents"]
                same((content["uri"], content["mimeType"]), (uri, "application/json"))
                json.loads(content["text"])
            has(content["text"], '"content":"message 0"')
            missing = -32602 if era["modern"] else -32002
            for uri in ("stele://session/none", "stele://message/99", "stele://message/x", "stele://message/", "stele://x",
                        "file:///etc/passwd", "", "stele://session/%zz"):
                error = client.error("resources/read", uri=uri)
                same((uri, error["code"], error["data"]["uri"]), (uri, missing, uri))
            same(client.error("resources/read")["code"], -32602)
            same(client.error("resources/list", cursor="zz")["code"], -32602)


@test("prompts: listed, filled in, refused without what they need")
def _():
    for era in ERAS:
        with Client(**era) as client:
            prompts = client.ask("prompts/list")["prompts"]
            same([prompt["name"] for prompt in prompts], ["recall_fix", "summarise_session", "pick_up"])
            for prompt in prompts:
                said = {argument["name"]: f"<{argument['name']} \"x\">" for argument in prompt["arguments"]}
                [message] = client.ask("prompts/get", name=prompt["name"], arguments=said)["messages"]
                same((message["role"], message["content"]["type"]), ("user", "text"))
                has(message["content"]["text"], *said.values())
            same(client.error("prompts/get", name="recall_fix")["code"], -32602)
            same(client.error("prompts/get", name="recall_fix", arguments={"problem": 1})["code"], -32602)
            same(client.error("prompts/get", name="recall_fix", arguments={"problem": "x", "y": "z"})["code"], -32602)
            same(client.error("prompts/get", name="none")["code"], -32602)


@test("completion: sessions by id and title, for prompts and templates")
def _():
    for era in ERAS:
        with Client(**era) as client:
            for session in ("alpha", "beta", "alpine"):
                fill(client, 1, session=session)

            def complete(kind, name, argument, value):
                reference = {"type": f"ref/{kind}", "name" if kind == "prompt" else "uri": name}
                return client.ask("completion/complete", ref=reference, argument={"name": argument, "value": value})["completion"]
            same(complete("prompt", "summarise_session", "session_id", "al"),
                 {"values": ["alpine", "alpha"], "total": 2, "hasMore": False})
            same(complete("resource", "stele://session/{session_id}", "session_id", "b")["values"], ["beta"])
            same(complete("prompt", "recall_fix", "problem", "x")["values"], [])
            for reference in ({"type": "ref/prompt", "name": "none"}, {"type": "ref/resource", "uri": "x://y"}, {"type": "x"}):
                same(client.error("completion/complete", ref=reference, argument={"name": "a", "value": ""})["code"], -32602)


# ---- While a call is under way ----

def much(client, count):
    messages = [{"role": "user", "content": f"word{number} and some more text to index"} for number in range(count)]
    client.tool("conversation.create_session", session_id="big", source="x")
    client.tool("conversation.replace_messages", session_id="big", messages=messages)


@test("progress is told to those who ask, and only grows")
def _():
    with Client("--profile", "all") as client:
        much(client, 20_000)
        client.notifications.clear()
        client.ask("tools/call", name="conversation.index_messages", arguments={"rebuild": True}, _meta={"progressToken": "p1"})
        told = [message["params"] for message in client.notifications]
        same({message["method"] for message in client.notifications}, {"notifications/progress"})
        same({params["progressToken"] for params in told}, {"p1"})
        steps = [params["progress"] for params in told]
        same((steps == sorted(set(steps)), len(steps) > 1), (True, True))
        client.notifications.clear()
        client.ask("tools/call", name="conversation.index_messages", arguments={"rebuild": True})
        same(client.notifications, [])


@test("a cancelled request is stopped and not answered; one that waits is never begun")
def _():
    with Client("--profile", "all") as client:
        much(client, 20_000)
        client.notifications.clear()
        long = client.begin("tools/call", name="conversation.index_messages", arguments={"rebuild": True}, _meta={"progressToken": 1})
        waiting = client.begin("tools/call", name="conversation.set_meta", arguments={"key": "k", "value": "v"})
        line = json.loads(client.process.stdout.readline())  # the call is under way
        same(line["method"], "notifications/progress")
        for number in (waiting, long, 12345, long):
            client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        same(client.tool("conversation.get_meta", key="k"), {"result": None})


if __name__ == "__main__":
    main()

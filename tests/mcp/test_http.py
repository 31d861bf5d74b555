#!/usr/bin/env python3
"""The Model Context Protocol at POST /mcp: headers, statuses, scopes, streams.  Prints TAP."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import has, main, same, test  # noqa: E402
from mcp.client import LEGACY, META, MODERN  # noqa: E402
from serve.server import serving, until  # noqa: E402

BOTH = "application/json, text/event-stream"


def post(server, method, params=None, headers=None, token=None, modern=True, path="/mcp", number=1):
    """A request as a client sends it; a header of None is left out."""
    params = dict(params or {})
    sent = {"Content-Type": "application/json", "Accept": BOTH}
    if modern:
        params = {**params, "_meta": {**META, **params.get("_meta", {})}}
        sent |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        if "name" in params or "uri" in params:
            sent["Mcp-Name"] = params.get("name", params.get("uri"))
    sent |= headers or {}
    body = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return server.post(path, json.dumps(body), headers=sent, token=token)


def result(answer):
    same((answer.status, answer.headers["Content-Type"]), (200, "application/json"))
    return json.loads(answer.text)["result"]


def error(answer, status, code):
    found = json.loads(answer.text)
    same((answer.status, found["error"]["code"], found.get("id")), (status, code, 1))
    return found["error"]


@test("both eras are answered at one address")
def _():
    with serving() as server:
        same(result(post(server, "server/discover"))["supportedVersions"][0], MODERN)
        hello = post(server, "initialize", {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
                     modern=False)
        same(result(hello)["protocolVersion"], LEGACY)
        note = server.post("/mcp", '{"jsonrpc":"2.0","method":"notifications/initialized"}', headers={"MCP-Protocol-Version": LEGACY})
        same((note.status, note.text), (202, ""))
        same(result(post(server, "ping", modern=False, headers={"MCP-Protocol-Version": LEGACY})), {})
        written = result(post(server, "tools/call", {"name": "append", "arguments": {"session_id": "s", "role": "user", "content": "hi"}}))
        same(written["structuredContent"], {"message": {"id": 1}})
        read = result(post(server, "tools/call", {"name": "get", "arguments": {"session_id": "s"}}))
        same(read["structuredContent"]["messages"][0]["content"], "hi")
        same(result(post(server, "resources/read", {"uri": "stele://session/s"}))["contents"][0]["uri"], "stele://session/s")
        same(result(post(server, "tools/list", path="/mcp?profile=all"))["tools"][0]["name"], "stele.version")
        cut = result(post(server, "tools/call", {"name": "stele.methods"}, path="/mcp?budget=1000&profile=all"))
        same((len(cut["content"][0]["text"]) < 4500, cut["structuredContent"]["more"]["why"].endswith("fit into the budget")), (True, True))
        for verb in ("GET", "DELETE"):
            same(server.request(verb, "/mcp").status, 405)


@test("headers must say what the body says")
def _():
    with serving() as server:
        call = ("tools/call", {"name": "status", "arguments": {}})
        for header in ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"):
            for value in (None, "other", ""):
                has(error(post(server, *call, headers={header: value}), 400, -32020)["message"], header)
        error(post(server, *call, headers={"Mcp-Method": "TOOLS/CALL"}), 400, -32020)
        error(post(server, *call, headers={"Mcp-Name": "=?base64?!!!!?="}), 400, -32020)
        for value in ("=?base64?c3RhdHVz?=", "  status \t"):
            result(post(server, *call, headers={"Mcp-Name": value}))
        unknown = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}}
        same(error(post(server, "tools/list", unknown, headers={"MCP-Protocol-Version": "2099-01-01"}), 400, -32022)["data"]["requested"],
             "2099-01-01")


@test("statuses of what is wrong")
def _():
    with serving() as server:
        error(post(server, "none/such"), 404, -32601)
        error(post(server, "ping"), 404, -32601)
        error(post(server, "none/such", modern=False), 200, -32601)
        error(post(server, "server/discover", modern=False, headers={"MCP-Protocol-Version": MODERN}), 400, -32602)
        error(post(server, "tools/list", modern=False, headers={"MCP-Protocol-Version": "x"}), 400, -32602)
        for body, code in (("", -32700), ("{", -32700), ("[" * 100_000, -32700), ("[]", -32600), ('{"id":1}', -32600), ("\0", -32700)):
            answer = server.post("/mcp", body)
            same((body[:9], answer.status, json.loads(answer.text)["error"]["code"]), (body[:9], 400, code))
        same(post(server, "tools/list", headers={"Origin": "http://evil.example"}).status, 403)
        same(post(server, "tools/list", headers={"Host": "evil.example"}).status, 403)
        same(post(server, "tools/list", token="wrong").status, 401)
        result(post(server, "tools/list"))


@test("a token sees and calls what its scopes allow")
def _():
    with serving() as server:
        reader = server.call("server.create_token", name="r", scopes=["conversation:read"])["token"]
        writer = server.call("server.create_token", name="w", scopes=["conversation:write", "server:write", "stele:read"])["token"]

        def names(token):
            return [tool["name"] for tool in result(post(server, "tools/list", token=token))["tools"]]
        same(names(reader), ["search", "timeline", "get", "sessions"])
        search = {"name": "search", "arguments": {"query": "x"}}
        same(result(post(server, "tools/call", search, token=reader))["structuredContent"], {"messages": []})
        recaller = server.call("server.create_token", name="c", scopes=["recall:read"])["token"]
        same(names(recaller), ["search", "timeline", "get"])
        same(result(post(server, "tools/call", search, token=recaller))["structuredContent"]["found"], [])
        same(names(writer), ["search", "timeline", "get", "sessions", "append", "memory", "status"])
        append = {"name": "append", "arguments": {"session_id": "s", "role": "user", "content": "x"}}
        same(error(post(server, "tools/call", append, token=reader), 200, -32602)["message"], "there is no tool append")
        same(result(post(server, "tools/call", append, token=writer))["isError"], False)
        create = {"name": "memory", "arguments": {"command": "create", "path": "/memories/a", "file_text": "x"}}
        same(result(post(server, "tools/call", create, token=writer))["isError"], False)
        looker = server.call("server.create_token", name="l", scopes=["server:read"])["token"]
        view = {"name": "memory", "arguments": {"command": "view", "path": "/memories/a"}}
        same(result(post(server, "tools/call", view, token=looker))["isError"], False)
        denied = result(post(server, "tools/call", {"name": "memory", "arguments": {"command": "delete", "path": "/memories/a"}}, token=looker))
        same((denied["isError"], denied["_meta"]["stele/error"]["code"]), (True, "DENIED"))
        same(result(post(server, "tools/call", view, token=looker))["isError"], False)
        error(post(server, "resources/read", {"uri": "stele://session/s"}, token=looker), 200, -32603)
        tools = result(post(server, "tools/list", token=writer, path="/mcp?profile=all"))
        same((tools["cacheScope"], [t["name"] for t in tools["tools"] if "server.create" in t["name"]]), ("private", []))
        error(post(server, "tools/call", {"name": "server.list_tokens"}, token=writer, path="/mcp?profile=all"), 200, -32602)
        uris = [entry["uri"] for entry in result(post(server, "resources/list", token=reader))["resources"]]
        same(uris, ["stele://session/s"])


def much(server, count):
    server.call("conversation.create_session", session_id="big", source="x")
    server.call("conversation.replace_messages", session_id="big",
                messages=[{"role": "user", "content": f"word{n} and some more text to index"} for n in range(count)])


REBUILD = {"name": "conversation.index_messages", "arguments": {"rebuild": True}, "_meta": {"progressToken": "p"}}


@test("progress is a stream of events that ends with the answer; without Accept it is one message")
def _():
    with serving() as server:
        much(server, 20_000)
        answer = post(server, "tools/call", REBUILD, path="/mcp?profile=all")
        same((answer.status, answer.headers["Content-Type"]), (200, "text/event-stream"))
        events = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
        same({event.get("method") for event in events[:-1]}, {"notifications/progress"})
        same(events[-1]["result"]["structuredContent"]["result"]["indexed"], 20_000)
        plain = post(server, "tools/call", REBUILD, path="/mcp?profile=all", headers={"Accept": "application/json"})
        same(result(plain)["structuredContent"]["result"]["indexed"], 20_000)


@test("a client that goes away has cancelled its call")
def _():
    with serving() as server:
        much(server, 60_000)
        connection = server.connect()
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**REBUILD, "_meta": {**META, "progressToken": 1}}})
        connection.request("POST", "/mcp?profile=all", body, {
            "Authorization": f"Bearer {server.token}", "Accept": BOTH, "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call",
            "Mcp-Name": REBUILD["name"]})
        answer = connection.getresponse()
        has(answer.readline().decode(), "data: ")
        connection.close()
        answer.close()
        # Four such calls may be under way: were they not stopped, a fifth would be refused for long.
        until(lambda: result(post(server, "tools/call", REBUILD, path="/mcp?profile=all",
                                  headers={"Accept": "application/json"}))["isError"] is False)


if __name__ == "__main__":
    main()

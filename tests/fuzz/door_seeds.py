"""Seeds for the doors: messages of the Model Context Protocol, and requests as fuzz_http.c takes them apart."""

import json

TOOLS = ("search", "timeline", "get", "sessions", "append", "memory", "status", "no_such", "stele.version",
         "conversation.append_message", "telemetry.create_session")
REQUESTS = (
    ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}),
    ("server/discover", {}), ("ping", {}), ("tools/list", {"cursor": "p1"}), ("resources/list", {}), ("prompts/list", {}),
    ("resources/templates/list", {}), ("resources/read", {"uri": "stele://session/a"}), ("prompts/get", {"name": "resume"}),
    ("completion/complete", {"ref": {"type": "ref/resource", "uri": "stele://session/{id}"}, "argument": {"name": "id", "value": "a"}}),
    ("notifications/cancelled", {"requestId": 1}), ("logging/setLevel", {"level": "info"}),
)
ARGUMENTS = ({}, {"query": "tea NOT coffee"}, {"session_id": "a", "role": "user", "content": "green tea"},
             {"command": "create", "path": "/memories/a", "file_text": "x"}, {"command": "view", "path": "/memories"})


def message(method, params, modern):
    if modern:
        params = {**params, "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "progressToken": 7}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def mcp_seeds(_rng):
    """A byte that chooses the era, the tools and the budget, then messages, one per line."""
    calls = [("tools/call", {"name": tool, "arguments": given}) for tool in TOOLS for given in ARGUMENTS]
    lines = [message(*request, modern) for request in [*REQUESTS, *calls] for modern in (False, True)]
    seeds = [bytes([n % 16]) + line.encode() for n, line in enumerate(lines)]
    return [*seeds, b"\0" + "\n".join(lines[:8]).encode(), b'\0[{"jsonrpc":"2.0","id":1,"method":"ping"}]', b"\0{"]


def http_seeds(_rng):
    """A request line, headers and a body, as they are on the wire, but with plain line ends."""
    paths = ("/healthz", "/v1/status", "/metrics", "/mcp?profile=all&budget=10", "/v1/stele/version", "/v1/sessions?limit=5&cursor=p1z",
             "/v1/sessions/a%20b/messages?after=3&limit=0", "/v1/search?query=a+b%2Bc&limit=2", "/v1/follow?store=conversation&session=a",
             "/v1/conversation/get_messages?ids=1&ids=2&session_id=%C3%A4", "/v1/x/y", "/pub/" + "0a" * 32 + "/a.txt", "/pub/../%2e%2e/%00",
             "/v1/telemetry/get_session_list?limit=1.5&x=%zz")
    headers = ("Host: localhost:7878", "Authorization: Bearer stele_" + "0a" * 32, "Origin: http://[::1]:80",
               "Accept: application/x-ndjson", "Content-Length: 12", "Idempotency-Key: k")
    seeds = [f"{verb} {path}\n" + "\n".join(headers[n % 4:]) + "\n\n" + "{}" for n, path in enumerate(paths)
             for verb in ("GET", "POST", "HEAD")]
    for name, member in (("tools/call", "name"), ("resources/read", "uri"), ("ping", "name")):
        for value in ("search", "=?base64?c2VhcmNo?=", "=?base64??=", " search\t"):
            seeds.append(f"POST /mcp\nMCP-Protocol-Version: 2026-07-28\nMcp-Method: {name}\nMcp-Name: {value}\n\n"
                         + message(name, {member: "search"}, True))
    return [seed.encode() for seed in seeds]


SEEDS = {"mcp": mcp_seeds, "http": http_seeds}

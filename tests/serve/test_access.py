#!/usr/bin/env python3
"""Who may call what: every route with every scope, with no token, a wrong, a revoked and an expired one, by
foreign names and from foreign pages; what is expected follows from the registry.  Prints TAP."""

import json
import os
import re
import stat
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import has, main, same, test  # noqa: E402
from serve.server import CLI, Local, methods, serving, until  # noqa: E402

RANK = {"read": 1, "write": 2, "admin": 3}
OPEN = ("/healthz", "/readyz", "/openapi.json")
ANY = ("/metrics", "/v1/status")  # for every valid token


def routes():
    """(verb, path, body, store, access) of everything that needs a token.  No call gets through to a store:
    the arguments are wrong, or it only reads."""
    for method in methods():
        memory = method["name"].startswith("server.memory_")
        access = "admin" if method["store"] == "server" and not memory else method["access"]
        path = "/v1/" + method["name"].replace(".", "/", 1)
        yield "POST", path, '{"no such argument":1}', method["store"], access
        if method["http"]:
            path = re.sub(r"\{\w+\}", "x", method["http"].split()[1])
            yield "GET", path + "?no_such_argument=1", None, method["store"], access
    for path in ANY:
        yield "GET", path, None, None, "read"
    yield "POST", "/mcp", '{"jsonrpc":"2.0","id":1,"method":"ping"}', None, "read"


def allowed(scopes, store, access):
    for scope in scopes:
        of, _, rank = scope.partition(":")
        if (store is None or of in ("*", store)) and RANK[rank] >= RANK[access]:
            return True
    return False


def check(server, scopes, token):
    for verb, path, body, store, access in routes():
        answer = server.request(verb, path, body, token=token)
        if not allowed(scopes, store, access):
            wanted = 403
        else:
            wanted = 200 if store is None else 400
        if answer.status != wanted:
            raise AssertionError(f"{scopes}: {verb} {path}: {answer.status} instead of {wanted}\n{answer.text}")


def make_token(server, scopes, **more):
    return server.call("server.create_token", name="test", scopes=scopes, **more)


@test("every route with every scope")
def _():
    stores = sorted({method["store"] for method in methods()})
    with serving() as server:
        for scopes in [["*:read"], ["*:write"], ["*:admin"], ["conversation:read", "telemetry:write"],
                       *([f"{store}:admin"] for store in stores)]:
            check(server, scopes, make_token(server, scopes)["token"])


@test("no token, a wrong, a revoked and an expired one: 401, for every route")
def _():
    with serving() as server:
        revoked = make_token(server, ["*:admin"])
        server.call("server.revoke_token", id=revoked["id"])
        expired = make_token(server, ["*:admin"], expires_at=1000)
        good = server.token
        for authorization in (None, "", "Bearer", "Bearer ", "Basic eDp5", "Bearer wrong", f"Bearer {good}x",
                              f"Bearer {good[:-1]}", f"Basic {good}", good, f"Bearer {revoked['token']}",
                              f"Bearer {expired['token']}"):
            for verb, path, body, _, _ in routes():
                answer = server.request(verb, path, body, {"Authorization": authorization})
                if answer.status != 401:
                    raise AssertionError(f"{authorization}: {verb} {path}: {answer.status}")
            has(answer.headers["WWW-Authenticate"], "Bearer")
        for path in OPEN:
            same(server.get(path, {"Authorization": None}).status, 200)


@test("revoking takes effect with the next request")
def _():
    with serving() as server:
        made = make_token(server, ["*:read"])
        same(server.get("/v1/stele/version", token=made["token"]).status, 200)
        server.call("server.revoke_token", id=made["id"])
        same(server.get("/v1/stele/version", token=made["token"]).status, 401)


@test("a token that another process revokes is refused soon after")
def _():
    with serving() as server:
        made = make_token(server, ["*:read"])
        same(server.get("/v1/stele/version", token=made["token"]).status, 200)
        subprocess.run([CLI, "--home", server.home, "token", "revoke", str(made["id"])], check=True, stdout=subprocess.DEVNULL)
        until(lambda: server.get("/v1/stele/version", token=made["token"]).status == 401)


@test("foreign names and foreign pages are refused everywhere; loopback's and allowed ones are not")
def _():
    with serving() as server:
        for verb, path, body, _, _ in [*routes(), *(("GET", path, None, None, None) for path in OPEN)]:
            for headers in ({"Host": "evil.example"}, {"Host": "localhost.evil.example"}, {"Host": f"evil.example:{server.port}"},
                            {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://localhost.evil.example"}):
                answer = server.request(verb, path, body, headers)
                if answer.status != 403:
                    raise AssertionError(f"{headers}: {verb} {path}: {answer.status}")
        for headers in ({"Host": "localhost"}, {"Host": "LOCALHOST:1"}, {"Host": "[::1]:80"}, {"Host": "127.0.0.1"},
                        {"Origin": "http://localhost:3000"}, {"Origin": "https://127.0.0.1"}):
            same((headers, server.get("/v1/stele/version", headers).status), (headers, 200))
        same(server.get("/healthz", {"Host": "stele.example"}).status, 403)


@test("--allow-host names others")
def _():
    with serving("--allow-host", "stele.example,other.example") as server:
        same(server.get("/healthz", {"Host": "stele.example:443", "Origin": "https://other.example"}).status, 200)
        same(server.get("/healthz", {"Host": "evil.example"}).status, 403)


@test("the first start writes a token that only its user can read; the second keeps it")
def _():
    with serving() as server:
        path = os.path.join(server.home, "server.token")
        same(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        has("".join(server.lines), path)
        rows = server.call("server.list_tokens")
        same([(row["name"], row["scopes"]) for row in rows], [("local", ["*:admin"])])
        has(server.token, rows[0]["prefix"])
        same([name for name in os.listdir(server.home) if token_in(os.path.join(server.home, name), server.token)],
             ["server.token"])


def token_in(path, token):
    if not os.path.isfile(path):
        return False  # a socket
    with open(path, "rb") as file:
        return token.encode() in file.read()


@test("the unix socket is its user's, who needs no token there")
def _():
    with serving() as other:
        path = os.path.join(os.path.dirname(other.home), "sock")
        with serving("--socket", path) as server:
            same(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            connection = Local(path)
            connection.request("POST", "/v1/server/create_token", '{"name":"x"}')
            answer = connection.getresponse()
            same((answer.status, len(json.loads(answer.read())["token"])), (200, 70))
            connection.close()
            same(server.get("/healthz").status, 200)
        same(os.path.exists(path), False)


if __name__ == "__main__":
    sys.exit(main())

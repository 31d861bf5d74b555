#!/usr/bin/env python3
"""The files of the dashboard, as the server gives them out: types, tags, headers; and what may not stand in them.
Prints TAP."""

import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import has, main, same, test  # noqa: E402
from serve.server import serving  # noqa: E402

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))
WEB = os.path.join(SOURCE, "web")
OPEN = {"Authorization": None}  # nobody needs a token for these
VIEWS = ["/", "/search", "/search?q=a&role=user", "/recall?q=a", "/item?ref=a/b/1", "/timeline", "/sessions", "/session/a%2Fb", "/session/a#m1", "/planner",
         "/assistant", "/knowledge", "/telemetry?since=7d", "/health", "/status", "/json?of=/v1/status"]
TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8",
         ".svg": "image/svg+xml"}

# What makes markup or code of a text, or asks another server.
FORBIDDEN = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|createContextualFragment"
                       r"|setHTML|srcdoc|https?:(?!//www\.w3\.org/2000/svg)|\bstyle\s*=|cssText")


def files():
    return sorted(path for path in glob.glob(os.path.join(WEB, "*")) if os.path.isfile(path) and not path.endswith("meson.build"))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@test("every view is the page, without a token")
def _():
    with serving() as server:
        for view in VIEWS:
            answer = server.get(view, OPEN)
            same((view, answer.status, answer.headers["Content-Type"]), (view, 200, TYPES[".html"]))
            same(answer.text, read(os.path.join(WEB, "index.html")))


@test("every file is given out as it is, with its type")
def _():
    with serving() as server:
        for path in files():
            answer = server.get(f"/web/{os.path.basename(path)}", OPEN)
            same((path, answer.status, answer.headers["Content-Type"]), (path, 200, TYPES[os.path.splitext(path)[1]]))
            same(answer.text, read(path))
        has(server.get("/web/uplot.js", OPEN).text, "uPlot")
        has(server.get("/web/uplot-license.txt", OPEN).text, "MIT")


@test("a file that was not changed is not sent again")
def _():
    with serving() as server:
        first = server.get("/web/app.js", OPEN)
        again = server.get("/web/app.js", {**OPEN, "If-None-Match": first.headers["ETag"]})
        same((again.status, again.text, again.headers["ETag"]), (304, "", first.headers["ETag"]))
        same(server.get("/web/app.js", {**OPEN, "If-None-Match": '"other"'}).status, 200)
        same(server.request("HEAD", "/web/app.js", headers=OPEN).headers["ETag"], first.headers["ETag"])


@test("what is no view and no file is not found, and nothing but GET and HEAD is taken")
def _():
    with serving() as server:
        for path in ["/web/", "/web/nothing.js", "/web/../web/app.js", "/web/meson.build", "/index.html", "/session/", "/session/a/b", "/views", "/Search"]:
            answer = server.get(path, OPEN)
            same((path, answer.status, answer.headers["Content-Type"]), (path, 404, "application/problem+json"))
            same(json.loads(answer.text)["code"], "NOTFOUND")
        refused = server.post("/", "", OPEN)
        same((refused.status, refused.headers["Allow"]), (405, "GET, HEAD"))
        same(server.get("/", {**OPEN, "Host": "evil.example"}).status, 403)


@test("strict headers: only the program's own scripts and styles, framed by nobody")
def _():
    with serving() as server:
        for path in ["/", "/web/app.js", "/session/x"]:
            headers = server.get(path, OPEN).headers
            policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
            same(policy, {"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self'",
                          "connect-src": "'self'", "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
                          "require-trusted-types-for": "'script'", "trusted-types": "'none'"})
            same([headers[name] for name in ("X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy", "Cache-Control")],
                 ["nosniff", "no-referrer", "same-origin", "no-cache"])


@test("no file makes markup or code of a text, or asks another server")
def _():
    found = [f"{os.path.basename(path)}:{number}: {line.strip()}" for path in files()
             for number, line in enumerate(read(path).splitlines(), start=1) if FORBIDDEN.search(line)]
    same(found, [])
    page = read(os.path.join(WEB, "index.html"))
    same(re.findall(r"<script(?![^>]*\ssrc=)[^>]*>|<style|\son\w+=", page), [])


if __name__ == "__main__":
    sys.exit(main())

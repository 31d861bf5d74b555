"""A minimal client of the Model Context Protocol, over standard input and output."""

import json
import os
import subprocess
import tempfile

CLI = os.environ.get("STELE_TEST_CLI", "")
MODERN = "2026-07-28"
LEGACY = "2025-11-25"
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}


class Client:
    """One process.  modern: every request carries its version; else `initialize` is sent first."""

    def __init__(self, *words, modern=True, version=LEGACY, home=None):
        self.directory = tempfile.TemporaryDirectory(prefix="stele-mcp-")
        self.home = home or os.path.join(self.directory.name, "home")
        self.modern = modern
        self.number = 0
        self.notifications = []
        self.process = subprocess.Popen([CLI, "mcp", "--home", self.home, *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if not modern:
            self.hello = self.ask("initialize", protocolVersion=version, capabilities={},
                                  clientInfo={"name": "test", "version": "1"})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        self.said = self.process.stderr.read().decode()
        status = self.process.wait(60)
        self.process.stdout.close()
        self.process.stderr.close()
        self.directory.cleanup()
        if kind is None and (status, rest) != (0, b""):
            raise AssertionError(f"stele mcp ended with {status}, unread: {rest[:300]}, said: {self.said}")

    def send(self, message):
        text = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(text + b"\n")
        self.process.stdin.flush()

    def receive(self):
        """The next answer; notifications before it are kept."""
        while True:
            line = self.process.stdout.readline()
            if not line.endswith(b"\n"):
                raise AssertionError(f"no answer but {line!r}: {self.process.stderr.read().decode()}")
            message = json.loads(line)
            if isinstance(message, dict) and "method" in message:
                self.notifications.append(message)
                continue
            return message

    def begin(self, method, _meta=None, **params):
        """Send a request; returns its id."""
        self.number += 1
        meta = {**(META if self.modern else {}), **(_meta or {})}
        if meta:
            params["_meta"] = meta
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def request(self, method, _meta=None, **params):
        number = self.begin(method, _meta, **params)
        answer = self.receive()
        if answer.get("id") != number or answer.get("jsonrpc") != "2.0":
            raise AssertionError(f"not the answer to {number}: {str(answer)[:500]}")
        return answer

    def ask(self, method, _meta=None, **params):
        answer = self.request(method, _meta, **params)
        if "result" not in answer:
            raise AssertionError(f"{method}: {answer}")
        return answer["result"]

    def error(self, method, **params):
        answer = self.request(method, **params)
        if "error" not in answer:
            raise AssertionError(f"{method} should fail: {str(answer)[:500]}")
        return answer["error"]

    def tool(self, tool, **arguments):
        """What a tool tells, checked to be the same as text."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        if result["isError"]:
            raise AssertionError(f"{tool} {arguments}: {result}")
        [content] = result["content"]
        if json.loads(content["text"]) != result["structuredContent"]:
            raise AssertionError(f"the text is not the structured content: {result}")
        return result["structuredContent"]

    def refused(self, tool, **arguments):
        """The text of a call that failed as a call."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        if not result["isError"] or "structuredContent" in result:
            raise AssertionError(f"{tool} {arguments} should fail: {result}")
        return result["content"][0]["text"]

    def pages(self, method, member):
        """All entries of a list, and the number of its pages."""
        found, pages, cursor = [], 0, {}
        while True:
            result = self.ask(method, **cursor)
            found += result[member]
            pages += 1
            if "nextCursor" not in result:
                return found, pages
            cursor = {"cursor": result["nextCursor"]}

#!/usr/bin/env python3
"""stele setup: what it puts into files of other programs, and that taking it out leaves every byte as it was.  Prints TAP."""

import base64
import contextlib
import hashlib
import json
import os
import pty
import random
import re
import stat
import struct
import subprocess
import sys

from place import BIN, SANITIZED, Place, has, lacks, main, same, some, test

try:
    import tomllib
except ImportError:  # before Python 3.11 the words of the file must do
    tomllib = None

FILES = {"claude": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json",
         "opencode": ".config/opencode/opencode.json", "zsh": ".zshrc", "bash": ".bashrc",
         "fish": ".config/fish/config.fish", "zsh-hook": ".zshrc", "bash-hook": ".bashrc", "fish-hook": ".config/fish/config.fish",
         "systemd": ".config/systemd/user/stele.service",
         "firefox": ".mozilla/native-messaging-hosts/stele-native-messaging-host",
         "chromium": ".config/chromium/NativeMessagingHosts/stele-native-messaging-host",
         "chrome": ".config/google-chrome/NativeMessagingHosts/stele-native-messaging-host"}
JSON = ("claude", "cursor", "opencode")
LINES = ("codex", "zsh", "bash", "fish", "zsh-hook", "bash-hook", "fish-hook")
BROWSERS = ("firefox", "chromium", "chrome")
MAKES = ("fish", "fish-hook", "systemd", *BROWSERS)  # their directories too
PLAIN = {"STELE_HOME": None}
MARKS = ("", "\ufeff")  # of the order of bytes
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Setup(Place):
    """A place whose user has a file, or not."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        super().__enter__()
        self.file = self.at("user", FILES[self.name])
        os.makedirs(self.at("user") if self.name in MAKES else os.path.dirname(self.file))
        return self

    def write(self, content):
        os.makedirs(os.path.dirname(self.file), exist_ok=True)
        with open(self.file, "wb") as file:
            file.write(content)

    def read(self):
        with open(self.file, "rb") as file:
            return file.read()

    def setup(self, *words, **more):
        return self.run("setup", self.name, *words, **{"env": PLAIN, **more})

    def put(self):
        done = self.setup("--yes")
        if done.status:
            raise AssertionError(f"{self.name}: {done}")
        return done

    def take(self):
        done = self.setup("--remove", "--yes")
        if done.status:
            raise AssertionError(f"{self.name}: {done}")
        return done


def plain_json(text):
    """What JSON with comments and trailing commas says."""
    text = text.lstrip("\ufeff")
    strings = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
    text = strings.sub(lambda m: m[0] if m[0].startswith('"') else " ", text)
    text = re.sub(r'("(?:\\.|[^"\\])*")|,(\s*[}\]])', lambda m: m[1] or m[2], text)
    return json.loads(text)


def check_json(place, text, before):
    said = plain_json(text.decode())
    container = said["mcp"] if place.name == "opencode" else said["mcpServers"]
    if place.name == "opencode" and isinstance(container.get("servers"), dict):
        container = container["servers"]
    entry = container.pop("stele")
    if place.name == "opencode":
        same(entry, {"type": "local", "command": [BIN, "mcp"], "enabled": True})
    else:
        same((entry["command"], entry["args"]), (BIN, ["mcp"]))
    old = plain_json(before.decode()) if before.strip(b"\xef\xbb\xbf \t\r\n") else {}
    if not container:  # it was there and empty, or not there
        name = "mcp" if place.name == "opencode" else "mcpServers"
        if name not in old:
            del said[name]
    same(said, old)


def round_trip(name, content, check):
    with Setup(name) as place:
        place.write(content)
        os.chmod(place.file, 0o644)
        before = place.listing()
        place.put()
        put = place.read()
        check(place, put, content)
        same(stat.S_IMODE(os.stat(place.file).st_mode), 0o644)
        has(place.put().out, "already there")
        same(place.read(), put)
        place.take()
        if place.read() != content:
            raise AssertionError(f"{name}: {content!r} became {put!r} and then {place.read()!r}")
        same(place.listing(), before)
        has(place.take().out, "nothing to take out")


# ---- Shapes ----------------------------------------------------------------------------------

KEY = {"claude": "mcpServers", "cursor": "mcpServers", "opencode": "mcp"}
SHAPES = [
    "", " ", "\n", "\n\n", "\t\r\n", "{}", "{}\n", " {} ", "{\n}", "{\n}\n", "{ }", "{\r\n}\r\n", "{\n\n\n}",
    '{"a":1}', '{ "a": 1 }', '{"a":1}\n', '{\n  "a": 1\n}\n', '{\n  "a": 1\n}', '{\n\t"a": 1\n}\n', '{\n"a": 1\n}\n',
    '{\r\n    "a": 1,\r\n    "b": [1, 2]\r\n}\r\n', '{\n\n\n   "a": {"b": {"c": "}{"}}\n}\n', '\n\n{"a": "\\"//x"}\n\n',
    '{"K": {}}', '{"K":{}}\n', '{\n  "K": {}\n}\n', '{\n  "K": {\n  }\n}\n', '{\n  "K": { }, "a": 1\n}\n',
    '{"K": {"x": {"command": "y"}}}', '{ "K": { "x": {"command": "y"} } }', '{\n  "K": {\n    "x": {\n      "command": "y"\n    }\n  }\n}\n',
    '{\n  "a": 1,\n  "K": {\n    "x": {"command": "y"}\n  },\n  "b": 2\n}\n', '{\n\t"a": 1,\n\t"K": {\n\t\t"x": {}\n\t}\n}',
    '{\r\n  "K": {\r\n    "x": {}\r\n  }\r\n}\r\n', '{"a": {"K": {"stele": 1}}, "stele": 2}', '{"K2": {}, "aK": {}}',
    '{\n  "K": {\n    "x": {}},"b":1}', '{"a":1,\n  "b":2}', '{\n    "K": {"x": {}}\n}\n',
]
COMMENTED = [
    '// mine\n{\n  // here\n  "a": 1, // why\n}\n', '/* {"K": {}} */ {"a": 1,}', '{ // first\n  "a": 1\n}\n', '{ /* none */ }',
    '{\n  // none\n}\n', '{\n  "K": { // mine\n    "x": {}, /* last */\n  },\n}\n', '{\n  "K": {\n    // no servers yet\n  }\n}\n',
    '{"K": {/**/}} // end', '{\n  "K": {"servers": {}}\n}\n', '{\n  "K": {"servers": {"x": {}}, "y": {}}\n}\n', '{\n/*\n*/"a": 1\n}\n',
]
TEXTS = [
    "", "\n", "\n\n", "a=1", "a=1\n", "a=1\n\n", "a=1\n\n\n", "a=1\n\n\n\nb=2", "\r\n", "a=1\r\n", "a=1\r\nb=2", "a=1\r\n\r\n", "# x",
    "# x\n", "\ta=1 # y  \n", " ", "   \n", "a=1\n ", "a='>>> stele setup'\n", "a=1\n[t]\nb=2\n", "é=1\n", "a=1\n\r\n", "\r\n\r\n",
]


def marked(contents, turn):
    """The contents, without and with a mark in turn; where a sanitizer watches, and a process takes four times as long, every third of them."""
    for number, content in enumerate(contents):
        if not SANITIZED or (number + turn) % 3 == 0:
            yield (MARKS[(number + turn) % 2] + content).encode()


def check_lines(place, text, before):
    same(text.startswith(before.rstrip(b"\r\n")), True)
    has(text.decode(), f"# >>> stele setup {place.name} ", f"# <<< stele setup {place.name} <<<")
    newline = b"\r\n" if b"\r\n" in before.split(b"\n")[0] + b"\n" else b"\n"
    block = text[text.index(b"# >>> stele"):].rstrip(b"\r\n")
    same(block.count(b"\r\n"), block.count(b"\n") if newline == b"\r\n" else 0)
    if place.name == "codex" and tomllib and b"\xc3" not in before and not before.startswith(b"\xef"):
        said = tomllib.loads(text.decode())
        same(said["mcp_servers"]["stele"], {"command": BIN, "args": ["mcp"]})


for target in JSON:
    @test(f"{target}: files of every shape are as they were after put and take")
    def _(target=target):
        shapes = SHAPES + (COMMENTED if target == "opencode" else COMMENTED[:4])
        for content in marked([shape.replace("K", KEY[target]) for shape in shapes], JSON.index(target)):
            round_trip(target, content, check_json)

for target in LINES:
    @test(f"{target}: files of every shape are as they were after put and take")
    def _(target=target):
        for content in marked(TEXTS, LINES.index(target)):
            round_trip(target, content, check_lines)


def random_blank(chance, newline, deep):
    return chance.choice(["", "", " ", newline + " " * deep, newline + "\t" * (deep // 2), newline * 2 + "  ", "/* c */", "  "])


def random_json(chance, deep=1):
    newline = chance.choice(["\n", "\n", "\r\n"])
    members = []
    for _ in range(chance.choice((0, 0, 1, 1, 2, 3))):
        name = chance.choice(("mcpServers", "mcp", "a", "b", "stele2", "x\\n"))
        value = random_json(chance, deep + 2) if deep < 6 and chance.random() < 0.6 else chance.choice(
            ("1", '"{"', "[1, {}]", "null", '"\\""', "true"))
        if name.startswith("mcp") and deep == 1:
            value = random_json(chance, deep + 2)
        members.append((name, value))
    names = {}
    for name, value in members:
        names.setdefault(name, value)
    blank = lambda: random_blank(chance, newline, deep * 2)  # noqa: E731
    body = ",".join(f'{blank()}"{name}"{chance.choice(("", " "))}:{chance.choice(("", " "))}{value}{chance.choice(("", "", " "))}'
                    for name, value in names.items())
    return "{" + body + blank() + "}"


@test("files made at random are as they were")
def _():
    chance = random.Random(6)
    for number in range(12 if SANITIZED else 75):
        content = (random_json(chance) + chance.choice(("", "\n", "\r\n", " "))).encode()
        round_trip(JSON[number % 3], content, check_json)


# ---- Files and directories that are not there ------------------------------------------------

@test("a file that was not there is gone again, with the directories that were made for it")
def _():
    for name in some(FILES):
        with Setup(name) as place:
            before = place.listing()
            shown = place.setup()
            same((shown.status, place.listing()), (0, before))
            has(shown.out, "+++ " + place.file)
            has(shown.err, "--yes makes this change")
            place.put()
            same(stat.S_IMODE(os.stat(place.file).st_mode), 0o700 if name in BROWSERS else 0o600)
            has(place.put().out, "already there")
            place.take()
            same(place.listing(), before)


@test("what others put beside it stays, and then the directory does too")
def _():
    with Setup("systemd") as place:
        place.put()
        other = os.path.join(os.path.dirname(place.file), "other.service")
        with open(other, "w", encoding="utf-8") as file:
            file.write("x")
        place.take()
        same((os.path.exists(place.file), os.path.exists(other)), (False, True))


@test("an agent that is not here is not set up, and nothing is made")
def _():
    for name in ("codex", "cursor", "opencode"):
        with Place() as place:
            os.makedirs(place.at("user"))
            before = place.listing()
            done = place.run("setup", name, "--yes")
            same((done.status, place.listing()), (2, before))
            has(done.err, "is not here")


@test("where the programs look: their variables move the files")
def _():
    with Place() as place:
        for name, variable, file in (("claude", "CLAUDE_CONFIG_DIR", ".claude.json"), ("codex", "CODEX_HOME", "config.toml"),
                                     ("zsh", "ZDOTDIR", ".zshrc"), ("fish", "XDG_CONFIG_HOME", "fish/config.fish"),
                                     ("systemd", "XDG_CONFIG_HOME", "systemd/user/stele.service")):
            directory = place.at("moved-" + name)
            os.makedirs(directory)
            same(place.run("setup", name, "--yes", env={variable: directory}).status, 0)
            same(os.path.exists(os.path.join(directory, file)), True)
        os.makedirs(place.at("moved-opencode", "opencode"))
        path = place.at("moved-opencode", "opencode", "opencode.jsonc")
        with open(path, "w", encoding="utf-8") as file:
            file.write("// mine\n{}\n")
        same(place.run("setup", "opencode", "--yes", env={"XDG_CONFIG_HOME": place.at("moved-opencode")}).status, 0)
        with open(path, encoding="utf-8") as file:
            has(file.read(), '"stele"')


@test("links stay links, permissions stay, and nothing is left beside the file")
def _():
    for name in ("cursor", "bash"):
        with Setup(name) as place:
            real = place.at("real")
            content = b'{"a": 1}' if name == "cursor" else b"a=1\n"
            with open(real, "wb") as file:
                file.write(content)
            os.chmod(real, 0o640)
            os.symlink("../real" if name == "bash" else "../../real", place.file)
            before = place.listing()
            place.put()
            same((os.path.islink(place.file), stat.S_IMODE(os.stat(real).st_mode)), (True, 0o640))
            place.take()
            same((place.listing(), os.path.islink(place.file)), (before, True))
    with Setup("bash") as place:
        os.symlink("nowhere", place.file)
        done = place.setup("--yes")
        same((done.status, os.readlink(place.file)), (1, "nowhere"))


# ---- What is not as it was left --------------------------------------------------------------

@test("a part that was edited is told and left alone, unless forced")
def _():
    for name, old, new in (("bash", b"completion", b"COMPLETION"), ("codex", b'"mcp"]', b'"mcp", "--quiet"]'),
                           ("cursor", b'"mcp"]', b'"mcp", "--quiet"]'), ("claude", b'"args"', b'"env": {"A": "b"}, "args"'),
                           ("systemd", b"30", b"60")):
        with Setup(name) as place:
            place.put()
            edited = place.read().replace(old, new)
            place.write(edited)
            for words in (["--yes"], ["--remove", "--yes"]):
                done = place.setup(*words)
                same((done.status, place.read()), (2, edited))
                has(done.err, "has been edited", "--force")
            same(place.setup("--yes", "--force").status, 0)
            has(place.put().out, "already there")
            place.write(edited)
            same(place.setup("--remove", "--yes", "--force").status, 0)
            if os.path.exists(place.file):
                lacks(place.read().decode(), "stele")


@test("of another version or another place of the program: brought up to date, or taken out")
def _():
    for name in some(FILES):
        with Setup(name) as place:
            other = place.at("elsewhere", "stele")
            os.makedirs(os.path.dirname(other))
            os.link(BIN, other) if os.stat(BIN).st_dev == os.stat(place.path).st_dev else subprocess.run(["cp", BIN, other], check=True)
            before = place.listing()
            subprocess.run([other, "setup", name, "--yes"], env=place.environment(PLAIN), check=True, stdout=subprocess.DEVNULL)
            has(place.read().decode(), other)
            done = place.put()
            lacks(place.read().decode(), other)
            has(done.out, "-", "+")
            place.take()
            same(place.listing(), before)


@test("an agent that wrote its file anew: the part is known, and goes")
def _():
    with Setup("claude") as place:
        place.write(b'{"numStartups": 3, "mcpServers": {"x": {"command": "y"}}, "projects": {}}')
        place.put()
        said = json.loads(place.read())
        place.write(json.dumps(said, indent=2).encode())
        has(place.put().out, "already there")
        place.take()
        del said["mcpServers"]["stele"]
        same(json.loads(place.read()), said)
        same(place.read().decode(), json.dumps(said, indent=2))


@test("lines that were added behind the block stay where they are")
def _():
    with Setup("zsh") as place:
        place.write(b"a=1\n")
        place.put()
        place.write(place.read() + b"b=2\n")
        place.take()
        same(place.read(), b"a=1\nb=2\n")


@test("what is not ours is not touched: another's table, another's unit, half a block, no JSON")
def _():
    for name, content, told in (("codex", b"[mcp_servers.stele]\ncommand = 'x'\n", "did not make"),
                                ("codex", b"[ mcp_servers . \"stele\" ]\n", "did not make"),
                                ("codex", b"mcp_servers = {}\n", "did not make"),
                                ("codex", b"mcp_servers.stele.command = 'x'\n", "did not make"),
                                ("systemd", b"[Service]\n", "did not make"),
                                ("bash", b"# >>> stele setup bash 12345678 >>>\nx\n", "did not make"),
                                ("cursor", b"[1]\n", "is not a JSON object"), ("cursor", b"{\"a\": }", "is not a JSON object"),
                                ("cursor", b"{} {}", "is not a JSON object"), ("cursor", b"{'a': 1}", "is not a JSON object"),
                                ("cursor", b'{"a": 1 "b": 2}', "is not a JSON object"), ("cursor", b"{/*", "is not a JSON object"),
                                ("cursor", b'{"mcpServers": []}', "something else than an object"),
                                ("cursor", b"{}\0", "NUL byte"), ("zsh", b"\0", "NUL byte")):
        with Setup(name) as place:
            place.write(content)
            for words in (["--yes", "--force"], ["--yes"]):
                done = place.setup(*words)
                same((done.status, place.read()), (2, content))
                has(done.err, told)
    with Setup("codex") as place:
        place.write(b"[mcp_servers.stele2]\ncommand = 'x'\n[mcp_servers_stele]\n")
        place.put()
        place.take()


@test("a file that cannot be read or written is an error, and stays")
def _():
    with Setup("bash") as place:
        os.makedirs(place.file)
        same(place.setup("--yes").status, 1)
    if os.geteuid() != 0:
        with Setup("bash") as place:
            place.write(b"a=1\n")
            os.chmod(place.at("user"), 0o500)
            same((place.setup("--yes").status, place.read()), (1, b"a=1\n"))
            os.chmod(place.at("user"), 0o700)


# ---- Asking, listing -------------------------------------------------------------------------

def answer(place, words, said):
    """Run on a terminal and answer the question: (status, what was shown)."""
    master, slave = pty.openpty()
    process = subprocess.Popen([BIN, *words], env=place.environment(PLAIN), stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(master, 65536):
            shown += chunk
            if b"[y/N] " in shown and said:
                os.write(master, said)
                said = b""
    os.close(master)
    return process.wait(60), shown.decode().replace("\r\n", "\n")


@test("on a terminal it asks; only a yes changes anything")
def _():
    for said, made in ((b"y\n", True), (b"\n", False), (b"n\n", False), (b"\x04", False)):
        with Setup("bash") as place:
            status, shown = answer(place, ["setup", "bash"], said)
            has(shown, "Make this change? [y/N] ", "# >>> stele setup bash")
            same((status, os.path.exists(place.file)), (0, made))
    with Setup("bash") as place:
        place.put()
        answer(place, ["setup", "bash", "--remove"], b"y\n")
        same(os.path.exists(place.file), False)


@test("the diff is one that patch understands")
def _():
    for content in (b"a\nb\nc\nd\ne\n", b"a\nb", b"", None):
        with Setup("bash") as place:
            if content is not None:
                place.write(content)
            shown = place.setup().out.split("@@", 1)[1]
            diff = f"--- a\n+++ b\n@@{shown}"
            with open(place.at("a"), "wb") as file:
                file.write(content or b"")
            subprocess.run(["patch", "-s", place.at("a")], input=diff.encode(), check=True, stdout=subprocess.DEVNULL)
            place.put()
            with open(place.at("a"), "rb") as file:
                wanted = place.read() if content is not None else place.read()
                same(file.read(), wanted)


@test("without a name: what is here and what is set up; names have suggestions")
def _():
    with Setup("codex") as place:
        place.put()
        rows = {row["name"]: row for row in json.loads(place.run("setup", "--json", env=PLAIN).out)}
        same(list(rows), list(FILES))
        same((rows["codex"]["state"], rows["codex"]["file"]), ("set up", place.file))
        same((rows["cursor"]["state"], rows["claude"]["state"]), ("not here", "not here"))
        has(place.run("setup", env=PLAIN).out, "codex     set up")
        has(place.run("setup", "cluade").err, "did you mean claude?")
        same(json.loads(place.setup("--json").out), {"name": "codex", "file": place.file, "changed": False})
        same(json.loads(place.setup("--json", "--remove").out)["changed"], False)
        same(json.loads(place.setup("--json", "--remove", "--yes").out)["changed"], True)


@test("a home or configuration of one's own is handed on")
def _():
    with Setup("cursor") as place:
        place.run("setup", "cursor", "--yes", "--home", place.at("a b"))
        same(json.loads(place.read())["mcpServers"]["stele"]["args"], ["--home", place.at("a b"), "mcp"])
        config = place.at("c.toml")
        with open(config, "w", encoding="utf-8"):
            pass
        place.run("setup", "cursor", "--yes", "--config", config, env=PLAIN)
        same(json.loads(place.read())["mcpServers"]["stele"]["args"], ["--config", config, "mcp"])
        place.take()
        same(os.path.exists(place.file), False)
    with Setup("systemd") as place:
        place.run("setup", "systemd", "--yes", "--home", place.at("a b$%"))
        has(place.read().decode(), f'ExecStart="{BIN}" "--home" "{place.at("a b$$%%")}" serve --socket %t/stele.sock\n',
            f'ReadWritePaths="{place.at("a b$$%%")}"\n', "Type=notify\n", "WatchdogSec=30\n", "ProtectSystem=strict\n")


@test("systemd is told, where its user manager runs")
def _():
    with Setup("systemd") as place:
        os.makedirs(place.at("bin"))
        os.makedirs(place.at("run", "systemd"))
        with open(place.at("run", "systemd", "private"), "w", encoding="utf-8"):
            pass
        log, fake = place.at("log"), place.at("bin", "systemctl")
        with open(fake, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$@" >> "{log}"\n[ ! -e "{log}.fail" ]\n')
        os.chmod(fake, 0o755)
        env = {**PLAIN, "PATH": place.at("bin") + ":" + os.environ["PATH"], "XDG_RUNTIME_DIR": place.at("run")}

        def told():
            with open(log, encoding="utf-8") as file:
                return file.read().splitlines()
        has(place.setup(env=env).out, "$ systemctl --user enable --now stele.service")
        same(os.path.exists(log), False)
        place.setup("--yes", env=env)
        same(told(), ["--user daemon-reload", "--user enable --now stele.service"])
        same(os.path.isdir(place.at("user", ".local/share/stele")), True)
        place.setup("--remove", "--yes", env=env)
        same(told()[2:], ["--user disable --now stele.service"])
        with open(log + ".fail", "w", encoding="utf-8"):
            pass
        done = place.setup("--yes", env=env)
        same(done.status, 1)
        has(done.err, "systemctl --user daemon-reload failed")


# ---- Browsers --------------------------------------------------------------------------------

def manifest(place):
    with open(os.path.join(os.path.dirname(place.file), "stele.json"), encoding="utf-8") as file:
        return json.load(file)


def extension():
    """The name by which each browser knows the extension."""
    with open(os.path.join(SOURCE, "web", "extension", "manifest.json"), encoding="utf-8") as file:
        found = json.load(file)
    digest = hashlib.sha256(base64.b64decode(found["key"])).hexdigest()[:32]
    chromium = "".join(chr(ord("a") + int(digit, 16)) for digit in digest)
    return found["browser_specific_settings"]["gecko"]["id"], f"chrome-extension://{chromium}/"


for target in BROWSERS:
    @test(f"{target}: a script that runs the host, and a manifest that names it and the extension")
    def _(target=target):
        firefox, chromium = extension()
        with Setup(target) as place:
            has(place.setup().out, "stele.json", "allowed_")
            same(os.path.exists(place.file), False)
            place.run("setup", target, "--yes", "--home", place.at("a b"))
            found = manifest(place)
            same({name: found[name] for name in ("name", "path", "type")}, {"name": "stele", "path": place.file, "type": "stdio"})
            same(found.get("allowed_extensions"), [firefox] if target == "firefox" else None)
            same(found.get("allowed_origins"), None if target == "firefox" else [chromium])
            done = subprocess.run([place.file, "the browser's", "words"], input=struct.pack("=I", 17) + b'{"type":"status"}',
                                  stdout=subprocess.PIPE, env=place.environment(PLAIN), check=True)
            same(json.loads(done.stdout[4:])["status"], "ok")
            has(place.read().decode(), f"--home '{place.at('a b')}' native-messaging-host")


@test("a manifest that went missing, or a script that cannot be run, is put in order")
def _():
    with Setup("chromium") as place:
        place.put()
        first = manifest(place)
        os.unlink(os.path.join(os.path.dirname(place.file), "stele.json"))
        place.put()
        same(manifest(place), first)
        os.chmod(place.file, 0o600)
        place.put()
        same(stat.S_IMODE(os.stat(place.file).st_mode), 0o700)
        has(place.put().out, "already there")


if __name__ == "__main__":
    sys.exit(main())

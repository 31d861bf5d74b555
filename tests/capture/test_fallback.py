#!/usr/bin/env python3
"""Events that the server did not take are kept in files, and replayed once.  Prints TAP."""

import contextlib
import datetime
import fcntl
import glob
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from capture import frames  # noqa: E402
from capture.frames import envelope, shell  # noqa: E402
from check import tap  # noqa: E402
from serve.server import Server, until  # noqa: E402

STELE = os.environ["STELE_TEST_CLI"]
SECRET = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"


class Place:
    """A home, and the command line on it."""

    def __init__(self, home):
        self.home = home
        self.directory = os.path.join(home, "fallback")

    def run(self, *words, **options):
        return subprocess.run([STELE, "--home", self.home, *words], capture_output=True, text=True, check=False, timeout=60, **options)

    def send(self, command, *words, **options):
        return self.run("send-event", "shell", "--cmd", command, "--cwd", "/", "--json", *words, **options)

    def call(self, method, **arguments):
        done = self.run("call", method, json.dumps(arguments), "--json")
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return json.loads(done.stdout)

    def replay(self, *words):
        done = self.run("replay", "--json", *words)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return json.loads(done.stdout)

    def commands(self):
        return [row["command"] for row in self.call("capture.get_events", limit=1000)]

    def files(self):
        return sorted(os.listdir(self.directory)) if os.path.isdir(self.directory) else []

    def write(self, name, *lines, end="\n"):
        os.makedirs(self.directory, mode=0o700, exist_ok=True)
        with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
            file.write("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + end)

    def lines(self, name):
        with open(os.path.join(self.directory, name), encoding="utf-8") as file:
            return file.read().splitlines()


@contextlib.contextmanager
def place():
    with tempfile.TemporaryDirectory(prefix="stele-fallback-") as directory:
        yield Place(os.path.join(directory, "home"))


def expect(what, got, wanted):
    if got != wanted:
        yield f"{what}: {got!r}, not {wanted!r}"


@tap.case
def _():
    """without a server an event is kept in a private file of the day, on one line, without its secrets"""
    with place() as here:
        before = datetime.datetime.now(datetime.timezone.utc).date()
        done = here.send(f"export GITHUB_TOKEN={SECRET}", "--output", f"a\nb {SECRET}\n")
        after = datetime.datetime.now(datetime.timezone.utc).date()
        yield from expect("told", (done.returncode, done.stdout), (0, '{"stored":0,"kept":1}\n'))
        yield from expect("the file", here.files()[0] in (f"{before}.jsonl", f"{after}.jsonl"), True)
        path = os.path.join(here.directory, here.files()[0])
        for name, mode in ((path, 0o600), (here.directory, 0o700)):
            yield from expect(name, stat.S_IMODE(os.stat(name).st_mode), mode)
        lines = here.lines(here.files()[0])
        yield from expect("lines", len(lines), 1)
        kept = json.loads(lines[0])
        yield from expect("the command", kept["payload"]["data"]["command"], "export GITHUB_TOKEN=[REDACTED]")
        if SECRET in lines[0] or not re.fullmatch(r"[0-9a-f-]{36}", kept["envelope_id"]):
            yield f"{kept}"
        yield from expect("replayed", here.replay(), {"files": 1, "partial": 0, "stored": 1, "duplicates": 0, "refused": 0, "problems": []})
        yield from expect("stored", here.commands(), ["export GITHUB_TOKEN=[REDACTED]"])
        yield from expect("done", [name.split(".", 1)[1] for name in here.files()], ["jsonl.done"])
        yield from expect("nothing is left", here.replay()["files"], 0)
        here.send("later that day")
        yield from expect("later", here.replay()["stored"], 1)
        yield from expect("both are there", sorted(name.split(".", 1)[1] for name in here.files()), ["jsonl.done", "jsonl.done.2"])


@tap.case
def _():
    """rules of redaction that are wrong let nothing through, and lose nothing"""
    with place() as here:
        os.makedirs(here.home)
        with open(os.path.join(here.home, "redact.toml"), "w", encoding="utf-8") as file:
            file.write("this is no rule")
        here.send(f"export GITHUB_TOKEN={SECRET}")
        text = here.lines(here.files()[0])[0]
        if SECRET in text or "GITHUB_TOKEN" not in text:
            yield text


@tap.case
def _():
    """a server that accepts and does not answer, or says no, makes no difference"""
    with place() as here:
        os.makedirs(here.home)
        for answer in (b"", b"\0\0\0\x1e" + b'{"type":"Error","data":"full"}', b"\0\0\0\x02{}"):
            with socket.socket(socket.AF_UNIX) as listening:
                listening.bind(frames.path_of(here.home))
                listening.listen()

                def serve(reply=answer, at=listening):
                    one = at.accept()[0]
                    one.recv(1 << 20)
                    one.sendall(reply)
                    one.close()
                beside = threading.Thread(target=serve)
                beside.start()
                done = here.send("kept")
                beside.join()
                yield from expect(answer, done.stdout, '{"stored":0,"kept":1}\n')
            os.unlink(frames.path_of(here.home))
        yield from expect("lines", len(here.lines(here.files()[0])), 3)


@tap.case
def _():
    """with a server it is stored at once, and no file is written"""
    with place() as here, Server(here.home):
        done = here.send("make test", "--exit", "2", "--duration-ms", "1500", "--shell", "zsh", "--session", "s1")
        yield from expect("told", done.stdout, '{"stored":1,"kept":0}\n')
        yield from expect("files", here.files(), [])
        row = here.call("capture.get_events")[0]
        yield from expect("kept", [row[name] for name in ("command", "exit_code", "duration_ms", "shell", "cwd")],
                          ["make test", 2, 1500, "zsh", "/"])


@tap.case
def _():
    """files are replayed in the order of their names; lines that are not understood are kept, in their order"""
    good = [envelope(shell(f"c{number}")) for number in range(5)]
    with place() as here:
        here.write("2026-01-02.jsonl", good[2], "{torn", good[3], "", envelope(kind="Raw"), good[0])
        here.write("2026-01-01.jsonl", good[0], good[1])
        here.write("2026-01-03.jsonl", good[4], json.dumps(good[1])[:50], end="")  # torn at its end
        here.write("notes.txt", "not ours")
        told = here.replay()
        yield from expect("told", {name: told[name] for name in ("files", "partial", "stored", "duplicates", "refused")},
                          {"files": 3, "partial": 2, "stored": 5, "duplicates": 1, "refused": 3})
        yield from expect("problems", [line.split(":")[0] for line in told["problems"]],
                          ["2026-01-02.jsonl", "2026-01-02.jsonl", "2026-01-03.jsonl"])
        yield from expect("files", here.files(), ["2026-01-01.jsonl.done", "2026-01-02.jsonl.partial", "2026-01-03.jsonl.partial", "notes.txt"])
        partial = here.lines("2026-01-02.jsonl.partial")
        yield from expect("left", [partial[0], json.loads(partial[1])["payload"]["type"]], ["{torn", "Raw"])
        yield from expect("torn", here.lines("2026-01-03.jsonl.partial"), [json.dumps(good[1])[:50]])
        yield from expect("stored", sorted(here.commands()), ["c0", "c1", "c2", "c3", "c4"])
        here.write("2026-01-02.jsonl", "{another")
        here.replay()
        yield from expect("no line is overwritten", here.lines("2026-01-02.jsonl.partial.2"), ["{another"])


@tap.case
def _():
    """a line that was torn does not spoil the next one"""
    with place() as here:
        here.send("first")
        path = os.path.join(here.directory, here.files()[0])
        with open(path, "a", encoding="utf-8") as file:
            file.write('{"envelope_id":')
        here.send("second")
        told = here.replay()
        yield from expect("told", (told["stored"], told["refused"]), (2, 1))


@tap.case
def _():
    """killed on the way, a replay goes on; nothing is doubled or lost"""
    count = 3000
    all_of_them = [envelope(shell(f"c{number}")) for number in range(count)]
    with place() as here:
        here.write("2026-01-01.jsonl", *all_of_them[:count // 2], "{bad")
        here.write("2026-01-02.jsonl", *all_of_them[count // 2:])
        for tries in range(60):
            process = subprocess.Popen([STELE, "--home", here.home, "replay", "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(0.01 * tries)
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
        here.replay()
        yield from expect("files", here.files(), ["2026-01-01.jsonl.partial", "2026-01-02.jsonl.done"])
        yield from expect("left", here.lines("2026-01-01.jsonl.partial"), ["{bad"])
        here.write("again.jsonl", *all_of_them)
        found = here.replay()
        yield from expect("all are there", (found["stored"], found["duplicates"]), (0, count))


@tap.case
def _():
    """senders go on while a file is replayed: whoever waits for the lock writes to the new file"""
    with place() as here:
        here.send("first")
        name = here.files()[0]
        path = os.path.join(here.directory, name)
        with open(path, "r+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            waiting = subprocess.Popen([STELE, "--home", here.home, "send-event", "shell", "--cmd", "second", "--cwd", "/"])
            try:
                waiting.wait(1)
                yield "it did not wait for the lock"
            except subprocess.TimeoutExpired:
                pass
            os.rename(path, path + ".taken")  # as a replay does
        waiting.wait(60)
        yield from expect("files", here.files(), [name, name + ".taken"])
        yield from expect("the old one", len(here.lines(name + ".taken")), 1)
        told = here.replay()
        yield from expect("both", (told["stored"], sorted(here.commands())), (2, ["first", "second"]))


@tap.case
def _():
    """the server replays what is there when it starts"""
    with place() as here:
        here.send("while it was away")
        with Server(here.home, settings="jobs=1,watch=0") as server:
            until(lambda: any(name.endswith(".done") for name in here.files()))
            yield from expect("stored", here.commands(), ["while it was away"])
            jobs = {job["name"]: job for job in json.loads(server.get("/v1/status").text)["jobs"]}
            yield from expect("told", (jobs["replay"]["runs"], jobs["replay"]["failures"]), (1, 0))


@tap.case
def _():
    """a server that has nothing to replay makes no store for it"""
    with place() as here, Server(here.home, settings="jobs=1,watch=0") as server:
        until(lambda: json.loads(server.get("/v1/status").text)["jobs"][0]["heartbeat"] > 0)
        yield from expect("files", glob.glob(os.path.join(here.home, "capture*.db")), [])


@tap.case
def _():
    """what is not to be captured is not: a space before it, the switch, a directory of the configuration, a marked one"""
    with place() as here, Server(here.home), tempfile.TemporaryDirectory() as directory:
        marked, private = os.path.join(directory, "marked"), os.path.join(directory, "private")
        for path in (os.path.join(marked, "below"), os.path.join(private, "below")):
            os.makedirs(path)
        with open(os.path.join(marked, ".stele-ignore"), "w", encoding="utf-8"):
            pass
        config = os.path.join(directory, "config.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f'[capture]\nignore_directories = ["/nowhere", "{directory}/priv*"]\n')
        quiet = {**os.environ, "STELE_CAPTURE": "off"}
        for words in ((" secret", "/", {}), ("  ", "/", {}), ("off", "/", {"env": quiet}), ("m", marked, {}), ("m", os.path.join(marked, "below"), {}),
                      ("p", private, {}), ("p", os.path.join(private, "below"), {})):
            done = here.run("--config", config, "send-event", "shell", "--cmd", words[0], "--cwd", words[1], "--json", **words[2])
            yield from expect(words, (done.returncode, done.stdout), (0, '{"stored":0,"kept":0}\n'))
        here.run("--config", config, "send-event", "shell", "--cmd", "seen", "--cwd", directory)
        yield from expect("stored", here.commands(), ["seen"])


@tap.case
def _():
    """a mistake in the configuration loses no event, and fields from standard input are the same"""
    with place() as here, tempfile.TemporaryDirectory() as directory:
        config = os.path.join(directory, "config.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write("nonsense = true\n")
        fields = "\0".join(["cmd=echo 'a=b'\n\ttwo lines", "exit=3", "cwd=/", "duration_ms=7", "shell=fish", "session=s", "unknown=1", "nothing"])
        done = here.run("--config", config, "send-event", "shell", "--stdin", "--json", input=fields)
        yield from expect("told", done.stdout, '{"stored":0,"kept":1}\n')
        data = json.loads(here.lines(here.files()[0])[0])["payload"]["data"]
        yield from expect("kept", [data[name] for name in ("command", "exit_code", "duration_ms", "shell", "session_id")],
                          ["echo 'a=b'\n\ttwo lines", 3, 7, "fish", "s"])
        for words, given in ((["send-event", "shell"], ""), (["send-event", "shell", "--stdin"], "exit=3\0nothing")):
            yield from expect("nothing said", here.run(*words, input=given).returncode, 2)


@tap.case
def _():
    """of too much on standard input the first part is kept, and that is told"""
    with place() as here:
        done = here.run("send-event", "shell", "--stdin", "--json", input="cmd=make\0cwd=/\0output=" + "x" * (9 << 20))
        yield from expect("kept", done.stdout, '{"stored":0,"kept":1}\n')
        if "more than 8 MiB" not in done.stderr:
            yield f"told: {done.stderr!r}"
        data = json.loads(here.lines(here.files()[0])[0])["payload"]["data"]
        yield from expect("command", data["command"], "make")


if __name__ == "__main__":
    tap.main()

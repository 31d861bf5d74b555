"""Load on the server, with wrk and 64 connections: reads of a small method, durable writes beside a loop of
the C API that commits each call, memory, and what it costs to do nothing; beside a small server in Node.

Writes, the loop and the other server take turns on the same disk, so that a slow moment hits all; the ratio is the
median of the turns.
"""

import json
import os
import re
import statistics
import subprocess
import time

import node

CONNECTIONS = 64
TURNS = 3
SECONDS = 3  # of each turn
MESSAGE = '{"session_id":"bench","role":"user","content":"how did I fix that?"}'


class Server:
    def __init__(self, command, home):
        """A command that says where it listens, and may leave its token in the home."""
        self.log = open(os.path.join(home, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=self.log)
        self.address, self.token = self._address(), ""
        token = os.path.join(home, "server.token")
        if os.path.exists(token):
            with open(token, encoding="utf-8") as file:
                self.token = file.read().strip()

    def _address(self):
        while self.process.poll() is None:
            with open(self.log.name, encoding="utf-8") as log:
                found = re.search(r"listening on (http://[\d.:]+)", log.read())
            if found:
                return found[1]
            time.sleep(0.02)
        raise RuntimeError("the server did not start")

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.log.close()

    def cpu(self):
        """Seconds that it computed."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            words = file.read().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """MiB: all that is in memory, and what is its own."""
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as file:
            sizes = dict(re.findall(r"(\w+): +(\d+) kB", file.read()))
        own = int(sizes["Private_Clean"]) + int(sizes["Private_Dirty"])
        return int(sizes["Rss"]) / 1024, own / 1024

    def load(self, path, seconds, script=None):
        """(requests/s, p99 in ms, requests, computing per request in µs)"""
        words = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "--timeout", "30s", "--latency", "-H", f"Authorization: Bearer {self.token}"]
        before = self.cpu()
        out = subprocess.check_output([*words, *(["-s", script] if script else []), self.address + path], text=True)
        if "Non-2xx" in out or "Socket errors" in out:
            raise RuntimeError(out)
        number, unit = re.search(r"99% +([\d.]+)(us|ms|s)", out).groups()
        p99 = float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
        requests = int(re.search(r"(\d+) requests in", out)[1])
        return float(re.search(r"Requests/sec: +([\d.]+)", out)[1]), p99, requests, (self.cpu() - before) / requests * 1e6


def write_script(directory):
    path = os.path.join(directory, "append.lua")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"wrk.method = 'POST'\nwrk.body = '{MESSAGE}'\n")
    return path


def start_rival(build, directory):
    """The server in Node, with the tables of the original and a few messages in them."""
    subprocess.run([os.path.join(build, "bench", "bench_count"), "--dir", directory, "--only", "original"], check=True, stdout=subprocess.DEVNULL)
    return Server(node.command("serve/better.mjs", os.path.join(directory, "original", "original.db")), directory)


def measure(build, directory):
    """Figures of the program and the loop in a build directory."""
    home, alone, other = (os.path.join(directory, name) for name in ("served", "alone", "other"))
    for path in (home, alone, other):
        os.mkdir(path)
    loop = os.path.join(build, "bench", "bench_calls")
    script = write_script(directory)
    server = Server([os.path.join(build, "stele"), "--home", home, "serve", "--port", "0", "--no-import"], home)
    rival = start_rival(build, other)
    try:
        subprocess.run([os.path.join(build, "stele"), "--home", home, "call", "conversation.ensure_session",
                        '{"session_id":"bench","source":"cli"}'], check=True, stdout=subprocess.DEVNULL)
        at_rest = server.memory()[1]
        ratios, writes, loops, better_writes = [], [], [], []
        for _ in range(TURNS):
            done = subprocess.check_output([loop, "--dir", alone, "--seconds", str(SECONDS)], text=True)
            loops.append(json.loads(done)["per_second"])
            writes.append(server.load("/v1/conversation/append_message", SECONDS, script))
            ratios.append(writes[-1][0] / loops[-1])
            better_writes.append(rival.load("/append", SECONDS, script))
        small, rows, better_small, better_rows = [], [], [], []
        for _ in range(TURNS):
            small.append(server.load("/v1/conversation/session_count", SECONDS))
            rows.append(server.load("/v1/sessions/bench", SECONDS))
            better_small.append(rival.load("/count", SECONDS))
            better_rows.append(rival.load("/session", SECONDS))
        rss, own = server.memory()
        time.sleep(2)
        before = server.cpu()
        time.sleep(5)
        idle = (server.cpu() - before) / 5
        figures_of_rival = {"better_rss_mb": rival.memory()[0]}
    finally:
        server.stop()
        rival.stop()
    figures = {"ratio": statistics.median(ratios), "loop_per_s": statistics.median(loops), "rss_mb": rss, "own_mb": own,
               "at_rest_mb": at_rest, "idle_percent": idle * 100, **figures_of_rival}
    for name, turns in (("small", small), ("rows", rows), ("writes", writes),
                        ("better_small", better_small), ("better_rows", better_rows), ("better_writes", better_writes)):
        for column, what in enumerate(("per_s", "p99_ms", None, "cpu_us")):
            if what:
                figures[f"{name}_{what}"] = statistics.median(turn[column] for turn in turns)
    return figures

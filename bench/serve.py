#!/usr/bin/env python3
"""Load on the server, with wrk and 64 connections: reads of a small method, durable writes beside a loop of
the C API that commits each call, memory, and what it costs to do nothing.

Writes and the loop take turns on the same disk, so that a slow moment hits both; the ratio is the median of
the turns.  A missed target is shown, not an error.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

CONNECTIONS = 64
TURNS = 3
MESSAGE = '{"session_id":"bench","role":"user","content":"how did I fix that?"}'


class Server:
    def __init__(self, program, home):
        self.log = open(os.path.join(home, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen([program, "--home", home, "serve", "--port", "0"], stderr=self.log)
        self.address = self._address()
        with open(os.path.join(home, "server.token"), encoding="utf-8") as file:
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
        words = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "--latency", "-H", f"Authorization: Bearer {self.token}"]
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


def measure(args, directory):
    home, alone = os.path.join(directory, "served"), os.path.join(directory, "alone")
    os.mkdir(home)
    os.mkdir(alone)
    loop = os.path.join(args.build_dir, "bench", "bench_calls")
    script = write_script(directory)
    server = Server(os.path.join(args.build_dir, "stele"), home)
    try:
        subprocess.run([os.path.join(args.build_dir, "stele"), "--home", home, "call", "conversation.ensure_session",
                        '{"session_id":"bench","source":"cli"}'], check=True, stdout=subprocess.DEVNULL)
        ratios, writes, loops = [], [], []
        for _ in range(TURNS):
            done = subprocess.check_output([loop, "--dir", alone, "--seconds", str(args.seconds)], text=True)
            loops.append(json.loads(done)["per_second"])
            writes.append(server.load("/v1/conversation/append_message", args.seconds, script))
            ratios.append(writes[-1][0] / loops[-1])
        small, rows = [], []
        for _ in range(TURNS):
            small.append(server.load("/v1/conversation/session_count", args.seconds))
            rows.append(server.load("/v1/sessions/bench", args.seconds))
        loaded = server.memory()
        time.sleep(2)
        before = server.cpu()
        time.sleep(5)
        idle = (server.cpu() - before) / 5
    finally:
        server.stop()
    return ratios, writes, loops, small, rows, loaded, idle


def median(rows, column):
    return statistics.median(row[column] for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--seconds", type=int, default=3, help="length of each turn")
    args = parser.parse_args()
    if not shutil.which("wrk"):
        print("serve: there is no wrk (tools/setup bench installs it)", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(dir=args.build_dir, prefix="bench-serve-") as directory:
        ratios, writes, loops, small, rows, (rss, own), idle = measure(args, directory)
    ratio, rate = statistics.median(ratios), median(small, 0)
    print(f"small    {rate:9.0f}/s   p99 {median(small, 1):.1f} ms   {median(small, 3):.0f} µs of computing each"
          f"   target >= 20000/s: {'yes' if rate >= 20000 else 'NO'}")
    print(f"a row    {median(rows, 0):9.0f}/s   p99 {median(rows, 1):.1f} ms   {median(rows, 3):.0f} µs of computing each")
    print(f"writes   {median(writes, 0):9.0f}/s   p99 {median(writes, 1):.1f} ms   {median(writes, 3):.0f} µs of computing each")
    print(f"C loop   {statistics.median(loops):9.0f}/s   writes are {ratio:.1f} x   target >= 3: {'yes' if ratio >= 3 else 'NO'}")
    print(f"memory   {rss:.0f} MiB, of its own {own:.0f} MiB; idle {idle * 100:.2f} % of a processor")
    return 0


if __name__ == "__main__":
    sys.exit(main())

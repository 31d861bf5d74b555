#!/usr/bin/env python3
"""An export is told as it is read: however much there is, the program needs little memory, on both engines.
Prints TAP."""

import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cli.place import BIN, WITHOUT_POSTGRES  # noqa: E402
from method import doors  # noqa: E402

ENOUGH = 24  # sessions: more than the page cache holds
SESSIONS = 60
TEXT = "one line of many\n" * 64  # 1 KiB
MESSAGES = 1024                   # of a session: 1 MiB


def export(place, to):
    """Run the program; (its exit status, its peak in KiB)."""
    words = [BIN, "--home", place["home"]]
    for store, location in place.get("stores", {}).items():
        words += ["--store", f"{store}={location}"]
    child = os.fork()
    if child == 0:
        os.dup2(to.fileno(), 1)
        # A sanitizer would keep what is freed, and that is what is measured.
        asan = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
        os.execve(BIN, [*words, "export"], {**os.environ, "ASAN_OPTIONS": asan})
    _, status, used = os.wait4(child, 0)
    return status, used.ru_maxrss


def fill(place, sessions):
    with doors.Player() as player:
        [(word, reply)] = player.ask(("open", json.dumps(place)))
        assert word == "ok", reply
        for number in sessions:
            messages = [{"role": "user", "content": TEXT, "timestamp": 1.0}] * MESSAGES
            args = {"id": f"s{number}", "source": "cli", "started_at": float(number), "messages": messages}
            [(word, reply)] = player.ask(("call", "conversation.import_session", json.dumps(args)))
            assert word == "ok", reply


def play(places):
    place = places.new()
    peaks = []
    for first, end in ((0, ENOUGH), (ENOUGH, SESSIONS)):
        fill(place, range(first, end))
        with tempfile.TemporaryFile() as to:
            status, peak = export(place, to)
            assert status == 0, status
            to.seek(0)
            assert sum(1 for _ in to) == end
        peaks.append(peak)
    # 36 MiB more to tell; a sixth of that is more than the noise of an allocator.
    assert peaks[1] < peaks[0] + 6 * 1024, f"peak {peaks[0]} KiB with little, {peaks[1]} KiB with much"


def main():
    engines = [doors.Sqlite()] + ([] if WITHOUT_POSTGRES else [doors.Postgres(["conversation"])])
    failed = 0
    for number, engine in enumerate(engines, 1):
        why = ""
        try:
            with engine as places:
                play(places)
        except (AssertionError, doors.Broken) as error:
            why = str(error)
        failed += why != ""
        print(f"{'not ok' if why else 'ok'} {number} - {engine.engine}: an export needs little memory", flush=True)
        if why:
            print("# " + why.replace("\n", "\n# "))
    print(f"1..{len(engines)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

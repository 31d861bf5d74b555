#!/usr/bin/env python3
"""A home with much in it, for the dashboard: what coding agents, shells, programs, a planner and an assistant left in half a year.

    python3 bench/web/large.py HOME [--messages 1000000] [--events 200000] [--calls 200000]
"""

import argparse
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "recall"))
import scale  # noqa: E402

BATCH = 1000
DAY = 86400
COMMANDS = ("git status", "git push origin main", "make test", "pytest tests/test_tides.py", "cargo build --release", "npm run lint",
            "docker compose up -d map", "ssh buoy uptime", "psql -f migrate.sql", "grep -rn locked src")


def batches(count):
    for first in range(0, count, BATCH):
        yield range(first, min(first + BATCH, count))


def capture(db, count, now, dice):
    """Commands of half a year; of the last ones it is learned, the others wait no more."""
    for numbers in batches(count):
        at = [now - (count - n) * 180 * DAY / count for n in numbers]
        db.capture.insert_events(events=[{
            "command": f"{COMMANDS[n % len(COMMANDS)]} {n}", "exit_code": int(dice.random() < 0.1), "duration_ms": dice.randrange(90000),
            "cwd": f"/srv/project{n % 40}", "git_repo": f"/srv/project{n % 40}", "git_branch": "main", "hostname": "buoy", "shell": "zsh",
            "terminal": f"t{n // 200}", "timestamp": when, "now": when} for n, when in zip(numbers, at)])


def telemetry(db, count, now, dice):
    session = db.telemetry.create_session(now=now - 6 * DAY)["session_id"]
    listeners = [db.telemetry.register_listener(app_key=f"app{n % 8}", instance_index=0, handler_method=f"on_{n}", topic="t", source_location="a.py:1",
                                                last_registered_at=now - 6 * DAY)["listener_id"] for n in range(60)]
    for numbers in batches(count):
        db.telemetry.persist_batch(invocations=[{
            "listener_id": listeners[n % len(listeners)], "session_id": session, "execution_start_dtme": now - (count - n) * 6 * DAY / count,
            "duration_ms": dice.lognormvariate(2.5, 0.8), "status": "error" if dice.random() < 0.03 else "success"} for n in numbers])


def planner(db, now):
    for n in range(200):
        db.planner.create_session(session=f"s{n}", description=f"Works {n}", now=now - n * DAY / 2)
        message = db.planner.receive_message(session=f"s{n}", content=f"Deploy map {n}", timestamp=now - n * DAY / 2)["id"]
        db.planner.create_plan(session=f"s{n}", message_id=message, goal=f"Deploy map {n}", model="m", now=now - n * DAY / 2, tasks=[
            {"type": "exec", "detail": f"step {step}", "expect": "exit code 0"} for step in range(8)] + [{"type": "msg", "detail": "tell"}])
    for n in range(3000):
        db.planner.save_fact(content=f"Fact number {n} about harbour {n % 70}", source="curator", now=now - n * 600)
        db.planner.save_learning(content=f"Learning number {n}", session=f"s{n % 200}", user="ada", now=now - n * 600)


def assistant(db, now):
    for n in range(5000):
        db.assistant.save_note(id=f"n{n}", title=f"Note {n}", content=f"The harbour master of port {n} sends tables.", created_at=now - n * 3000)
        db.assistant.create_task(id=f"t{n}", title=f"Task {n}", created_at=now - n * 3000)


def main():
    import stele
    parser = argparse.ArgumentParser(description="Make a home with much in it.")
    parser.add_argument("home")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--calls", type=int, default=200_000)
    args = parser.parse_args()
    os.makedirs(args.home, exist_ok=True)
    now, dice = time.time(), random.Random(1)
    if not os.path.exists(os.path.join(args.home, "asked.json")):
        scale.fill(args.home, scale.model_by_chance(args.home), args.messages)
    with stele.open(args.home) as db:
        for name, fill in (("capture", lambda: capture(db, args.events, now, dice)), ("telemetry", lambda: telemetry(db, args.calls, now, dice)),
                           ("planner", lambda: planner(db, now)), ("assistant", lambda: assistant(db, now)), ("enrich", lambda: db.capture.enrich(limit=2000)),
                           ("index", db.recall.index)):
            started = time.monotonic()
            fill()
            scale.say(f"{name}: {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Schedules fire when Python's time zones say so; a slot is claimed once; rules that were deleted stay so.  Prints TAP."""

import concurrent.futures
import contextlib
import datetime
import json
import os
import random
import sqlite3
import sys
import zoneinfo

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from assistant.cron_oracle import FIELDS, Schedule  # noqa: E402
from method import doors  # noqa: E402
from place import Place, has, main, postgres_test, same, test  # noqa: E402

ZONES = ("UTC", "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/Sao_Paulo", "America/St_Johns", "Australia/Lord_Howe",
         "Africa/Casablanca", "Asia/Gaza", "Pacific/Apia", "America/Nuuk", "Antarctica/Troll", "Asia/Kathmandu")
WITHIN = 500  # days that are looked at
COUNT = 4


def both(name):
    """A test of a store on each engine: it gets what opens another player of that store."""
    def keep(function):
        def on(places):
            def run():
                with places() as place, contextlib.ExitStack() as opened:
                    where = place.new()

                    def player():
                        new = opened.enter_context(doors.Player())
                        new.open(where)
                        return lambda method, **args: new.must("call", "assistant." + method, json.dumps(args))
                    function(player)
            return run
        test(f"sqlite: {name}")(on(doors.Sqlite))
        postgres_test(f"postgres: {name}")(on(lambda: doors.Postgres(["assistant"])))
        return function
    return keep


# ---- When they fire ----

def some_part(rng, low, high, names):
    def told(value):
        words = [word for word, number in names.items() if number == value]
        return rng.choice([word.lower() for word in words] + words) if words and rng.random() < 0.3 else str(value)
    kind = rng.random()
    first, last = sorted((rng.randint(low, high), rng.randint(low, high)))
    if kind < 0.5:
        return told(first)
    step = f"/{rng.randint(1, max(1, high // 2))}" if rng.random() < 0.5 else ""
    if kind < 0.6:
        return f"*{step}"
    return f"{first}-{last}{step}" if kind < 0.85 else f"{told(first)}{step}"


def some_field(rng, low, high, names):
    if rng.random() < 0.4:
        return rng.choice(("*", "*", "*/2", "*/5"))
    return ",".join(some_part(rng, low, high, names) for _ in range(rng.choice((1, 1, 2, 3))))


def some_schedule(rng):
    fields = [some_field(rng, *bounds) for bounds in FIELDS]
    if rng.random() < 0.5:
        fields[1] = str(rng.randint(0, 3))  # the hours in which clocks are changed
    return " ".join(fields)


def some_time(rng):
    """Often in the weeks in which clocks are changed."""
    month = rng.choice((1, 2, 3, 3, 3, 4, 6, 9, 10, 10, 10, 11, 12))
    return datetime.datetime(rng.randint(1985, 2090), month, rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59),
                             rng.randint(0, 59), tzinfo=datetime.timezone.utc)


@test("generated schedules fire when Python's time zones say so")
def _():
    rng = random.Random(42)
    with doors.Sqlite() as place, doors.Player() as player:
        player.open(place.new())
        compared = 0
        for _ in range(600):
            text, name, after = some_schedule(rng), rng.choice(ZONES), some_time(rng)
            asked = {"cron_expression": text, "timezone": name, "after": after.isoformat(), "count": COUNT}
            kind, told = player.call("assistant.next_runs", json.dumps(asked))
            if kind == "error":
                has(told["message"], "never fires")
                same((text, Schedule(text).after(zoneinfo.ZoneInfo(name), after, 1, 1500)), (text, []))
                continue
            wanted = Schedule(text).after(zoneinfo.ZoneInfo(name), after, COUNT, WITHIN)
            slots = [datetime.datetime.fromisoformat(row["slot"]) for row in told]
            same((text, name, after, slots[:len(wanted)]), (text, name, after, wanted))
            if len(wanted) < COUNT and slots[len(wanted)] < after + datetime.timedelta(days=WITHIN - 2):
                same((text, name, after, slots), (text, name, after, wanted))
            for row, slot in zip(told, slots):
                same(row["local"], slot.astimezone(zoneinfo.ZoneInfo(name)).isoformat())
            compared += len(wanted)
        same(compared > 1500, True)


@test("the slot that is due is the last one that Python's time zones have")
def _():
    rng = random.Random(7)
    with doors.Sqlite() as place, doors.Player() as player:
        player.open(place.new())

        def call(method, **args):
            return player.must("call", "assistant." + method, json.dumps(args))
        for number in range(60):
            text, name, made = some_schedule(rng), rng.choice(ZONES), some_time(rng)
            if player.call("assistant.next_runs", json.dumps({"cron_expression": text}))[0] == "error":
                continue
            now = made + datetime.timedelta(hours=rng.randint(1, 60), minutes=rng.randint(0, 59))
            call("create_scheduled_task", id=str(number), name="n", prompt="p", cron_expression=text, timezone=name,
                 created_at=made.isoformat())
            wanted = [slot for slot in Schedule(text).after(zoneinfo.ZoneInfo(name), made, 4000, 5) if slot <= now]
            due = [datetime.datetime.fromisoformat(row["slot"]) for row in call("get_due_scheduled_tasks", now=now.isoformat())]
            same((text, name, made, now, due), (text, name, made, now, wanted[-1:]))
            call("delete_scheduled_task", id=str(number))


# ---- Loops and rows ----

@both("of several loops that find a task due, one runs it")
def _(player):
    call = player()
    call("create_scheduled_task", id="a", name="n", prompt="p", cron_expression="* * * * *", created_at="2026-01-01T00:00:00Z")
    loops = [player() for _ in range(4)]

    def loop(call):
        claimed = 0
        for minute in range(1, 21):
            for task in call("get_due_scheduled_tasks", now=f"2026-01-01T00:{minute:02}:30Z"):
                claimed += call("claim_scheduled_task", id=task["id"], slot=task["slot"])["claimed"]
        return claimed
    with concurrent.futures.ThreadPoolExecutor() as threads:
        claimed = sum(threads.map(loop, loops))
    same(1 <= claimed <= 20, True)  # a slot that a faster loop has passed is not claimed
    same(call("list_scheduled_tasks")[0]["last_run"], "2026-01-01T00:20:00.000000+00:00")
    slots = [f"2026-01-01T01:{minute:02}:00Z" for minute in range(20)]
    with concurrent.futures.ThreadPoolExecutor() as threads:
        for slot in slots:
            same(sum(threads.map(lambda call, slot=slot: call("claim_scheduled_task", id="a", slot=slot)["claimed"], loops)), 1)


@test("rows of other programs that are no schedules are told, and hold nobody up")
def _():
    with Place() as place:
        place.call("assistant.create_scheduled_task", {"id": "good", "name": "n", "prompt": "p", "cron_expression": "@hourly",
                                                       "created_at": "2026-01-01T00:00:00Z"}).reply()
        rows = (("cron", "every day", "UTC", "2026-01-01T00:00:00"), ("zone", "@daily", "Bonn", "2026-01-01T00:00:00"),
                ("time", "@daily", "UTC", "yesterday"))
        with contextlib.closing(sqlite3.connect(os.path.join(place.home, "assistant.db"))) as db:
            db.executemany("INSERT INTO scheduled_tasks (id, name, prompt, cron_expression, timezone, created_at) "
                           "VALUES (?1, 'n', 'p', ?2, ?3, ?4)", rows)
            db.execute("UPDATE alert_rules SET conditions = 'none' WHERE trigger_type = 'task_overdue'")
            db.execute("INSERT INTO tasks (id, title, due_date, created_at) VALUES ('t', 'x', '2000-01-01', '2000-01-01')")
            db.commit()
        told = {task["id"]: task["problem"] for task in place.call("assistant.list_scheduled_tasks").reply()}
        same(told["good"], None)
        has(told["cron"], "cron_expression: it has 2 fields")
        has(told["zone"], "timezone is not a time zone")
        has(told["time"], "is not a time")
        due = place.call("assistant.get_due_scheduled_tasks", {"now": "2026-02-01T00:00:00Z"})
        same([task["id"] for task in json.loads(due.out)], ["good"])
        has(due.err, "note: task cron cannot be run: cron_expression: it has 2 fields", "note: task zone cannot", "note: task time cannot")
        rules = place.call("assistant.get_due_alert_rules", {"now": "2026-01-01T23:00:00Z"})
        same(json.loads(rules.out), [])
        has(rules.err, "note: rule system:task_overdue is left out: its conditions must be an object")


@both("rules that a new store has do not come back")
def _(player):
    call = player()
    same([rule["trigger_type"] for rule in call("list_alert_rules")], ["task_due_today", "task_overdue"])
    for rule in call("list_alert_rules"):
        call("delete_alert_rule", id=rule["id"])
    same(player()("list_alert_rules"), [])


@test("a file that had no table of rules gets it with its rules")
def _():
    with Place() as place:
        place.call("assistant.delete_alert_rule", {"id": "system:task_overdue"}).reply()
        with contextlib.closing(sqlite3.connect(os.path.join(place.home, "assistant.db"))) as db:
            db.execute("DROP TABLE alert_rules")
            db.commit()
        same(len(place.call("assistant.list_alert_rules").reply()), 2)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""kill -9 in the middle of plans: nothing stays running, no message is lost.  Prints TAP."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from place import Database, main, postgres_test, same, test  # noqa: E402
from serve.server import Server  # noqa: E402

WORKERS = 6
TASKS = [{"type": "exec", "detail": "make", "expect": "ok"}, {"type": "exec", "detail": "test", "expect": "ok"}, {"type": "msg", "detail": "tell"}]


class Ledger:
    """What was acknowledged.  After so many acknowledgements the server is killed."""

    def __init__(self, server, kill_after):
        self.server = server
        self.left = kill_after
        self.lock = threading.Lock()
        self.messages, self.plans, self.done = set(), set(), set()

    def note(self, kind, number):
        with self.lock:
            getattr(self, kind).add(number)
            self.left -= 1
            if self.left == 0:
                self.server.process.kill()


def work(server, ledger, session):
    """A worker: takes messages in, plans for them, runs the tasks; until the server is gone."""
    def call(method, **args):
        connection.request("POST", f"/v1/planner/{method}", json.dumps(args), {"Authorization": f"Bearer {server.token}"})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise AssertionError(f"{method}: {answer.status} {body}")
        return json.loads(body)

    with contextlib.closing(server.connect()) as connection, contextlib.suppress(OSError, http.client.HTTPException):
        while True:
            message = call("receive_message", session=session, content="do it")["id"]
            ledger.note("messages", message)
            call("receive_message", session=session, content="ignore this", trusted=False)
            plan = call("create_plan", session=session, message_id=message, goal="g", tasks=TASKS)
            ledger.note("plans", plan["id"])
            for task in plan["task_ids"][:2]:
                call("update_task", id=task, status="running")
                call("append_task_llm_call", id=task, llm_call={"n": 1})
                call("update_task", id=task, status="done", output="fine")
                ledger.note("done", task)
            if plan["id"] % 3 == 0:
                call("update_plan_status", id=plan["id"], status="replanning")
                call("supersede_plan", id=plan["id"], goal="better", status="done", tasks=TASKS[:1])


def check(server, before):
    """What was acknowledged is there, whole; nothing runs."""
    told = server.call("planner.recover_stale_running")
    same(server.call("planner.recover_stale_running"), {"plans": 0, "tasks": 0, "cancelled": 0})
    waiting = {row["id"] for row in server.call("planner.get_unprocessed_trusted_messages")}
    messages, plans, tasks = set(), {}, {}
    for session in server.call("planner.get_all_sessions"):
        name = session["session"]
        messages |= {row["id"] for row in server.call("planner.get_oldest_messages", session=name)}
        plans.update((row["id"], row) for row in server.call("planner.get_plans", session=name))
        tasks.update((row["id"], row) for row in server.call("planner.get_tasks_for_session", session=name))
    same(before.messages - messages, set())
    same(before.plans - set(plans), set())
    same({task for task in before.done if tasks[task]["status"] != "done" or tasks[task]["llm_calls"] != [{"n": 1}]}, set())
    same({row["status"] for row in plans.values()} - {"done", "failed", "cancelled"}, set())
    same({row["status"] for row in tasks.values()} & {"running", "pending"}, set())
    planned = {row["message_id"] for row in plans.values()}
    same(messages - planned, waiting)  # each is either planned for or waits to be
    for number, plan in plans.items():
        same((number, len([1 for row in tasks.values() if row["plan_id"] == number])), (number, 1 if plan["parent_id"] else 3))
    return told, waiting


def crash(home, *options):
    found = 0
    for cycle, kill_after in enumerate((1, 7, 30, 53, 80)):
        server = Server(home, *options)
        ledger = Ledger(server, kill_after)
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(lambda n: work(server, ledger, f"{cycle}-{n}"), range(WORKERS)))
        server.stop()
        with Server(home, *options) as again:
            told, waiting = check(again, ledger)
            found += told["plans"] + told["tasks"] + len(waiting)
            again.call("planner.create_session", session="late")
            for message in waiting:
                again.call("planner.create_plan", session="late", message_id=message, goal="g", tasks=TASKS)
            again.call("planner.recover_stale_running")
    same(found > 0, True)  # there was something to recover


@test("sqlite: a server killed in the middle of plans")
def _():
    with tempfile.TemporaryDirectory(prefix="stele-") as directory:
        crash(os.path.join(directory, "home"))


@postgres_test("postgres: a server killed in the middle of plans")
def _():
    with tempfile.TemporaryDirectory(prefix="stele-") as directory, Database() as database:
        crash(os.path.join(directory, "home"), "--store", f"planner={database.schema('planner')}")


if __name__ == "__main__":
    sys.exit(main())

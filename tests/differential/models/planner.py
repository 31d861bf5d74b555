"""The planner store: sessions, messages, plans and their tasks, facts, learnings, open questions."""

from differential.models.arguments import FORMS, Refused, seconds
from differential.models.model import Model, page, pick

FINAL = ("done", "failed", "cancelled")
NEXT = {"plans": {"running": ("replanning", *FINAL), "replanning": FINAL}, "tasks": {"pending": ("running", *FINAL), "running": FINAL}}
WRITTEN = "session user role content trusted processed timestamp"


def _numbered(name, kind, methods):
    return {f"planner.{method}.{name}": kind for method in methods.split()}


class Planner(Model):
    store, time = "planner", "sql"
    # PostgreSQL does not take numbers back of a plan that turned out to be impossible.
    numbered = ({"plan_id": "plan", "parent_id": "plan", "task_ids": "task",
                 **_numbered("id", "plan", "create_plan update_plan_status update_plan_usage cancel_plan supersede_plan get_plan get_plan_for_session get_plans"
                                           " get_plan_chain"),
                 **_numbered("after", "plan", "get_plans"),
                 **_numbered("id", "task", "create_task update_task update_task_review update_task_command update_task_substatus get_tasks_for_plan"
                                           " get_tasks_for_session get_deliverable_tasks"),
                 **_numbered("after", "task", "get_tasks_for_session get_deliverable_tasks")},
                {"planner.create_plan": ["id", "task_ids"], "planner.supersede_plan": ["id", "task_ids"], "planner.create_task": ["id"]})
    hints = {"session": ["a", "b", "c"], "user": ["ada", "bob"], "category": ["project", "user", "tool", "general"], "role": ["user", "assistant"],
             "scope": ["global", "a", "b"], "expect": ["a link", "0", "done", ""], **{name: range(-1, 12) for name in ("id", "ids", "message_id", "parent_id", "plan_id", "after", "before", "replaces")}}
    weights = {"planner.save_fact": 6, "planner.create_plan": 6, "planner.create_task": 6, "planner.update_task": 5, "planner.get_fact": 3, "planner.update_fact": 4,
               "planner.get_deliverable_tasks": 2, "planner.delete_facts": 0.5, "planner.archive_low_confidence_facts": 0.5, "planner.decay_facts": 1,
               "planner.fade_facts": 0.5}
    without = {"planner.save_fact": {"link"}, "planner.promote_learning": {"link"}, "planner.receive_message": {"idempotency_key"},
               "planner.fade_facts": {"idempotency_key"}, "planner.update_plan_usage": {"llm_calls"}}

    @classmethod
    def records(cls, declared):
        """A task as plans take it: one of create_task, whose plan and session are filled in."""
        filled = {"nullable": True, "optional": True, "default": None}
        params = [{**param, **(filled if param["name"] in ("plan_id", "session") else {})} for param in declared["planner.create_task"]["params"]]
        return {"planner.insert_task": {"name": "planner.insert_task", "store": "", "access": "write", "params": params}}

    def tables(self):
        return {name: {} for name in ("sessions", "messages", "plans", "tasks", "facts", "archive", "learnings", "pending", "last")}

    def _change(self, table, args, **more):
        """Write what is named."""
        self._get(table, args["id"], "id").update(args, **more)
        return {}

    @staticmethod
    def _limited(rows, args):
        """In their order, above a number, at most so many."""
        return [row for row in rows if row["id"] > args.get("after", 0)][:args.get("limit")]

    # ---- sessions ----

    def get_session(self, args):
        return self.rows["sessions"].get(args["session"])

    def create_session(self, args):
        self._ensure(args["session"], args["now"], **pick(args, "connector webhook description"))
        return self.get_session(args)

    def _ensure(self, session, now, **more):
        """1 if there was none."""
        if session in self.rows["sessions"]:
            return 0
        self.rows["sessions"][session] = {"session": session, "connector": None, "webhook": None, "description": None, "summary": "",
                                          "created_at": now, "updated_at": now, **more}
        return 1

    def upsert_session(self, args):
        now = args.pop("now")
        created = self._ensure(args["session"], now)
        row = self.rows["sessions"][args["session"]]
        row.update(args, updated_at=now)
        return {**row, "created": created}

    def _active(self, rows):
        return sorted(sorted(rows, key=lambda row: row["session"]), key=lambda row: row["updated_at"], reverse=True)

    def get_all_sessions(self, args):
        return page(self._active(self.rows["sessions"].values()), args)

    def get_sessions_for_user(self, args):
        where = {message["session"] for message in self.rows["messages"].values() if message["user"] == args["user"]}
        return page(self._active(row for row in self.rows["sessions"].values() if row["session"] in where), args)

    def update_summary(self, args):
        if args["session"] not in self.rows["sessions"]:
            raise Refused("NOTFOUND", "session")
        self.rows["sessions"][args["session"]].update(summary=args["summary"], updated_at=args["now"])
        return {}

    # ---- messages ----

    def save_message(self, args):
        if args["session"] in self.rows["sessions"]:
            self.rows["sessions"][args["session"]]["updated_at"] = args["timestamp"]
        return {"id": self._add("messages", pick(args, WRITTEN))}

    def receive_message(self, args):
        created = self._ensure(args["session"], args["timestamp"])
        number = self.save_message({**args, "processed": not args["trusted"]})["id"]
        return {"id": number, "processed": not args["trusted"], "created": created}

    def mark_message_processed(self, args):
        return self._change("messages", args, processed=True)

    def _messages(self, condition):
        return [row for row in self.rows["messages"].values() if condition(row)]

    def get_unprocessed_messages(self, args):
        return self._limited(self._messages(lambda row: not row["processed"]), args)

    def get_unprocessed_trusted_messages(self, args):
        return self._limited(self._messages(lambda row: not row["processed"] and row["trusted"] and row["session"] == args.get("session", row["session"])), args)

    def _newest(self, args, trusted):
        rows = self._messages(lambda row: row["session"] == args["session"] and row["trusted"] == trusted and row["id"] < args.get("before", row["id"] + 1))
        return rows[-args["limit"]:]

    def get_recent_messages(self, args):
        return self._newest(args, True)

    def get_untrusted_messages(self, args):
        return self._newest(args, False)

    def get_oldest_messages(self, args):
        return self._limited(self._messages(lambda row: row["session"] == args["session"] and row["trusted"]), args)

    def count_messages(self, args):
        return {"count": len(self._messages(lambda row: row["session"] == args["session"] and row["trusted"]))}

    # ---- plans ----

    def _move(self, table, row, status, field):
        if status != row["status"] and status not in NEXT[table].get(row["status"], ()):
            raise Refused("INVALID", field)

    def _plan(self, args, session, message, parent):
        return self._add("plans", {"session": session, "message_id": message, "parent_id": parent, "goal": args["goal"], "status": "running", "total_input_tokens": 0,
                                   "total_output_tokens": 0, "model": args["model"], "llm_calls": None, "created_at": args["now"]})

    def _tasks(self, args, plan, session):
        return [self._task({**task, "plan_id": plan, "session": session, "now": args["now"]}, f"tasks[{at}].") for at, task in enumerate(args["tasks"])]

    def create_plan(self, args):
        if args["parent_id"] is not None:
            self._get("plans", args["parent_id"], "parent_id")
        plan = self._plan(args, args["session"], args["message_id"], args["parent_id"])
        if args["mark_processed"] and args["message_id"] in self.rows["messages"]:
            self.rows["messages"][args["message_id"]]["processed"] = True
        return {"id": plan, "task_ids": self._tasks(args, plan, args["session"])}

    def update_plan_status(self, args):
        self._move("plans", self._get("plans", args["id"], "id"), args["status"], "status")
        return self._change("plans", args)

    def update_plan_usage(self, args):
        return self._change("plans", {"total_input_tokens" if name == "input_tokens" else "total_output_tokens" if name == "output_tokens" else name: value
                                      for name, value in args.items()})

    def _close(self, plan, statuses, status, reason, now):
        tasks = [task for task in self.rows["tasks"].values() if task["plan_id"] == plan and task["status"] in statuses]
        for task in tasks:
            task.update(status=status, output=reason if task["output"] is None else task["output"], updated_at=now)
        return len(tasks)

    def cancel_plan(self, args):
        plan = self._get("plans", args["id"], "id")
        self._move("plans", plan, "cancelled", "id")
        plan["status"] = "cancelled"
        return {"cancelled": self._close(args["id"], ("pending",), "cancelled", None, args["now"])}

    def supersede_plan(self, args):
        plan = self._get("plans", args["id"], "id")
        self._move("plans", plan, args["status"], "id")
        plan["status"] = args["status"]
        superseded = self._close(args["id"], ("pending", "running"), "failed", args["reason"], args["now"])
        number = self._plan(args, plan["session"], args.get("message_id", plan["message_id"]), args["id"])
        return {"id": number, "superseded": superseded, "task_ids": self._tasks(args, number, plan["session"])}

    def get_plan(self, args):
        return self.rows["plans"].get(args["id"])

    def get_plan_for_session(self, args):
        plans = self.get_plans({"session": args["session"]})
        return plans[-1] if plans else None

    def get_plans(self, args):
        return self._limited([row for row in self.rows["plans"].values() if row["session"] == args["session"]], args)

    def get_plan_chain(self, args):
        chain, number = [], args["id"]
        while number in self.rows["plans"]:
            chain.append(self.rows["plans"][number])
            number = self.rows["plans"][number]["parent_id"]
        return chain[::-1]

    # ---- tasks ----

    def _task(self, args, place=""):
        if args["type"] in ("exec", "skill") and not args["expect"]:
            raise Refused("INVALID", place + "expect")
        return self._add("tasks", {**pick(args, "plan_id session type detail skill args expect status output"), "command": None, "substatus": None, "stderr": None,
                                   "retry_count": 0, "review_verdict": None, "review_reason": None, "review_learning": None, "input_tokens": 0,
                                   "output_tokens": 0, "llm_calls": None, "created_at": args["now"], "updated_at": args["now"]})

    def create_task(self, args):
        plan = self._get("plans", args["plan_id"], "plan_id")
        return {"id": self._task({"session": plan["session"], **args})}

    def update_task(self, args):
        task = self._get("tasks", args["id"], "id")
        self._move("tasks", task, args.get("status", task["status"]), "status")
        return self._write(args)

    def _write(self, args, **renamed):
        args["updated_at"] = args.pop("now")
        return self._change("tasks", {renamed.get(name, name): value for name, value in args.items()})

    def update_task_review(self, args):
        return self._write(args, verdict="review_verdict", reason="review_reason", learning="review_learning")

    def update_task_command(self, args):
        return self._write(args)

    def update_task_substatus(self, args):
        return self._write(args)

    def get_tasks_for_plan(self, args):
        return [row for row in self.rows["tasks"].values() if row["plan_id"] == args["plan_id"]]

    def get_tasks_for_session(self, args):
        return self._limited([row for row in self.rows["tasks"].values() if row["session"] == args["session"]], args)

    def get_deliverable_tasks(self, args):
        rows = [row for row in self.rows["tasks"].values() if row["session"] == args["session"] and row["type"] == "msg" and row["status"] == "done"]
        return [pick(row, "id plan_id session detail output updated_at") for row in self._limited(rows, args)]

    # ---- facts ----

    def save_fact(self, args):
        replaced = self._get("facts", args["replaces"], "replaces") if "replaces" in args else None
        number = self._add("facts", {**pick(args, "content source session category confidence"), "last_used": None, "use_count": 0, "created_at": args["now"],
                                     "valid_from": args.get("valid_from", args["now"] if replaced else None), "superseded_by": None})
        if replaced:
            replaced["superseded_by"] = number
        return {"id": number, "existing": False}

    def update_fact(self, args):
        return self._change("facts", args)

    @staticmethod
    def _seen(row, args):
        return args["is_admin"] or row["category"] != "user" or row["session"] == args["session"]

    def get_fact(self, args):
        row = self.rows["facts"].get(args["id"])
        return row if row and self._seen(row, args) else None

    def get_facts(self, args):
        return self._limited([row for row in self.rows["facts"].values() if self._seen(row, args) and row["category"] == args.get("category", row["category"])
                              and (args["include_superseded"] or row["superseded_by"] is None)], args)

    def update_fact_usage(self, args):
        used = [self.rows["facts"][number] for number in set(args["ids"]) if number in self.rows["facts"]]
        for row in used:
            row.update(use_count=row["use_count"] + 1, last_used=args["now"], confidence=min(1, row["confidence"] + args["fact_use_gain"]))
        return {"updated": len(used)}

    def decay_facts(self, args):
        before = FORMS["sql"](seconds(args["now"]) - args["fact_decay_days"] * 86400)
        old = [row for row in self.rows["facts"].values() if (row["last_used"] or row["created_at"]) < before]
        for row in old:
            row["confidence"] = max(0, row["confidence"] - args["fact_decay_rate"])
        return {"decayed": len(old)}

    def archive_low_confidence_facts(self, args):
        low = [row for row in self.rows["facts"].values() if row["confidence"] < args["fact_archive_threshold"]]
        for row in low:
            self._add("archive", {**pick(row, "content source session category confidence last_used use_count created_at"), "original_id": row["id"],
                                  "archived_at": args["now"]})
            del self.rows["facts"][row["id"]]
        return {"archived": len(low)}

    def fade_facts(self, args):
        return {**self.decay_facts(args), **self.archive_low_confidence_facts(args)}

    def get_archived_facts(self, args):
        return page([row for row in reversed(self.rows["archive"].values()) if self._seen(row, args)], args)

    def delete_facts(self, args):
        gone = [number for number in set(args["ids"]) if self.rows["facts"].pop(number, None)]
        return {"deleted": len(gone)}

    # ---- learnings and open questions ----

    def save_learning(self, args):
        if not args["content"].strip():
            return {"id": 0, "rejected": "empty"}
        return {"id": self._add("learnings", {**pick(args, "content session user"), "status": "pending", "created_at": args["now"]}), "rejected": None}

    def get_pending_learnings(self, args):
        return self._limited([row for row in self.rows["learnings"].values()
                              if row["status"] == "pending" and row["session"] == args.get("session", row["session"])], args)

    def update_learning(self, args):
        return self._change("learnings", args)

    def _take(self, args):
        row = self._get("learnings", args["id"], "id")
        if row["status"] != "pending":
            raise Refused("INVALID", "id")
        row["status"] = "promoted"
        return row

    def promote_learning(self, args):
        learning = self._take(args)
        fact = self.save_fact({"content": learning["content"], **args, "session": learning["session"] if args["category"] == "user" else None})
        return {"fact_id": fact["id"], "existing": False}

    def ask_learning(self, args):
        return {"pending_id": self.save_pending_item({"content": args["question"], "scope": self._take(args)["session"], **pick(args, "source now")})["id"]}

    def save_pending_item(self, args):
        return {"id": self._add("pending", {**pick(args, "content scope source"), "status": "open", "created_at": args["now"]})}

    def get_pending_items(self, args):
        return self._limited([row for row in self.rows["pending"].values() if row["status"] == "open" and row["scope"] in ("global", args["session"])], args)

    def resolve_pending(self, args):
        return self._change("pending", args, status="resolved")

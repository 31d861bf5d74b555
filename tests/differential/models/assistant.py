"""The assistant store: tasks, notes, facts, reminders, schedules, approvals, context, articles and items."""

from differential.models.arguments import FORMS, Refused, seconds
from differential.models.model import Model, page, pick


def _after(moment, seconds_later):
    return FORMS["iso"](seconds(moment) + seconds_later)


def _latest(rows, name="created_at"):
    """The newest first, of equals by id."""
    return sorted(sorted(rows, key=lambda row: row["id"]), key=lambda row: row[name], reverse=True)



class Assistant(Model):
    store, time = "assistant", "iso"
    hints = {"query": ["tea", "ALPHA", "id-", "", "e", "call doctor", "key-1"], "source": ["agent", "reflection"], "namespace": ["users", "users.ada", "users.ada.x", "a"],
             "key": ["key-0", "key-1", "key-2", "key-3", "école"], "status": ["todo", "done", "pending", "sent"], "user_id": ["ada", "bob", "global"],
             "chat_id": ["c1", "c2"], **{f"assistant.{name}_pending_action.now": ["2026-02-12T00:00:00Z", "2026-03-10T00:00:00Z"] for name in ("claim", "edit")}}
    weights = {"assistant.save_pending_action": 8, **{f"assistant.{name}_pending_action": 4 for name in ("claim", "edit", "cancel", "fail", "get")}}
    without = {"assistant.list_items": {"ids"}}
    # PostgreSQL takes a number for an item that turns out to be there.
    hidden = {"assistant.list_items": {"id"}, "assistant.get_item": {"id"}}

    def tables(self):
        return {name: {} for name in ("tasks", "notes", "facts", "reminders", "schedules", "actions", "context", "articles", "entries", "items")}

    def _first(self, table, args):
        """Kept under its id; the first wins."""
        self.rows[table].setdefault(args["id"], args)
        return {"id": args["id"]}

    def _anew(self, table, args, kept):
        """Kept under its id; the last wins, but for some columns."""
        before = self.rows[table].get(args["id"])
        self.rows[table][args["id"]] = {**args, **(pick(before, kept) if before else {})}
        return {"id": args["id"]}

    def _change(self, table, args, condition=lambda row: True):
        row = self.rows[table].get(args["id"])
        if row is None or not condition(row):
            return 0
        row.update(args)
        return 1

    def _delete(self, table, key):
        return {"deleted": int(self.rows[table].pop(key, None) is not None)}

    @staticmethod
    def _search(args, rows, names):
        """The rows that hold a text somewhere; case is that of ASCII, which is all that is asked for here."""
        if not args["query"]:
            raise Refused("INVALID", "query")
        return page([row for row in rows if any(args["query"].lower() in row[name].lower() for name in names.split())], args)

    # ---- tasks ----

    def create_task(self, args):
        return self._first("tasks", args)

    def list_tasks(self, args):
        return page(_latest(row for row in self.rows["tasks"].values() if row["status"] == args.get("status", row["status"])), args)

    def search_tasks(self, args):
        return self._search(args, _latest(self.rows["tasks"].values()), "title")

    def mark_task_notified(self, args):
        return {"updated": self._change("tasks", {**args, "notified": True})}

    def complete_task(self, args):
        return {"updated": self._change("tasks", {**args, "status": "done"})}

    def update_task(self, args):
        row = self.rows["tasks"].get(args["id"])
        if row and "due_date" in args and args["due_date"] != row["due_date"]:
            row["notified"] = False
        return {"updated": self._change("tasks", args)}

    def delete_task(self, args):
        return self._delete("tasks", args["id"])

    # ---- notes, articles, journal ----

    def save_note(self, args):
        return self._anew("notes", args, "created_at")

    def get_notes(self, args):
        return page(_latest(self.rows["notes"].values()), args)

    def search_notes(self, args):
        return self._search(args, _latest(self.rows["notes"].values()), "title content")

    def update_note(self, args):
        return {"updated": self._change("notes", args)}

    def delete_note(self, args):
        return self._delete("notes", args["id"])

    def save_read_later(self, args):
        return self._anew("articles", args, "added_at read_at")

    def list_read_later(self, args):
        return page(_latest((row for row in self.rows["articles"].values() if args["include_read"] or row["read_at"] is None), "added_at"), args)

    def mark_read_later_read(self, args):
        row = self.rows["articles"].get(args["id"])
        if row and row["read_at"] is None:
            row["read_at"] = args["read_at"]
        return {"updated": int(row is not None)}

    def save_journal_entry(self, args):
        return self._anew("entries", args, "created_at")

    def list_journal_entries(self, args):
        since = _after(args["now"], -args["days"] * 86400) if "days" in args else ""
        return page(_latest(row for row in self.rows["entries"].values() if row["created_at"] >= since), args)

    # ---- facts ----

    def save_user_fact(self, args):
        facts = self.rows["facts"]
        if any(row["id"] == args["id"] and row["key"] != args["key"] for row in facts.values()):
            raise Refused("INVALID", "id")
        if args["key"] in facts:
            facts[args["key"]].update(pick(args, "value category source updated_at"))
        else:
            facts[args["key"]] = args
        return {"id": facts[args["key"]]["id"]}

    def get_user_fact(self, args):
        return self.rows["facts"].get(args["key"])

    def _facts(self):
        return sorted(self.rows["facts"].values(), key=lambda row: (row["category"], row["key"]))

    def get_all_user_facts(self, args):
        return page(self._facts(), args)

    def search_user_facts(self, args):
        return self._search(args, self._facts(), "key value")

    def delete_user_fact(self, args):
        return self._delete("facts", args["key"])

    # ---- reminders ----

    def create_reminder(self, args):
        return self._first("reminders", args)

    def list_reminders(self, args):
        return page(_latest(row for row in self.rows["reminders"].values()
                             if row["user_id"] == args.get("user_id", row["user_id"]) and row["status"] == args.get("status", row["status"])), args)

    def get_due_reminders(self, args):
        return sorted((row for row in self.rows["reminders"].values() if row["status"] == "pending" and row["remind_at"] <= args["now"]),
                      key=lambda row: (row["remind_at"], row["id"]))

    def update_reminder_status(self, args):
        return {"updated": self._change("reminders", args)}

    def cancel_reminder(self, args):
        return {"updated": self._change("reminders", {**args, "status": "cancelled"}, lambda row: row["status"] == "pending")}

    # ---- schedules ----

    def update_scheduled_task(self, args):
        return {"updated": self._change("schedules", args)}

    def create_scheduled_task(self, args):
        return self._first("schedules", args)

    def claim_scheduled_task(self, args):
        return {"claimed": self._change("schedules", {"id": args["id"], "last_run": args["slot"]},
                                        lambda row: row["enabled"] and (row["last_run"] is None or row["last_run"] < args["slot"]))}

    def update_scheduled_task_last_run(self, args):
        return {"updated": self._change("schedules", args)}

    def delete_scheduled_task(self, args):
        return self._delete("schedules", args["id"])

    # ---- approvals ----

    def save_pending_action(self, args):
        if args["id"] in self.rows["actions"]:
            raise Refused("INVALID", "id")
        args["expires_at"] = args["expires_at"] or _after(args["created_at"], 30 * 60)
        return self._first("actions", args)

    def get_pending_action(self, args):
        return self.rows["actions"].get(args["id"])

    def get_pending_actions_for_chat(self, args):
        return _latest(row for row in self.rows["actions"].values() if row["chat_id"] == args["chat_id"] and row["status"] == args["status"])

    def list_pending_actions(self, args):
        return _latest(row for row in self.rows["actions"].values()
                       if row["status"] == args["status"] and row["created_at"] >= args.get("since", ""))[:args["limit"]]

    def _by_end(self, rows):
        return sorted(rows, key=lambda row: (row["expires_at"], row["id"]))

    def list_expired_pending_actions(self, args):
        return self._by_end(row for row in self.rows["actions"].values() if row["status"] == "pending" and row["expires_at"] <= args["now"])

    def expire_pending_actions(self, args):
        for row in self.list_expired_pending_actions(args):
            row["status"] = "expired"
        return self._by_end(row for row in self.rows["actions"].values() if row["status"] == "expired" and not row["notified"])

    def update_pending_action(self, args):
        return {"updated": self._change("actions", args)}

    def _decide(self, args, was, now=None, **changes):
        row = self.rows["actions"].get(args["id"])
        if row is None:
            raise Refused("NOTFOUND", "id")
        if row["status"] != was:
            raise Refused("INVALID", "status")
        if now is not None and row["expires_at"] <= now:
            raise Refused("INVALID", "expires_at")
        row.update(changes)
        return dict(row)

    def claim_pending_action(self, args):
        return self._decide(args, "pending", args["now"], status="confirmed")

    def cancel_pending_action(self, args):
        return self._decide(args, "pending", status="cancelled")

    def fail_pending_action(self, args):
        return self._decide(args, "confirmed", status="failed")

    def edit_pending_action(self, args):
        self._decide(args, "pending", args["now"])
        row = self.rows["actions"][args["id"]]
        row.update({name: value for name, value in args.items() if name != "now"}, edit_count=row["edit_count"] + 1)
        return dict(row)

    def delete_old_pending_actions(self, args):
        before = _after(args["now"], -args["days"] * 86400)
        old = [row["id"] for row in self.rows["actions"].values() if row["status"] != "pending" and row["created_at"] < before]
        for number in old:
            del self.rows["actions"][number]
        return {"deleted": len(old)}

    # ---- context ----

    def save_context(self, args):
        self.rows["context"][args["user_id"]] = args
        return pick(args, "user_id")

    def get_context(self, args):
        row = self.rows["context"].get(args["user_id"])
        return row if row and row["content"] else None

    def mark_once(self, args):
        for name in ("key", "content"):
            if args.get(name) == "":
                raise Refused("INVALID", name)
        row = self.rows["context"].get(args["key"])
        first = row is None or row["content"] == "" or row["content"] != args.get("content", row["content"])
        if first:
            self.rows["context"][args["key"]] = {"user_id": args["key"], "content": args.get("content", "done"), "last_updated": args["now"]}
        return {"first": first}

    def consume_context(self, args):
        row = self.get_context({"user_id": args["key"]})
        if row is None:
            return None
        del self.rows["context"][args["key"]]
        return pick(row, "content last_updated")

    # ---- items ----

    def put_item(self, args):
        place = args["namespace"], args["key"]
        before = self.rows["items"].get(place)
        over = before is None or (before["expires_at"] is not None and before["expires_at"] <= args["now"])
        order = before["order"] if before else 1 + max((row["order"] for row in self.rows["items"].values()), default=0)
        self.rows["items"][place] = {**pick(args, "namespace key ttl expires_at"), "value": args["value"].value, "updated_at": args["now"],
                                     "created_at": args["now"] if over else before["created_at"], "order": order}
        return {}

    def _items(self, args):
        return [row for row in self.rows["items"].values() if (row["expires_at"] is None or row["expires_at"] > args["now"])
                and ("namespace" not in args or row["namespace"] == args["namespace"] or row["namespace"].startswith(args["namespace"] + "."))]

    @staticmethod
    def _item(row):
        return pick(row, "namespace key value ttl created_at updated_at expires_at")

    def list_items(self, args):
        rows = [row for row in self._items(args) if row["key"] == args.get("key", row["key"])]
        rows.sort(key=lambda row: (row["updated_at"], row["order"]), reverse=True)
        return [self._item(row) for row in page(rows, args)]

    def get_item(self, args):
        rows = [row for row in self._items(args) if row["namespace"] == args["namespace"] and row["key"] == args["key"]]
        return self._item(rows[0]) if rows else None

    def list_item_namespaces(self, args):
        rows = self._items(args)
        return [{"namespace": name, "items": sum(row["namespace"] == name for row in rows)} for name in sorted({row["namespace"] for row in rows})]

    def delete_item(self, args):
        return self._delete("items", (args["namespace"], args["key"]))

    def sweep_items(self, args):
        over = [place for place, row in self.rows["items"].items() if row["expires_at"] is not None and row["expires_at"] <= args["now"]]
        for place in over:
            del self.rows["items"][place]
        return {"deleted": len(over)}

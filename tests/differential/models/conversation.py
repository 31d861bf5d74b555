"""The conversation store: sessions, messages, titles, lineage, taking back, locks, handoff, pruning, search."""

import re

from differential.models.arguments import Refused
from differential.models.model import Model, newest, page, pick

COUNTED = "input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens api_call_count"
BILLING = "billing_provider billing_base_url billing_mode"
PRICED = "cost_status cost_source pricing_version"
SESSION = ("id source user_id model model_config system_prompt parent_session_id started_at ended_at end_reason message_count tool_call_count "
           f"{COUNTED} {BILLING} {PRICED} estimated_cost_usd actual_cost_usd title handoff_state handoff_platform handoff_error archived")
MESSAGE = ("id session_id role content tool_call_id tool_calls tool_name timestamp token_count finish_reason reasoning reasoning_content reasoning_details "
           "codex_reasoning_items codex_message_items")
DROPPED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc]")
WORDS = ["deploy plan", "green tea", "the deploy script", "tea and coffee", "redeployed", "teapot", "a Deploy, twice", "", "nothing of it"]


def _kept(value, empty):
    """A JSON argument as it is kept: what is empty is null."""
    return None if value is None or value.value is None or any(type(value.value) is type(each) and value.value == each for each in empty) else value.value


def _clean(title):
    """A title as it is kept."""
    made = " ".join(DROPPED.sub("", title or "").split())
    if len(made) > 100:
        raise Refused("INVALID", "title")
    return made or None


class Conversation(Model):
    store, time = "conversation", "seconds"
    hints = {"session_id": [f"id-{n}" for n in range(6)] + ["ID-1", "nobody"], "session": [f"id-{n}" for n in range(6)], "source": ["cli", "tui", "telegram"],
             "parent_session_id": [f"id-{n}" for n in range(6)], "role": ["user", "assistant", "tool"], "end_reason": ["compression", "branched", "user_exit"],
             "title": ["Fix it", "  Fix\tit ", "Fix it #2", "Fix it #7", "fix IT #3", "a\u200bb", "École", "", "x" * 101, "Deploy"],
             "base_title": ["Fix it", "Fix it #2", "FIX it", "École", "none"], "content": WORDS, "holder": ["w1", "w2"], "platform": ["telegram", "web"],
             "key": ["key-0", "key-1"], "model": ["m1", "m2"], "tool_name": ["grep", "make"],
             "tool_calls": [[], [{"id": "c1", "function": {"name": "grep"}}], [{}, {}], {}, {"name": "make"}, "", 0, False, "one"], "finish_reason": ["stop"],
             **{name: range(-1, 40) for name in ("message_id", "target_message_id", "since_message_id", "after")},
             **{f"conversation.{name}.session_id": ["id-0", "id-1", "id-2"] for name in ("append_message", "rewind_to_message", "get_messages")},
             "conversation.search_messages.query": ["deploy", "tea", "tea deploy", "tea OR plan", '"green tea"', "deploy NOT script", "dep*", "nobody"],
             "conversation.search_messages.match": ["words", "substrings"], "conversation.search_messages.limit": [1000], "conversation.search_messages.sort": ["newest", "oldest"],
             "conversation.update_token_counts.estimated_cost_usd": [0.25, 1.5], "conversation.search_messages.role_filter": ["user", "tool"]}
    weights = {"conversation.append_message": 16, "conversation.create_session": 6, "conversation.search_messages": 6, "conversation.get_messages": 4,
               "conversation.rewind_to_message": 5, "conversation.get_message": 3, "conversation.list_recent_user_messages": 2, "conversation.set_session_title": 4,
               "conversation.get_session_by_title": 3, "conversation.delete_session": 0.3, "conversation.clear_messages": 0.2, "conversation.prune_sessions": 0.3}
    always = {"conversation.search_messages": {"match", "limit", "sort"}}
    without = {"conversation.append_message": {"idempotency_key"}, "conversation.search_messages": {"quick", "source_filter", "exclude_sources", "project_filter", "lineage"}}
    hidden = {"conversation.search_messages": set("session_id role snippet timestamp tool_name source model session_started context title project".split())}

    def tables(self):
        return {"sessions": {}, "messages": {}, "locks": {}, "notes": {}, "last": {}}

    # ---- sessions ----

    def create_session(self, args):
        known, parent = self.rows["sessions"], args["parent_session_id"]
        if parent is not None and parent not in known and args["session_id"] not in known:
            raise Refused("NOTFOUND", "parent_session_id")
        if args["session_id"] not in known:
            row = dict.fromkeys(SESSION.split())
            row.update({name: 0 for name in f"message_count tool_call_count {COUNTED}".split()}, id=args["session_id"], archived=False,
                       model_config=_kept(args.get("model_config"), ({}, [])), **pick(args, "source user_id model system_prompt parent_session_id started_at"))
            known[args["session_id"]] = row
        return {"session_id": args["session_id"]}

    def ensure_session(self, args):
        return self.create_session(args)

    def _change(self, args, condition=lambda row: True, **more):
        """1 if there is such a session, and it is changed."""
        row = self.rows["sessions"].get(args["session_id"])
        if row is None or not condition(row):
            return 0
        row.update(more)
        return 1

    def end_session(self, args):
        return {"ended": self._change(args, lambda row: row["ended_at"] is None, **pick(args, "ended_at end_reason"))}

    def reopen_session(self, args):
        return {"reopened": self._change(args, ended_at=None, end_reason=None)}

    def update_system_prompt(self, args):
        return {"updated": self._change(args, system_prompt=args["system_prompt"])}

    def set_session_archived(self, args):
        if not self._change(args, archived=args["archived"]):
            raise Refused("NOTFOUND", "session_id")
        return {}

    def _drop(self, session):
        """How many messages went with it."""
        for row in self.rows["sessions"].values():
            if row["parent_session_id"] == session:
                row["parent_session_id"] = None
        gone = [row["id"] for row in self.rows["messages"].values() if row["session_id"] == session]
        for number in gone:
            del self.rows["messages"][number]
        del self.rows["sessions"][session]
        return len(gone)

    def delete_session(self, args):
        if args["session_id"] not in self.rows["sessions"]:
            return {"deleted": 0, "messages": 0}
        return {"deleted": 1, "messages": self._drop(args["session_id"])}

    def get_session(self, args):
        row = self.rows["sessions"].get(args["session_id"])
        return pick(row, SESSION) if row else None

    def session_count(self, args):
        return {"count": sum(row["source"] == args.get("source", row["source"]) for row in self.rows["sessions"].values())}

    def search_sessions(self, args):
        rows = [{**pick(row, SESSION), "last_active": max((each["timestamp"] for each in self.rows["messages"].values() if each["session_id"] == row["id"]),
                                                          default=row["started_at"])}
                for row in self.rows["sessions"].values() if row["source"] == args.get("source", row["source"])]
        return page(newest(rows, "last_active", "started_at", "id"), args)

    # ---- accounts and notes ----

    def update_token_counts(self, args):
        self.create_session({"session_id": args["session_id"], "source": "unknown", "user_id": None, "model": args["model"], "system_prompt": None,
                             "parent_session_id": None, "started_at": args["now"]})
        row = self.rows["sessions"][args["session_id"]]
        for name in COUNTED.split():
            row[name] = args[name] + (0 if args["absolute"] else row[name])
        row["estimated_cost_usd"] = (args["estimated_cost_usd"] or 0) + (0 if args["absolute"] else row["estimated_cost_usd"] or 0)
        if args["actual_cost_usd"] is not None:
            row["actual_cost_usd"] = args["actual_cost_usd"] + (0 if args["absolute"] else row["actual_cost_usd"] or 0)
        for name in PRICED.split():
            row[name] = row[name] if args[name] is None else args[name]
        for name in f"{BILLING} model".split():
            row[name] = args[name] if row[name] is None else row[name]
        return {}

    def _started(self, args):
        return [row for row in self.rows["sessions"].values() if args.get("since", row["started_at"]) <= row["started_at"] < args.get("until", row["started_at"] + 1)]

    def usage_by_model(self, args):
        told = []
        for model in {row["model"] for row in self._started(args)} - {None}:
            rows = [row for row in self._started(args) if row["model"] == model]
            costs = [row["estimated_cost_usd"] for row in rows if row["estimated_cost_usd"] is not None]
            told.append({"model": model, "session_count": len(rows), "total_input": sum(row["input_tokens"] for row in rows),
                         "total_output": sum(row["output_tokens"] for row in rows), "total_cost": sum(costs) if costs else None})
        return sorted(told, key=lambda row: (row["total_cost"] is None, -(row["total_cost"] or 0), row["model"]))

    def top_sessions(self, args):
        rows = [{**row, "total_tokens": row["input_tokens"] + row["output_tokens"]} for row in self._started(args)]
        return [pick(row, "id title model total_tokens estimated_cost_usd") for row in newest(rows, "total_tokens", "started_at", "id")[:args["limit"]]]

    def set_meta(self, args):
        self.rows["notes"][args["key"]] = {"value": args["value"]}
        return {}

    def get_meta(self, args):
        return self.rows["notes"].get(args["key"])

    # ---- messages ----

    def append_message(self, args):
        row = self.rows["sessions"].get(args["session_id"])
        if row is None:
            raise Refused("NOTFOUND", "session_id")
        calls = args["tool_calls"].value if args.get("tool_calls") else None
        row["message_count"] += 1
        row["tool_call_count"] += len(calls) if isinstance(calls, list) else 0 if calls is None else 1
        made = {name: args.get(name) for name in MESSAGE.split() if name != "id"}
        made["content"] = made["content"].value if made["content"] else None
        for name in ("tool_calls", "reasoning_details", "codex_reasoning_items", "codex_message_items"):
            made[name] = _kept(args.get(name), ([], {}, "", 0, False))
        return {"id": self._add("messages", {**made, "active": True})}

    def _messages(self, session):
        return [row for row in self.rows["messages"].values() if row["session_id"] == session and row["active"]]

    def message_count(self, args):
        return {"count": sum(row["active"] and row["session_id"] == args.get("session_id", row["session_id"]) for row in self.rows["messages"].values())}

    def clear_messages(self, args):
        gone = [row["id"] for row in self.rows["messages"].values() if row["session_id"] == args["session_id"]]
        for number in gone:
            del self.rows["messages"][number]
        self._change(args, message_count=0, tool_call_count=0)
        return {"deleted": len(gone)}

    def get_messages(self, args):
        rows = self._messages(args["session_id"])[-args.get("last", 0):]
        return [pick(row, MESSAGE) for row in rows if row["id"] > args.get("after", -1)][:args.get("limit")]

    def get_message(self, args):
        row = self.rows["messages"].get(args["message_id"])
        return pick(row, MESSAGE) if row and row["active"] else None

    # ---- titles ----

    def sanitize_title(self, args):
        return {"title": _clean(args["title"])}

    def set_session_title(self, args):
        title = _clean(args["title"])
        if title and any(row["title"] == title and row["id"] != args["session_id"] for row in self.rows["sessions"].values()):
            raise Refused("INVALID", "title")
        return {"updated": bool(self._change(args, title=title)), "title": title}

    def get_session_title(self, args):
        row = self.rows["sessions"].get(args["session_id"])
        return pick(row, "title") if row else None

    def get_session_by_title(self, args):
        rows = [row for row in self.rows["sessions"].values() if row["title"] == args["title"]]
        return pick(rows[0], SESSION) if rows else None

    def resolve_session_by_title(self, args):
        titled = [row for row in self.rows["sessions"].values() if row["title"]]
        numbered = [row for row in titled if row["title"].lower().startswith(args["title"].lower() + " #")]
        rows = newest(numbered, "started_at", "id") or [row for row in titled if row["title"] == args["title"]]
        return {"session_id": rows[0]["id"]} if rows else None

    def get_next_title_in_lineage(self, args):
        base = re.sub(r" #\d+$", "", args["base_title"])
        titles = [row["title"] for row in self.rows["sessions"].values()
                  if row["title"] and (row["title"] == base or row["title"].lower().startswith(base.lower() + " #"))]
        numbers = [int(found[1]) for found in (re.search(r" #(\d+)$", title) for title in titles) if found]
        return {"title": f"{base} #{max([1, *numbers]) + 1}" if titles else base}

    # ---- lineage ----

    def resolve_session_id(self, args):
        known, wanted = self.rows["sessions"], args["session_id"]
        if wanted in known:
            return {"session_id": wanted}
        begin = [name for name in known if name.lower().startswith(wanted.lower())]
        return {"session_id": begin[0]} if len(begin) == 1 else None

    def _children(self, session):
        return newest([row for row in self.rows["sessions"].values() if row["parent_session_id"] == session], "started_at", "id")

    def get_compression_tip(self, args):
        tip = args["session_id"]
        while tip in self.rows["sessions"] and self.rows["sessions"][tip]["end_reason"] == "compression":
            later = [row for row in self._children(tip) if row["started_at"] >= self.rows["sessions"][tip]["ended_at"]]
            if not later:
                break
            tip = later[0]["id"]
        return {"session_id": tip}

    def _kind(self, row):
        parent = self.rows["sessions"].get(row["parent_session_id"])
        if parent is None:
            return "root"
        later = parent["ended_at"] is not None and row["started_at"] >= parent["ended_at"]
        return {"compression": "continuation", "branched": "branch"}.get(parent["end_reason"], "subagent") if later else "subagent"

    def _told(self, row, depth):
        return {**pick(row, "id title started_at parent_session_id end_reason message_count"), "depth": depth, "kind": self._kind(row)}

    def get_lineage(self, args):
        told, at = [], self.rows["sessions"].get(args["session_id"])
        while at:
            told.append(self._told(at, len(told)))
            at = self.rows["sessions"].get(at["parent_session_id"])
        return told

    def get_descendants(self, args):
        level, told = [row for row in self.rows["sessions"].values() if row["id"] == args["session_id"]], []
        depth = 0
        while level:
            told += [self._told(row, depth) for row in sorted(level, key=lambda row: (row["started_at"], row["id"]))]
            level = [child for row in level for child in self._children(row["id"])]
            depth += 1
        return told

    # ---- taking back ----

    def list_recent_user_messages(self, args):
        rows = [row for row in reversed(self._messages(args["session_id"])) if row["role"] == "user"]
        return [pick(row, "id content timestamp") for row in rows[:args["limit"]]]

    def rewind_to_message(self, args):
        rows = self._messages(args["session_id"])
        back = [row for row in rows if row["id"] >= args["target_message_id"]]
        if not back or back[0]["id"] != args["target_message_id"]:
            raise Refused("NOTFOUND", "target_message_id")
        for row in back:
            row["active"] = False
        left = self._messages(args["session_id"])
        return {"rewound_count": len(back), "target_content": back[0]["content"], "new_head_id": left[-1]["id"] if left else None}

    def restore_rewound(self, args):
        rows = [row for row in self.rows["messages"].values()
                if row["session_id"] == args["session_id"] and row["id"] >= args["since_message_id"] and not row["active"]]
        for row in rows:
            row["active"] = True
        return {"restored": len(rows)}

    # ---- locks and handoff ----

    def try_acquire_compression_lock(self, args):
        held = self.rows["locks"].get(args["session_id"])
        if held is None or held["expires_at"] < args["now"] or held["holder"] == args["holder"]:
            held = self.rows["locks"][args["session_id"]] = {"holder": args["holder"], "expires_at": args["now"] + args["ttl_seconds"]}
        return {"acquired": held["holder"] == args["holder"], **held}

    def release_compression_lock(self, args):
        held = self.rows["locks"].get(args["session_id"])
        if held is None or held["holder"] != args["holder"]:
            return {"released": 0}
        del self.rows["locks"][args["session_id"]]
        return {"released": 1}

    def get_compression_lock_holder(self, args):
        held = self.rows["locks"].get(args["session_id"])
        return held if held and held["expires_at"] >= args["now"] else None

    def request_handoff(self, args):
        return {"requested": self._change(args, lambda row: row["handoff_state"] in (None, "completed", "failed"), handoff_state="pending",
                                          handoff_platform=args["platform"], handoff_error=None)}

    def claim_handoff(self, args):
        return {"claimed": self._change(args, lambda row: row["handoff_state"] == "pending", handoff_state="running")}

    def complete_handoff(self, args):
        return {"completed": self._change(args, handoff_state="completed", handoff_error=None)}

    def fail_handoff(self, args):
        return {"failed": self._change(args, handoff_state="failed", handoff_error=args["error"][:500])}

    def get_handoff_state(self, args):
        row = self.rows["sessions"].get(args["session_id"])
        return {"state": row["handoff_state"], "platform": row["handoff_platform"], "error": row["handoff_error"]} if row else None

    def list_pending_handoffs(self, args):
        rows = [row for row in self.rows["sessions"].values()
                if row["handoff_state"] == "pending" and row["handoff_platform"] == args.get("platform", row["handoff_platform"])]
        names = "id source user_id model title parent_session_id started_at message_count handoff_state handoff_platform"
        return [pick(row, names) for row in sorted(rows, key=lambda row: (row["started_at"], row["id"]))]

    # ---- upkeep ----

    def prune_sessions(self, args):
        before = args["now"] - args["older_than_days"] * 86400
        old = [row["id"] for row in self.rows["sessions"].values()
               if row["started_at"] < before and row["ended_at"] is not None and row["source"] == args.get("source", row["source"])]
        if args["dry_run"]:
            return {"pruned": len(old), "messages": sum(row["session_id"] in old for row in self.rows["messages"].values())}
        return {"pruned": len(old), "messages": sum([self._drop(session) for session in old])}

    def prune_empty_ghost_sessions(self, args):
        used = {row["session_id"] for row in self.rows["messages"].values()} | {row["parent_session_id"] for row in self.rows["sessions"].values()}
        ghosts = [row["id"] for row in self.rows["sessions"].values() if row["source"] == "tui" and row["title"] is None and row["ended_at"] is not None
                  and row["started_at"] < args["now"] - 86400 and row["id"] not in used]
        for session in ghosts:
            self._drop(session)
        return {"deleted": len(ghosts)}

    def finalize_orphaned_compression_sessions(self, args):
        used = {row["session_id"] for row in self.rows["messages"].values()}
        compressed = {row["id"] for row in self.rows["sessions"].values() if row["end_reason"] == "compression"}
        left = [row for row in self.rows["sessions"].values() if row["api_call_count"] == 0 and row["ended_at"] is None
                and row["started_at"] < args["now"] - 7 * 86400 and row["parent_session_id"] in compressed and row["id"] in used]
        for row in left:
            row.update(ended_at=args["now"], end_reason="orphaned_compression")
        return {"finalized": len(left)}

    # ---- search ----

    @staticmethod
    def _finds(query, match, row):
        """The few forms of a query that the hints hold."""
        content = row["content"] if isinstance(row["content"], str) else ""
        words = re.findall(r"\w+", content.lower())

        def has(word):
            if match == "substrings":  # a word that may go on may also begin anywhere
                return any(word.rstrip("*") in each for each in words)
            return any(each.startswith(word[:-1]) for each in words) if word.endswith("*") else word in words

        if not query or (match == "substrings" and row["role"] not in ("user", "assistant")):
            return False
        if query.startswith('"'):
            return query.strip('"') in " ".join(words)
        if " OR " in query:
            return any(has(word) for word in query.split(" OR "))
        if " NOT " in query:
            wanted, unwanted = query.split(" NOT ")
            return has(wanted) and not has(unwanted)
        return all(has(word) for word in query.split())

    def search_messages(self, args):
        rows = [row for row in self.rows["messages"].values() if row["active"] and row["session_id"] == args.get("session", row["session_id"])
                and ("role_filter" not in args or not args["role_filter"] or row["role"] in args["role_filter"])
                and args.get("since", row["timestamp"]) <= row["timestamp"] < args.get("until", row["timestamp"] + 1)
                and self._finds(args["query"], args["match"], row)]
        rows.sort(key=lambda row: (row["timestamp"], row["id"]), reverse=args["sort"] == "newest")
        return [{"id": row["id"]} for row in page(rows, args)]

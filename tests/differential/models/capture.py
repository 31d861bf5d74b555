"""The capture store: sessions of shells, events, the queue of commands and its claims, knowledge, lessons, offsets, followed commits."""

import json

from differential.models.arguments import Refused
from differential.models.model import Model, newest, pick

TOLD = ("id session_id timestamp source_kind tool_name command stdout stderr stdout_truncated stderr_truncated exit_code duration_ms cwd hostname shell "
        "git_repo git_branch git_commit git_dirty env redaction_count enriched")
QUEUES = ("agentic", "browser", "shell", "workflow")
OFFSET = "path session_id byte_offset inode device size_at_last_read"
MAX_RETRIES = 5
UUIDS = [f"00000000-0000-4000-8000-0000000000{n:02}" for n in range(20)]


class Capture(Model):
    store, time = "capture", "millis"
    # PostgreSQL does not take the number back of a node whose uuid turns out to be there.
    numbered = ({"token": "token", "capture.write_knowledge_node.id": "node", "capture.get_node.id": "node"},
                {"capture.claim": ["token"], "capture.write_knowledge_node": ["id"]})
    hints = {"terminal": ["t0", "t1", "t2"], "cwd": ["/src/stele", "/tmp", "/"], "project": ["stele", "src", "nowhere"], "git_repo": ["me/stele", "me/other"],
             "worker": ["w1", "w2"], "token": ["token-0"] * 6 + ["token-1", "token-2"], "repo": ["me/stele", "me/other"], "tool": ["ruff", "make"], "rule_id": ["E501", "F401"],
             "path": ["src/web/a.py", "src/web/deep/b.py", "src/c.py", "README"], "sha": ["abc", "def"], "terminal_status": ["failure", "cancelled", "success"],
             "source_key": ["codex-1", "codex-2"], "probe_tag": ["probe-1"], "min_occurrences": [1, 2, 3], "session_id": range(-1, 5), "id": range(0, 9),
             "capture.put_session_offset.session_id": ["s1", "s2"], "lock_timeout": [0, 600, 100_000_000], "idle": [0, 60], "max_retries": [1, 2],
             "content": [{"summary": "s", "intent": "i"}, {"summary": "tests fail", "intent": "test", "outcome": "failure", "tags": ["tests"]}],
             "tags": [[], ["a", "b"], '["c"]'], "tickets": range(0, 9), "capture.get_node.uuid": UUIDS, "capture.write_knowledge_node.uuid": UUIDS,
             "capture.claim.now": ["2026-05-01T00:00:00Z", "2026-05-01T00:05:00Z"],  # when what came before is old enough
             **{f"capture.{name}.queue": ["shell"] * 5 + ["browser"] for name in ("claim", "complete", "skip", "fail", "release", "extend_claims", "write_knowledge_node")}}
    weights = {"capture.insert_event": 6, "capture.claim": 3, "capture.reap": 0.5, "capture.record_lesson": 5,
               **{f"capture.{name}": 5 for name in ("complete", "skip", "fail", "release")},
               "capture.write_knowledge_node": 10, "capture.get_node": 3}
    without = {"capture.insert_event": {"env"}, "capture.claim": {"expects", "harness"}, "capture.record_lesson": {"node_id"},
               "capture.write_knowledge_node": {"entities", "home", "project_roots"}}

    def tables(self):
        return {name: {} for name in ("sessions", "events", "tickets", "lessons", "pending", "nodes", "offsets", "cursors", "watched", "last")}

    # ---- sessions and events ----

    def start_session(self, args):
        known = [row["id"] for row in self.rows["sessions"].values() if row["terminal"] == args["terminal"]]
        return {"id": known[-1] if known else self._add("sessions", {**pick(args, "terminal shell hostname username start_time"), "end_time": None, "summary": None})}

    def end_session(self, args):
        row = self.rows["sessions"].get(args["id"])
        if row is None:
            return {"updated": 0}
        row.update(args)
        return {"updated": 1}

    def list_sessions(self, args):
        told = []
        for row in newest(self.rows["sessions"].values(), "start_time", "id"):
            events = [event for event in self.rows["events"].values() if event["session_id"] == row["id"]]
            seen = [event for event in events if event["probe_tag"] is None]
            if (seen or not events) and row["start_time"] >= args.get("since", row["start_time"]):
                told.append({**row, "events": len(seen)})
        return told[:args["limit"]]

    def insert_event(self, args):
        for row in self.rows["events"].values():
            if args["envelope_id"] is not None and row["envelope_id"] == args["envelope_id"]:
                return {"id": row["id"], "duplicate": True}
        session = self.start_session({**args, "start_time": args["timestamp"]})["id"]
        harness = "claude" if args["harness"] == "claude-code" else args["harness"]
        number = self._add("events", {**args, "session_id": session, "source_kind": "shell" if args["tool_name"] is None else f"{harness}-tool", "env": None,
                                      "enriched": False})
        if args["probe_tag"] is None:
            self._add("tickets", {"queue": "shell", "source_id": number, "status": "pending", "priority": 5, "retry_count": 0, "max_retries": MAX_RETRIES,
                                  "error_message": None, "locked_at": None, "locked_by": None, "enqueued_at": args["now"], "updated_at": args["now"], "claim": None})
        return {"id": number, "duplicate": False}

    def insert_events(self, args):
        told = [self.insert_event(event)["duplicate"] for event in args["events"]]
        return {"inserted": told.count(False), "duplicates": told.count(True)}

    def _events(self):
        return [row for row in self.rows["events"].values() if row["probe_tag"] is None]

    def get_events(self, args):
        rows = [row for row in self._events() if row["session_id"] == args.get("session_id", row["session_id"]) and row["timestamp"] >= args.get("since", row["timestamp"])
                and ("project" not in args or args["project"] in row["cwd"] or args["project"] in (row["git_repo"] or ""))]
        return [pick(row, TOLD) for row in newest(rows, "timestamp", "id")[:args["limit"]]]

    def list_projects(self, args):
        seen = {}
        for row in self._events():
            seen.setdefault(row["cwd"] if row["git_repo"] is None else row["git_repo"], []).append(row["timestamp"])
        told = [{"project": project, "events": len(times), "segments": 0, "last_seen": max(times)} for project, times in seen.items() if project]
        return sorted(told, key=lambda row: (-row["last_seen"], row["project"]))[:args["limit"]]

    # ---- the queue ----

    def list_queue(self, args):
        rows = [row for row in self.rows["tickets"].values() if args.get("queue", "shell") == "shell" and row["id"] == args.get("id", row["id"])
                and row["status"] == args.get("status", row["status"]) and ("locked_until" not in args or (row["locked_at"] or 0) <= args["locked_until"])]
        rows.sort(key=lambda row: (-row["updated_at"], row["id"]))
        return [{name: value for name, value in row.items() if name != "claim"} for row in rows[:args["limit"]]]

    def queue_depth(self, _):
        told = []
        for queue in QUEUES:
            rows = list(self.rows["tickets"].values()) if queue == "shell" else []
            count = {status: sum(row["status"] == status for row in rows) for status in ("pending", "processing", "done", "failed", "skipped")}
            told.append({"queue": queue, **count, "waits_since": min((row["enqueued_at"] for row in rows if row["status"] == "pending"), default=None)})
        return told

    def claim(self, args):
        if args["reap"]:
            self._reap(args, args["queue"])
        if args["queue"] != "shell":
            return []
        waiting = [row for row in self.rows["tickets"].values() if row["status"] == "pending"]
        event = {row["id"]: self.rows["events"][row["source_id"]] for row in waiting}
        settled = args["now"] - args.get("idle", 120) * 1000
        busy = {each["session_id"] for each in event.values() if each["timestamp"] > settled}
        waiting = [row for row in waiting if event[row["id"]]["session_id"] not in busy]
        oldest = {}
        for row in waiting:
            session, timestamp = event[row["id"]]["session_id"], event[row["id"]]["timestamp"]
            oldest[session] = min(timestamp, oldest.get(session, timestamp))
        waiting.sort(key=lambda row: (oldest[event[row["id"]]["session_id"]], event[row["id"]]["session_id"], event[row["id"]]["timestamp"], row["id"]))
        taken = waiting[:args["limit"]]
        if taken:
            token = f"token-{self.rows['last'].setdefault('claims', 0) + 1}"
            self.rows["last"]["claims"] += 1
        for row in taken:
            row.update(status="processing", locked_at=args["now"], locked_by=args["worker"], updated_at=args["now"], claim=token)
        return [{"id": row["id"], "source_id": row["source_id"], "content_hash": None, "token": row["claim"]} for row in taken]

    def _reap(self, args, queue="shell"):
        stale = [row for row in self.rows["tickets"].values()
                 if queue == "shell" and row["status"] == "processing" and row["locked_at"] <= args["now"] - args["lock_timeout"] * 1000]
        told = [self._settle(row, "failed", f"stale lock reaped (>={args['lock_timeout']}s)", args["now"]) for row in stale]
        return {"reaped": len(told), "failed": told.count("failed")}

    def reap(self, args):
        return self._reap(args)

    def _settle(self, row, status, error, now, max_retries=None):
        if status == "failed":
            row["retry_count"] += 1
            status = "pending" if row["retry_count"] < (max_retries or row["max_retries"]) else "failed"
        row.update(status=status, error_message=error, locked_at=None, locked_by=None, updated_at=now, claim=None)
        if status in ("done", "skipped"):
            self.rows["events"][row["source_id"]]["enriched"] = True
        return status

    def _settle_held(self, args, status, error):
        row = self.rows["tickets"].get(args["id"]) if args["queue"] == "shell" else None
        if row is None:
            raise Refused("NOTFOUND", "id")
        if row["claim"] != self._token(args):
            raise Refused("DENIED", "token")
        return {"status": self._settle(row, status, error, args["now"], args.get("max_retries"))}

    def _token(self, args):
        """The one that is meant: token-0 is the newest."""
        return f"token-{self.rows['last'].get('claims', 0)}" if args["token"] == "token-0" else args["token"]

    def complete(self, args):
        return self._settle_held(args, "done", None)

    def skip(self, args):
        return self._settle_held(args, "skipped", args["reason"])

    def fail(self, args):
        return self._settle_held(args, "failed", args["error"])

    def release(self, args):
        return self._settle_held(args, "pending", args["reason"])

    def extend_claims(self, args):
        held = [row for row in self.rows["tickets"].values() if args["queue"] == "shell" and row["claim"] == self._token(args)]
        for row in held:
            row.update(locked_at=args["now"], updated_at=args["now"])
        return {"held": len(held)}

    # ---- knowledge ----

    def write_knowledge_node(self, args):
        if not args["embed_text"].strip(" \t\r\n"):
            raise Refused("INVALID", "embed_text")
        content = json.loads(args["content"])
        if args["outcome"] not in (None, content.get("outcome", args["outcome"])):
            raise Refused("INVALID", "outcome")
        if not args["tickets"]:
            raise Refused("INVALID", "tickets")
        for ticket in args["tickets"]:
            self._settle_held({**args, "id": ticket}, "done", None)
        if any(row["uuid"] == args["uuid"] for row in self.rows["nodes"].values()):
            raise Refused("INVALID", "uuid")
        said = json.dumps(content["tags"]) if "tags" in content else None
        number = self._add("nodes", {**pick(args, "uuid content embed_text enrichment_model enrichment_version"), "entities": [], "created_at": args["now"],
                                     "node_type": args.get("node_type", "observation"), "tags": said if args["tags"] is None else args["tags"],
                                     "outcome": content.get("outcome") if args["outcome"] is None else args["outcome"]})
        return {"id": number, "uuid": args["uuid"], "replaced": 0}

    def get_node(self, args):
        found = [row for row in self.rows["nodes"].values() if row["uuid"] == args["uuid"]]
        return found[0] if found else None

    # ---- lessons ----

    def record_lesson(self, args):
        place = "".join(part + "/" for part in args["path"].split("/")[:-1][:2])
        key = (args["repo"], args["tool"], args["rule_id"], place)
        for row in self.rows["lessons"].values():
            if (row["repo"], row["tool"], row["rule_id"], row["path_prefix"]) == key:
                row.update(occurrences=row["occurrences"] + 1, last_seen_at=args["now"], fix_hint=args["fix_hint"] if row["fix_hint"] is None else row["fix_hint"])
                return {"id": row["id"], "path_prefix": place, "occurrences": row["occurrences"]}
        met = self.rows["pending"].setdefault(key, {"count": 0, "first_seen_at": args["now"]})
        met["count"] += 1
        number = None
        if met["count"] >= args["min_occurrences"]:
            del self.rows["pending"][key]
            number = self._add("lessons", {**pick(args, "repo tool rule_id fix_hint"), "path_prefix": place, "summary": f"{args['tool']}:{args['rule_id']} in {place}",
                                           "occurrences": met["count"], "first_seen_at": met["first_seen_at"], "last_seen_at": args["now"]})
        return {"id": number, "path_prefix": place, "occurrences": met["count"]}

    def get_lessons(self, args):
        rows = [row for row in self.rows["lessons"].values() if row["repo"] == args.get("repo", row["repo"]) and row["tool"] == args.get("tool", row["tool"])
                and args.get("path", row["path_prefix"]).startswith(row["path_prefix"])]
        return sorted(rows, key=lambda row: (-row["occurrences"], -row["last_seen_at"], row["id"]))[:args["limit"]]

    # ---- how far was read ----

    def put_session_offset(self, args):
        self.rows["offsets"][args["path"]] = {**pick(args, OFFSET), "updated_at": args["now"]}
        return {"updated": 1}

    def list_session_offsets(self, _):
        return [self.rows["offsets"][path] for path in sorted(self.rows["offsets"])]

    def get_session_offset(self, args):
        return self.rows["offsets"].get(args["path"])

    def put_agentic_cursor(self, args):
        self.rows["cursors"][args["source_key"]] = {**pick(args, "source_key last_seen_updated_at last_id"), "updated_at": args["now"]}
        return {"updated": 1}

    def get_agentic_cursor(self, args):
        return self.rows["cursors"].get(args["source_key"])

    # ---- followed commits ----

    def watch_sha(self, args):
        until = int(args["now"] + args["ttl"] * 1000)
        new = {"created_at": args["now"], "terminal_status": None, "notified": False, **pick(args, "sha repo")}
        self.rows["watched"].setdefault((args["sha"], args["repo"]), new)["expires_at"] = until
        return {"expires_at": until}

    def finish_watch(self, args):
        row = self.rows["watched"].get((args["sha"], args["repo"]))
        bad = args["terminal_status"] in ("failure", "cancelled")
        if row is None or (not bad and row["terminal_status"] is not None):
            return {"updated": 0}
        if bad:
            row["terminal_status"] = args["terminal_status"]
        else:
            del self.rows["watched"][args["sha"], args["repo"]]
        return {"updated": 1}

    def list_watched(self, args):
        def wanted(row):
            running = row["terminal_status"] is None and row["expires_at"] > args["now"]
            ended = row["terminal_status"] is not None and not row["notified"]
            return {"all": True, "running": running, "ended": ended}[args["state"]] and row["repo"] == args.get("repo", row["repo"])

        return sorted(filter(wanted, self.rows["watched"].values()), key=lambda row: (row["expires_at"], row["repo"], row["sha"]))

    def mark_notified(self, args):
        row = self.rows["watched"].get((args["sha"], args["repo"]))
        if row is None or row["terminal_status"] is None or row["notified"]:
            return {"updated": 0}
        row["notified"] = True
        return {"updated": 1}

    def cleanup_watchlist(self, args):
        over = [key for key, row in self.rows["watched"].items() if row["expires_at"] <= args["now"] and (row["terminal_status"] is None or row["notified"])]
        for key in over:
            del self.rows["watched"][key]
        return {"deleted": len(over)}

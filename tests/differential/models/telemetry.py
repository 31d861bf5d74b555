"""The telemetry store: sessions, registrations, runs, retention, queries."""

from differential.models.arguments import Refused
from differential.models.model import Model, newest, pick

FIGURES = "id session_id execution_start_dtme duration_ms status error_type error_message error_traceback"


class Telemetry(Model):
    store, time = "telemetry", "seconds"
    # PostgreSQL takes a number for a registration that turns out to be known.
    numbered = ({"listener_id": "listener", "job_id": "job"}, {"telemetry.register_listener": ["listener_id"], "telemetry.register_job": ["job_id"]})
    hints = {"app_key": ["kitchen", "hall"], "topic": ["light", "door"], "handler_method": ["on", "off"], "job_name": ["open", "close"],
             "error_type": ["ValueError", "DependencyError", "Dependency"], "instance_index": [0, 1],
             **{name: range(-1, 9) for name in ("listener_id", "job_id", "session_id", "session", "except_session")}}

    def tables(self):
        return {"sessions": {}, "listeners": {}, "jobs": {}, "invocations": {}, "executions": {}, "last": {}}

    # ---- sessions ----

    def create_session(self, args):
        return {"session_id": self._add("sessions", {"started_at": args["now"], "stopped_at": None, "last_heartbeat_at": args["now"], "status": "running",
                                                     "error_type": None, "error_message": None, "error_traceback": None})}

    def update_heartbeat(self, args):
        row = self._get("sessions", args["session_id"], "session_id")
        if row["status"] == "unknown":
            row.update(status="running", stopped_at=None)
        row["last_heartbeat_at"] = args["now"]
        return {}

    def mark_orphaned_sessions(self, args):
        before = args["now"] - args["stale_after"] if "stale_after" in args else None
        lost = [row for row in self.rows["sessions"].values()
                if row["status"] == "running" and (before is None or row["last_heartbeat_at"] < before)]
        for row in lost:
            row.update(status="unknown", stopped_at=row["last_heartbeat_at"])
        return {"count": len(lost)}

    def record_session_error(self, args):
        row = self._get("sessions", args["session_id"], "session_id")
        if row["status"] == "unknown":
            row["stopped_at"] = None
        row.update(status="error", last_heartbeat_at=args["now"], **pick(args, "error_type error_message error_traceback"))
        return {}

    def finalize_session(self, args):
        row = self._get("sessions", args["session_id"], "session_id")
        if row["status"] == "unknown" or row["stopped_at"] is None:
            row.update(stopped_at=args["now"], last_heartbeat_at=args["now"])
        if row["status"] != "error":
            row["status"] = "error" if args["had_error"] else "success"
        return {}

    def get_session_list(self, args):
        return [{**row, "duration_seconds": self._duration(row)} for row in newest(self.rows["sessions"].values(), "started_at", "id")[:args["limit"]]]

    @staticmethod
    def _duration(row):
        return (row["last_heartbeat_at"] if row["stopped_at"] is None else row["stopped_at"]) - row["started_at"]

    def get_session_totals(self, args):
        return [{"session_id": row["id"], **pick(row, "started_at stopped_at status"), **self._totals(row["id"])}
                for row in newest(self.rows["sessions"].values(), "started_at", "id")[:args["limit"]]]

    def _totals(self, session):
        told = {}
        for table in ("invocations", "executions"):
            runs = [run for run in self.rows[table].values() if run["session_id"] == session]
            told[table] = len(runs)
            told[table[:-1] + "_errors"] = sum(run["status"] == "error" for run in runs)
        return told

    def get_current_session_summary(self, args):
        rows = [row for row in self.rows["sessions"].values() if (row["id"] == args["session"] if "session" in args else row["status"] == "running")]
        if not rows:
            return None
        row = newest(rows, "started_at", "id")[0]
        return {"session_id": row["id"], **pick(row, "status started_at last_heartbeat_at"), "duration_seconds": self._duration(row), **self._totals(row["id"])}

    # ---- registration ----

    def _register(self, table, args, key):
        first = args.pop("first_registered_at", args["last_registered_at"])
        for row in self.rows[table].values():
            if all(row[name] == args[name] for name in key.split()):
                row.update(args)
                return row["id"]
        return self._add(table, {**args, "first_registered_at": first})

    def register_listener(self, args):
        return {"listener_id": self._register("listeners", args, "app_key instance_index handler_method topic")}

    def register_job(self, args):
        return {"job_id": self._register("jobs", args, "app_key instance_index job_name")}

    # ---- recording ----

    def record_invocation(self, args):
        self._get("listeners", args["listener_id"], "listener_id")
        self._get("sessions", args["session_id"], "session_id")
        return {"id": self._add("invocations", args), "outcome": "written"}

    def record_execution(self, args):
        self._get("jobs", args["job_id"], "job_id")
        self._get("sessions", args["session_id"], "session_id")
        return {"id": self._add("executions", args), "outcome": "written"}

    def persist_batch(self, args):
        written = dropped = 0
        for record, write in [(each, self.record_invocation) for each in args["invocations"]] + [(each, self.record_execution) for each in args["executions"]]:
            try:
                write(record)
                written += 1
            except Refused:
                dropped += 1
        return {"written": written, "dropped": dropped}

    # ---- retention ----

    def _delete(self, condition):
        deleted = {}
        for table, told in (("invocations", "handler_invocations"), ("executions", "job_executions")):
            gone = [number for number, row in self.rows[table].items() if condition(row)]
            for number in gone:
                del self.rows[table][number]
            deleted[told] = len(gone)
        return deleted

    def retention_cleanup(self, args):
        cutoff = args.get("cutoff", args["now"] - args["retention_days"] * 86400.0)
        return self._delete(lambda run: run["execution_start_dtme"] < cutoff)

    def retention_by_session(self, args):
        old = {row["id"] for row in self.rows["sessions"].values() if row["started_at"] < args["cutoff"] and row["status"] != "running"}
        return self._delete(lambda run: run["session_id"] in old)

    # ---- queries ----

    def _runs(self, table, args, condition=lambda run: True):
        return [run for run in self.rows[table].values() if condition(run) and run["session_id"] == args.get("session", run["session_id"])
                and ("except_session" not in args or run["session_id"] != args["except_session"])]

    def get_handler_invocations(self, args):
        self._get("listeners", args["listener_id"], "listener_id")
        runs = self._runs("invocations", args, lambda run: run["listener_id"] == args["listener_id"])
        return [pick(run, FIGURES) for run in newest(runs, "execution_start_dtme", "id")[:args["limit"]]]

    def get_job_executions(self, args):
        self._get("jobs", args["job_id"], "job_id")
        runs = self._runs("executions", args, lambda run: run["job_id"] == args["job_id"])
        return [pick(run, FIGURES) for run in newest(runs, "execution_start_dtme", "id")[:args["limit"]]]

    def get_slow_handlers(self, args):
        return self._slow("invocations", "listeners", "listener_id", "app_key instance_index handler_method topic", args)

    def get_slow_jobs(self, args):
        return self._slow("executions", "jobs", "job_id", "app_key instance_index job_name handler_method", args)

    def _slow(self, table, parents, parent, names, args):
        runs = self._runs(table, args, lambda run: run["duration_ms"] > args["threshold_ms"] and run["execution_start_dtme"] >= args.get("since", float("-inf")))
        return [{**pick(run, f"id {parent} session_id execution_start_dtme duration_ms status error_type"), **pick(self.rows[parents][run[parent]], names)}
                for run in newest(runs, "duration_ms", "execution_start_dtme", "id")[:args["limit"]]]

    def get_recent_errors(self, args):
        told = []
        for kind, table, parents, parent in (("handler", "invocations", "listeners", "listener_id"), ("job", "executions", "jobs", "job_id")):
            for run in self._runs(table, args, lambda run: run["status"] == "error" and run["execution_start_dtme"] > args["since"]):
                of = self.rows[parents][run[parent]]
                told.append({"kind": kind, "listener_id": run.get("listener_id"), "job_id": run.get("job_id"), "topic": of.get("topic"), "job_name": of.get("job_name"),
                             **pick(of, "app_key instance_index handler_method"),
                             **pick(run, "id session_id execution_start_dtme duration_ms error_type error_message error_traceback")})
        told.sort(key=lambda row: (-row["execution_start_dtme"], row["kind"], -row["id"]))
        return told[:args["limit"]]

    def get_global_summary(self, args):
        calls, runs = self._runs("invocations", args), self._runs("executions", args)
        failed = [call for call in calls if call["status"] == "error"]
        return {"listeners": {"total_listeners": len(self.rows["listeners"]), "invoked_listeners": len({call["listener_id"] for call in calls}),
                              "total_invocations": len(calls), "total_errors": len(failed),
                              "total_di_failures": sum((call["error_type"] or "").startswith("Dependency") for call in failed),
                              "avg_duration_ms": sum(call["duration_ms"] for call in calls) / len(calls) if calls else 0},
                "jobs": {"total_jobs": len(self.rows["jobs"]), "executed_jobs": len({run["job_id"] for run in runs}), "total_executions": len(runs),
                         "total_errors": sum(run["status"] == "error" for run in runs)}}

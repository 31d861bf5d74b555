#!/usr/bin/env python3
"""Text that looks like SQL, sent through every text parameter of every method of the assistant store, and as names of
arguments: it is stored or refused as data, on both engines.

For each parameter: no failure that only SQL can have, the schema and rows that nothing was said about stay as they
were, and a row that was written comes back with exactly the text that was sent.  Prints TAP.
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from method import doors, workload  # noqa: E402

ATTACKS = [
    "'; DROP TABLE notes; --", "' OR '1'='1", "x'); DELETE FROM tasks; --", "\" OR \"\"=\"", "%' OR 1=1 --", "%", "_", "\\", "\\'; --",
    "1; UPDATE notes SET title = 'taken'", "' UNION SELECT password_enc FROM vault_credentials --", "$1", "?", ":id", "$$; DROP TABLE notes; $$",
    "'||(SELECT password_enc FROM vault_credentials)||'", "*/ DROP TABLE notes /*", "N'x", "E'\\x27'", "\u02bc OR 1=1",
]
NAMES = ["id = id; DROP TABLE notes; --", "title\" = 'x' --", "title = 'taken', content", "rowid", "1", "id)"]
REFUSALS = {"INVALID", "NOTFOUND", "DENIED"}  # never INTERNAL, never a failure of SQL
TEXTS = ("text", "query", "jsontext", "cron", "timezone", "date", "uuid", "content")
WITHOUT = {"assistant.raw_sql_query", "assistant.raw_sql_execute", "assistant.raw_sql_dryrun"}  # whose parameter is SQL
KEPT = [  # rows that no attack names
    ("assistant.save_note", {"id": "kept", "title": "kept", "content": "kept", "created_at": "2026-01-01T00:00:00Z"}),
    ("assistant.create_task", {"id": "kept", "title": "kept", "created_at": "2026-01-01T00:00:00Z"}),
    ("assistant.save_vault_entry", {"id": "kept", "service": "kept", "username_enc": "MARK-user", "password_enc": "MARK-word"}),
]
# A method that writes a text, the one that reads it, and which parameter is whose column.
COME_BACK = [
    ("assistant.save_note", {"id": "w", "content": "c"}, "title", "assistant.get_notes", {}),
    ("assistant.save_note", {"id": "w", "title": "t"}, "content", "assistant.get_notes", {}),
    ("assistant.save_user_fact", {"key": "w"}, "value", "assistant.get_all_user_facts", {}),
    ("assistant.save_context", {"user_id": "w"}, "content", "assistant.get_context", {"user_id": "w"}),
    ("assistant.create_task", {}, "title", "assistant.list_tasks", {}),
    ("assistant.save_journal_entry", {"id": "w"}, "content", "assistant.list_journal_entries", {}),
]


def contains(reply, name, text):
    rows = reply if isinstance(reply, list) else [reply]
    return any(row and row.get(name) == text for row in rows)


class Attack:
    def __init__(self, player, methods):
        self.player = player
        self.methods = [each for each in methods if each["store"] == "assistant" and each["name"] not in WITHOUT]
        self.made = workload.Workload(methods, "assistant", seed=1)
        self.wrong = []

    def call(self, method, args):
        word, told = self.player.call(method, json.dumps(args))
        if word != "ok" and told["code"] not in REFUSALS:
            self.wrong.append(f"{method} {json.dumps(args)}: {told}")
        if "MARK-" in json.dumps(told) and "vault" not in method:
            self.wrong.append(f"{method} {json.dumps(args)} tells what is in the vault")
        return word, told

    def every_parameter(self):
        count = 0
        for method in self.methods:
            for param in method["params"]:
                if param["type"] not in TEXTS or "choices" in param:
                    continue
                for text in ATTACKS:
                    args = {**self.made.arguments(method), param["name"]: [text] if param.get("list") else text}
                    args.pop("unheard_of", None)
                    self.call(method["name"], args)
                    count += 1
        return count

    def every_name(self):
        for method in self.methods:
            for name in NAMES:
                word, told = self.call(method["name"], {**self.made.arguments(method), name: "x"})
                if word == "ok" or told["code"] != "INVALID":
                    self.wrong.append(f"{method['name']} takes an argument called {name}")

    def come_back(self):
        for method, args, name, reader, asked in COME_BACK:
            for text in ATTACKS:
                self.call(method, {**args, name: text})
                if not contains(self.call(reader, asked)[1], name, text):
                    self.wrong.append(f"{method}: {name} does not come back as {text!r}")

    def stays(self):
        """What must be there before and after."""
        notes = [row for row in self.player.must("call", "assistant.get_notes", "{}") if row["id"] == "kept"]
        tasks = [row for row in self.player.must("call", "assistant.list_tasks", "{}") if row["id"] == "kept"]
        vault = self.player.must("call", "assistant.get_vault_entry", '{"service":"kept"}')
        names = sorted(row["name"] for row in self.player.must("call", "stele.schema", '{"store":"assistant"}')
                       if not row["name"].startswith("stele_"))
        return notes, tasks, vault, names


def play(places, methods):
    with places, doors.Player() as player:
        player.open(places.new())
        for method, args in KEPT:
            player.must("call", method, json.dumps(args))
        attack = Attack(player, methods)
        before = attack.stays()
        count = attack.every_parameter()
        attack.every_name()
        attack.come_back()
        if attack.stays() != before:
            attack.wrong.append(f"before: {before}\nafter: {attack.stays()}")
        player.close()
        return count, attack.wrong


def main():
    with doors.Sqlite() as places, doors.Player() as player:
        player.open(places.new())
        methods = player.must("call", "stele.methods", "{}")
        stores = [status["store"] for status in player.must("call", "stele.status", "{}")]
    engines = [doors.Sqlite()]
    failed = 0
    if os.environ.get("STELE_TEST_POSTGRES"):
        engines.append(doors.Postgres(stores))
    else:
        print("not ok - STELE_TEST_POSTGRES names no server (tests/postgres.py starts one)")
        failed += 1
    for places in engines:
        count, wrong = play(places, methods)
        print(("not ok" if wrong else "ok") + f" - {places.engine}: {count} attacks through text parameters, and as names, are data")
        for line in wrong[:20]:
            print("# " + line.replace("\n", "\n# ")[:1000])
        failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

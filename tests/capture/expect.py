"""What a sample home holds, and what was told or stored of it, in one form that can be compared.

A session is a dict: harness, id, and what is known of it (title, parent, link, cwd, branch, model, version, agent,
system_prompt, started_at), messages (a list of message()) and usage (a dict of sums).
"""

import json

FACTS = ("title", "parent", "link", "cwd", "branch", "model", "version", "agent", "system_prompt", "started_at")
COUNTS = ("input", "output", "cache_read", "cache_write", "reasoning", "cost")


def message(role, text=None, parts=None, calls=(), call_id=None, tool=None, thought=None, at=None):
    """`parts`: content that is JSON.  `calls`: (id, name, arguments) each."""
    found = {"role": role, "content": text if parts is None else parts, "calls": [list(call) for call in calls],
             "call_id": call_id, "tool": tool, "thought": thought, "at": at}
    return {name: value for name, value in found.items() if value not in (None, "", [])}


def session(harness, id, messages, usage=None, **facts):
    unknown = set(facts) - set(FACTS)
    assert not unknown, unknown
    return {"harness": harness, "id": id, "messages": messages, "usage": usage or {}, **facts}


def usage(**counts):
    return {name: counts[name] for name in COUNTS if counts.get(name)}


class Told:
    """What readers told, taken in as a store would: keys replace, turns are withdrawn."""

    def __init__(self):
        self.sessions = {}
        self.bad = []
        self.asides = 0
        self.tables = set()

    def take(self, lines):
        for line in lines:
            record = json.loads(line)
            kind, = (key for key in record if key != "harness")
            getattr(self, "take_" + kind)(record.get("harness"), record[kind])

    def of(self, harness, id):
        return self.sessions.setdefault((harness, id), {"facts": {}, "messages": {}, "usage": {}})

    def take_session(self, harness, told):
        facts = self.of(harness, told["id"])["facts"]
        facts.update({name: told[name] for name in FACTS if told.get(name)})

    def take_message(self, harness, told):
        self.of(harness, told["session"])["messages"][told["key"]] = told

    def take_usage(self, harness, told):
        self.of(harness, told["session"])["usage"][told["key"]] = told

    def take_withdraw(self, harness, told):
        messages = self.of(harness, told["session"])["messages"]
        keys = list(messages)
        turns = [at for at, key in enumerate(keys) if messages[key]["role"] == "user"]
        for key in keys[turns[max(0, len(turns) - int(told["count"]))]:] if turns else []:
            del messages[key]

    def take_title_of(self, harness, told):
        for found in self.sessions.values():
            if told["key"] in found["messages"]:
                found["facts"]["title"] = told["title"]

    def take_aside(self, harness, told):
        self.asides += 1

    def take_bad(self, harness, told):
        self.bad.append(told)

    def take_table(self, harness, told):
        self.tables.add(told)

    def seen(self, harness, id):
        """A session in the form of session()."""
        found = self.of(harness, id)
        messages = [seen_message(told) for told in found["messages"].values()]
        total = {}
        for told in found["usage"].values():
            for name in COUNTS:
                total[name] = total.get(name, 0) + told.get(name, 0)
        return session(harness, id, messages, usage(**total), **found["facts"])


def seen_message(told):
    content = told.get("content")
    calls = [(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in told.get("tool_calls") or []]
    return message(told["role"], None if told.get("is_json") else content, content if told.get("is_json") else None, calls,
                   told.get("tool_call_id"), told.get("tool_name"), told.get("reasoning"), told.get("timestamp"))


def differences(got, wanted, strict_time=True):
    """What is not as wanted, in words.  A fact or a time that is not wanted may be anything."""
    where = f"{wanted['harness']} {wanted['id']}"
    for name in FACTS:
        if name in wanted and got.get(name) != wanted[name]:
            yield f"{where}: {name} is {got.get(name)!r}, not {wanted[name]!r}"
    if got["usage"] != wanted["usage"]:
        yield f"{where}: usage is {got['usage']}, not {wanted['usage']}"
    for number, (a, b) in enumerate(zip(got["messages"], wanted["messages"])):
        a = dict(a)
        if not strict_time or "at" not in b:
            a.pop("at", None)
            b = {key: value for key, value in b.items() if key != "at"}
        if a != b:
            yield f"{where}: message {number} is {a}, not {b}"
    if len(got["messages"]) != len(wanted["messages"]):
        yield (f"{where}: {len(got['messages'])} messages, not {len(wanted['messages'])}: "
               f"{[m.get('content') for m in got['messages']]}")

"""Random calls, made from what the registry declares: `Workload(methods, store, seed).calls(10000)`.

A call is (method, arguments).  Values come from small pools, so that calls meet each other's rows, and among them are
texts that must stay data: quotes, wildcards, comments, SQL.  What would differ from run to run (times that default to
now, ids that default to a new one) is always sent.  The same seed gives the same calls.
"""

import datetime
import json
import random

HOSTILE = [
    "'; DROP TABLE notes; --", '" OR 1=1 --', "Robert'); DELETE FROM tasks; --", "%", "_", "100%_sure\\", "\\", "a\\%b", "' || 'x",
    "ÉCOLE", "école", "Straße", "STRASSE", "ΟΔΟΣ", "οδος", "İstanbul", "天気", "🙂 ok", "e\u0301cole", "", " ", "\t", "line\nbreak",
    "NULL", "0", "-1", "1e400", "{}", "[]", "null", "{\"a\":", "select", "id", "$1", "?1", ":id", "$$", "E'\\n'", "\u200b",
]  # no NUL: PostgreSQL refuses one inside a text, SQLite keeps it
WORDS = "alpha beta gamma tea coffee école STRASSE green note call doctor knee deploy 天気 rain".split()
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Nowhere/Land", "../etc/passwd"]
CRONS = ["0 9 * * 1", "*/15 * * * *", "30 2 * * *", "0 0 29 2 *", "61 * * * *", "bad", "0 9 * * MON-FRI", "@daily"]
DATES = ["2026-03-01", "2026-03-15", "2026-02-30", "2026-04-02", "soon", "2026-3-1"]
BASE = datetime.datetime(2026, 3, 1, tzinfo=datetime.timezone.utc)


class Workload:
    """The calls of one store.  hints: values for parameters of that name, or of METHOD.NAME; without: methods that are left out; weights: how often
    a method is called, where it is not as often as others of its kind; wrong: the part of the calls
    in which some argument is null, of another type or out of its range."""

    def __init__(self, methods, store, seed, hints=None, without=(), weights=None, wrong=0):
        self.methods = {each["name"]: each for each in methods}
        self.names = [name for name, each in self.methods.items() if each["store"] == store and name not in without]
        self.random = random.Random(seed)
        self.hints = hints or {}
        self.weights, self.wrong = weights or {}, wrong

    def calls(self, count):
        """Writes are twice as frequent as reads: there is to be something to read."""
        weights = [self.weights.get(name, 1 if self.methods[name]["access"] == "read" else 2) for name in self.names]
        for name in self.random.choices(self.names, weights, k=count):
            args = self.arguments(self.methods[name])
            if args and self.wrong and self.random.random() < self.wrong:
                self.spoil(args)
            yield name, args

    def spoil(self, args):
        """Make one argument wrong, or at least odd."""
        name = self.random.choice(list(args))
        if isinstance(args[name], str):
            args[name] = self.random.choice([None, 7, [], {}])
        else:
            args[name] = self.random.choice([None, "text", -1, 2.5, [None], {"a": 1}])

    def arguments(self, method):
        made = {}
        for param in method["params"]:
            fixed = param.get("default") in ("now", "new") and param["type"] in ("time", "date", "text", "uuid")
            if param.get("optional") and not fixed and self.random.random() < 0.5:
                continue
            made[param["name"]] = self.value(param, f"{method['name']}.{param['name']}")
        if self.random.random() < 0.01:
            made["unheard_of"] = 1
        return made

    def value(self, param, place):
        if param.get("nullable") and self.random.random() < 0.2:
            return None
        if param.get("list"):
            item = {key: value for key, value in param.items() if key not in ("list", "nullable")}
            return [self.value(item, place) for _ in range(self.random.randrange(4))]
        if place in self.hints:
            return self.random.choice(self.hints[place])
        if "choices" in param:
            return self.random.choice(param["choices"])
        if param["name"] in self.hints and param["type"] in ("text", "json", "jsontext", "int", "content"):
            return self.random.choice(self.hints[param["name"]])
        return getattr(self, "a_" + param["type"])(param)

    def a_text(self, param):
        name, chance = param["name"], self.random.random()
        if chance < 0.15:
            return self.random.choice(HOSTILE)
        if name == "id" or name.endswith("_id"):
            return f"id-{self.random.randrange(8)}"
        if chance < 0.6:
            return f"{name}-{self.random.randrange(4)}"
        return " ".join(self.random.choices(WORDS, k=self.random.randrange(1, 6)))

    def a_query(self, param):
        return self.a_text(param)

    def a_uuid(self, _):
        return f"00000000-0000-4000-8000-00000000000{self.random.randrange(8)}"

    def _span(self, param, least, most):
        low, high = param.get("min", least), param.get("max", most)
        return low, min(high, low + (most - least))

    def a_int(self, param):
        if param["name"] == "limit":
            return self.random.randrange(1, 20)
        low, high = self._span(param, -2, 40)
        return self.random.randint(int(low), int(high))

    def a_real(self, param):
        low, high = self._span(param, -2.0, 40.0)
        return round(self.random.uniform(low, high), self.random.randrange(4))

    def a_bool(self, _):
        return self.random.random() < 0.5

    def a_cron(self, _):
        return self.random.choice(CRONS)

    def a_timezone(self, _):
        return self.random.choice(ZONES)

    def a_duration(self, _):
        return self.random.choice([0, 1, 90, "15m", "2h", "7d"])

    def a_time(self, _):
        moment = BASE + datetime.timedelta(seconds=self.random.randrange(-20 * 86400, 40 * 86400))
        if self.random.random() < 0.3:
            moment += datetime.timedelta(microseconds=self.random.randrange(1000000))
        if self.random.random() < 0.3:
            moment = moment.astimezone(datetime.timezone(datetime.timedelta(hours=self.random.randrange(-11, 13))))
        return moment.isoformat()

    def a_date(self, _):
        if self.random.random() < 0.1:
            return self.random.choice(DATES)
        return (BASE + datetime.timedelta(days=self.random.randrange(-20, 40))).date().isoformat()

    def a_json(self, _, depth=0):
        kind = self.random.randrange(5 if depth < 2 else 3)
        if kind == 0:
            return self.random.choice([None, True, False, 0, 7, -1.5, 1e21])
        if kind < 3:
            return self.random.choice(HOSTILE + WORDS)
        if kind == 3:
            return [self.a_json(_, depth + 1) for _ in range(self.random.randrange(4))]
        keys = ["password", "apiKey", "note", "Token", "a", "b"]
        return {self.random.choice(keys): self.a_json(_, depth + 1) for _ in range(self.random.randrange(4))}

    def a_jsontext(self, param):
        return json.dumps(self.a_json(param)) if self.random.random() < 0.9 else "{not json"

    def a_content(self, param):
        return self.a_text(param)

    def a_vector(self, _):
        return [round(self.random.uniform(-1, 1), 3) for _ in range(4)]

    def a_blob(self, _):
        return self.random.choice(["", "AA==", "c3RlbGU="])

    def a_record(self, param):
        record = self.methods.get(param["record"])  # one of a private method is not told
        return self.arguments(record) if record else {}

"""Is a reply what the method's declaration promises?  Shape, members and their order, types, nulls."""

import base64
import json
import os
import re

TIME_FORMS = {
    "seconds": lambda value: is_number(value),
    "millis": lambda value: is_int(value),
    "iso": lambda value: isinstance(value, str) and ISO.fullmatch(value),
    "sql": lambda value: isinstance(value, str) and SQL.fullmatch(value),
}
ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")
SQL = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
TIME_WORD = re.compile(r"^-- @time\s+(\w+)", re.MULTILINE)
DATE = re.compile(r"\d{4}-\d\d-\d\d")
UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Undeclared(Exception):
    """A reply that the declaration does not allow."""


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool) and -2**63 <= value < 2**63


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_base64(value):
    try:
        return isinstance(value, str) and base64.b64decode(value, validate=True) is not None
    except ValueError:
        return False


def _is_json_text(value):
    try:
        return isinstance(value, str) and json.loads(value) is not Ellipsis
    except ValueError:
        return False


CHECKS = {
    "text": lambda value: isinstance(value, str),
    "query": lambda value: isinstance(value, str),
    "cron": lambda value: isinstance(value, str),
    "timezone": lambda value: isinstance(value, str),
    "uuid": lambda value: isinstance(value, str) and UUID.fullmatch(value),
    "date": lambda value: isinstance(value, str) and DATE.fullmatch(value),
    "int": is_int,
    "real": is_number,
    "duration": is_number,
    "bool": lambda value: isinstance(value, bool),
    "json": lambda value: True,
    "jsontext": _is_json_text,
    "content": lambda value: True,
    "blob": _is_base64,
    "vector": lambda value: isinstance(value, list) and all(map(is_number, value)),
    "record": lambda value: isinstance(value, dict),
}


class Declarations:
    """The methods as `stele methods --json` lists them."""

    def __init__(self, methods, source):
        self.methods = {method["name"]: method for method in methods}
        self.source = source
        self.time_forms = {}

    def _time_form(self, store):
        """How a store keeps its times: its schema says it.  The library itself tells seconds."""
        if store not in self.time_forms:
            path = os.path.join(self.source, "sql", store, "schema.sql")
            word = "seconds"
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    word = TIME_WORD.search(file.read())[1]
            self.time_forms[store] = TIME_FORMS[word]
        return self.time_forms[store]

    def check(self, name, reply):
        method = self.methods.get(name)
        if not method:
            raise Undeclared(f"{name} succeeded, and is not listed")
        if method["shape"] == "many":
            if not isinstance(reply, list):
                raise Undeclared(f"{name} replies with many rows, and this is no array")
            for row in reply:
                self._check_row(method, row)
        elif reply is not None or method["shape"] == "none":
            self._check_row(method, reply)

    def _check_row(self, method, row):
        declared = [result["name"] for result in method["results"]]
        if not isinstance(row, dict) or list(row) != declared:
            found = list(row) if isinstance(row, dict) else row
            raise Undeclared(f"{method['name']} declares {declared} and replied {found}")
        for result in method["results"]:
            self._check_value(method, result, row[result["name"]])

    def _check_value(self, method, result, value):
        what = f"{method['name']}: {result['name']}"
        if value is None:
            if not result.get("nullable") and result["type"] != "json":
                raise Undeclared(f"{what} is declared never to be null")
            return
        check = self._time_form(method["store"]) if result["type"] == "time" else CHECKS[result["type"]]
        values = value if result.get("list") else [value]
        if not isinstance(values, list) or not all(map(check, values)):
            raise Undeclared(f"{what} is declared as {result['type']} and is {json.dumps(value)[:200]}")

#!/usr/bin/env python3
"""The package behind a pipe, for the method tests: takes the requests of the player (tests/play/play.c), `open`, `close`
and `call`, and makes the calls as a program would.  Rows come at once and one by one by turns."""

import base64
import json
import sys

import stele


class Playing:
    def __init__(self):
        self.db = None
        self.calls = 0

    def open(self, place):
        place = json.loads(place)
        self.db = stele.open(place["home"], stores=place.get("stores", {}), vault_keys=place.get("vault_keys"))
        return {}

    def close(self):
        self.db.close()
        return {}

    def call(self, name, args):
        args = json.loads(args)
        store, _, short = name.partition(".")
        method = getattr(getattr(self.db, store, None), short, None)
        if method is None:
            return self.db.call(name, args)
        self.calls += 1
        if method.shape == "many" and self.calls % 2:
            return list(getattr(getattr(self.db, store).rows, short)(**args))
        return method(**args)


def _bytes(value):
    """As the other doors write them."""
    return base64.b64encode(value).decode()


def main():
    playing = Playing()
    for line in sys.stdin:
        verb, *words = line.rstrip("\n").split("\t")
        try:
            answer = "ok", getattr(playing, verb)(*words)
        except stele.StatusError as error:
            answer = "error", {"code": error.code, "method": error.method, "field": error.field, "message": error.message,
                               "hint": error.hint}
        print(answer[0], json.dumps(answer[1], allow_nan=False, default=_bytes), sep="\t", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What is forgotten by its text is nowhere any more, wherever it stood.  Prints TAP.

A row of every table of every store for each of its columns, made from the schema itself: what is added tomorrow is looked at
too."""

import os
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from forget import filled  # noqa: E402
from documents.finder import STORES, on_both  # noqa: E402
from place import main, same  # noqa: E402

MARK = "Quetzalcoatlus"


def files(directory):
    for root, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(root, name)
            if os.path.isfile(path):
                yield path


def holding(directory, text):
    """The files in which a text stands."""
    found = []
    for path in files(directory):
        with open(path, "rb") as file:
            if text.encode() in file.read():
                found.append(os.path.relpath(path, directory))
    return found


@on_both("a text that stood in every column of every table is in no row and in no file")
def _(home, engine, place):
    known, places, staying = filled.features(), {}, {}
    for store in STORES:
        home.index(store)
        db = filled.database(engine, place, store)
        for feature in known[store]:
            db.make(feature)
        places[store] = filled.fill(db, MARK)
        same(filled.holding(db, places[store], MARK), sorted(places[store]))
        staying[store] = filled.staying(db)
        db.close()
        home.reindex(store)
    same({row["store"] for row in home.call("stele.forget", text=MARK)}, set(STORES))
    home.call("stele.forget", text=MARK, dry_run=False)
    same(home.call("stele.forget", text=MARK), [])
    same(holding(place["home"], MARK), [])
    for store in STORES:
        db = filled.database(engine, place, store)
        same((filled.holding(db, places[store], MARK), filled.staying(db)), ([], staying[store]))
        db.close()
    for store in STORES:
        same(home.found(store, MARK.lower() + "*"), [])


if __name__ == "__main__":
    main()

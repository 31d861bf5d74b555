#!/usr/bin/env python3
"""How long a question takes among a million messages, by words and meaning together.

    python3 bench/recall/scale.py [--messages 1000000] [--model FILE] [--home DIR]

The chats of bench/quality/generate.py, of as many users as it takes, are loaded, indexed and embedded by a static model; without
one, by a model in which every word has a vector by chance: as much work, though its neighbours mean nothing.  A thousand of their
questions are asked of everything, of one role, of a span of time and of one user's chats.  A home named with --home is kept, and
used as it is the next time.

Prints as JSON, for each way, the median and 99th percentile of the time of a question in milliseconds, and how many of the
questions had fewer hits than they asked for.
"""

import argparse
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "bench", "quality"))
import generate  # noqa: E402
import run as quality  # noqa: E402

LIMIT = 10
DIMENSION = 256  # of vectors by chance
AT_ONCE = 40  # users of a seed, of which a batch is made
MOST = 1000   # questions of each way


def parts(count):
    """(messages, queries) of users with names of their own, until there are enough messages."""
    seed = written = 0
    while written < count:
        messages, queries = generate.generate(seed, AT_ONCE)
        messages = messages[:count - written]
        for row in (*messages, *queries):
            row["user"] = f"{row['user']}-{seed}"
        yield messages, queries
        written += len(messages)
        seed += 1


def say(text):
    print(text, file=sys.stderr, flush=True)


class Loader(quality.Stele):
    """What loads a home, by parts."""

    def __init__(self, db):
        self.db, self.ids = db, {}


def model_by_chance(home):
    """A static model of all words of some chats, in a file of the home."""
    import stele
    rng = random.Random(1)
    messages, queries = generate.generate(0, AT_ONCE)
    texts = [row.get("text") or row.get("query") for row in (*messages, *queries)]
    words = sorted(set(re.findall(r"[^\W_]+", " ".join(texts).lower())))
    vectors = os.path.join(home, "vectors.txt")
    with open(vectors, "w", encoding="utf-8") as out:
        for word in words:
            out.write(f"{word} {' '.join(f'{rng.gauss(0, 1):.4f}' for _ in range(DIMENSION))}\n")
    with stele.open(home) as db:
        return db.stele.import_model(source=vectors)["path"]


def fill(home, model, count):
    """Load the chats; what is to be asked of them goes to a file of the home."""
    import stele
    questions, first, last = [], float("inf"), 0
    with stele.open(home, embedding={"model": model}) as db:
        loader = Loader(db)
        started = time.monotonic()
        for messages, queries in parts(count):
            loader.load(messages)
            times = [quality.seconds_of(message["ts"]) for message in messages]
            first, last = min(first, *times), max(last, *times)
            users = {message["user"] for message in messages}
            questions += [{"query": q["query"], "user": q["user"]} for q in queries if q["user"] in users]
            say(f"{len(loader.ids):,} messages loaded, {time.monotonic() - started:.0f} s")
    random.Random(1).shuffle(questions)
    with open(os.path.join(home, "asked.json"), "w", encoding="utf-8") as out:
        json.dump({"questions": questions[:MOST], "first": first, "last": last, "model": model}, out)


def finish(db):
    """Index and embed what is not: the seconds of each."""
    started = time.monotonic()
    db.recall.index(stores=["conversation"])
    indexed = time.monotonic()
    db.recall.embed_backfill(stores=["conversation"])
    return indexed - started, time.monotonic() - indexed


def ways(first, last):
    """What a question is limited to, by the name of the way: given the user who asks, the arguments."""
    sixth = (last - first) / 6
    return {
        "all": lambda user: {},
        "role": lambda user: {"roles": ["assistant"]},
        "time": lambda user: {"since": first + 2 * sixth, "until": first + 3 * sixth},
        "user": lambda user: {"sources": [user]},
    }


def ask(db, question, arguments):
    """The milliseconds that a question takes, and how much it finds."""
    before = time.perf_counter()
    found = db.recall.search(query=question["query"], match="any", stores=["conversation"], limit=LIMIT, **arguments)
    return (time.perf_counter() - before) * 1000, len(found)


def measure(home, model, count):
    import stele
    asked_of = os.path.join(home, "asked.json")
    if not os.path.exists(asked_of):
        fill(home, model or model_by_chance(home), count)
    with open(asked_of, encoding="utf-8") as file:
        what = json.load(file)
    with stele.open(home, embedding={"model": what["model"]}) as db:
        index_s, embed_s = finish(db)
        figures = {"messages": count, "index_s": index_s, "embed_s": embed_s}
        for name, limits in ways(what["first"], what["last"]).items():
            asked = [ask(db, question, limits(question["user"])) for question in what["questions"]]
            took = [ms for ms, _ in asked]
            figures |= {f"{name}_p50_ms": quality.percentile(took, 0.5), f"{name}_p99_ms": quality.percentile(took, 0.99),
                        f"{name}_short": sum(found < LIMIT for _, found in asked)}
    return figures


def main():
    parser = argparse.ArgumentParser(description="The time of a question by words and meaning among many messages.")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--model", help="a static embedding model (make embeddings)")
    parser.add_argument("--home", help="of the messages, made when it is not there, and kept")
    args = parser.parse_args()
    home = args.home or tempfile.mkdtemp(prefix="scale-")
    os.makedirs(home, exist_ok=True)
    try:
        figures = measure(home, args.model, args.messages)
    finally:
        if not args.home:
            shutil.rmtree(home, ignore_errors=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()

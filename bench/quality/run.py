#!/usr/bin/env python3
"""How well questions in natural language find the turns of chats that answer them, beside plain FTS5 on the same set.

    python3 bench/quality/run.py [DIR] [--build-dir build] [--model FILE] [--by-type] [--json]

DIR has messages.jsonl ({"id", "user", "session", "speaker", "ts", "text"}) and queries.jsonl ({"qid", "user", "query", "gold": [ids]});
without it a set is generated (generate.py).  Each line of the table is measured in a process of its own, on a home of its own:

    FTS5 BM25        Python's sqlite3: one FTS5 table with the porter tokenizer, the words of the question joined by OR
    Stele lexical    recall of questions without a model
    Stele vectors    what is near in meaning alone, with --model: a static model file
    Stele hybrid     both, with --model

A question sees the chats of its user only.  recall@k is the share of the gold turns among the first k, averaged over the
questions; MRR that of one divided by the place of the first gold turn.  A question without gold turns is left out.
"""

import argparse
import datetime
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import generate

HERE = os.path.dirname(os.path.abspath(__file__))
DEPTHS = (5, 10, 20)
BATCH = 50  # sessions that are loaded at once
ROWS = {"fts5": "FTS5 BM25, OR, porter", "lexical": "Stele lexical", "vectors": "Stele vectors", "hybrid": "Stele hybrid"}
COLUMNS = [*(f"recall@{k}" for k in DEPTHS), "mrr", "p50_ms", "p99_ms", "index_s", "peak_mb"]


def read_lines(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def read_set(directory):
    messages = read_lines(os.path.join(directory, "messages.jsonl"))
    queries = [q for q in read_lines(os.path.join(directory, "queries.jsonl")) if q["gold"]]
    return messages, queries


def seconds_of(ts):
    """A time as seconds: a number, or ISO 8601."""
    if isinstance(ts, (int, float)):
        return float(ts)
    at = datetime.datetime.fromisoformat(ts.replace("Z", "+00:00"))
    return (at if at.tzinfo else at.replace(tzinfo=datetime.timezone.utc)).timestamp()


# ---- the systems ----

class Plain:
    """FTS5 as it comes."""

    def __init__(self, messages, directory, _options):
        import sqlite3
        self.ids = [m["id"] for m in messages]
        self.db = sqlite3.connect(os.path.join(directory, "plain.db"))
        self.db.execute("CREATE VIRTUAL TABLE turns USING fts5(text, user UNINDEXED, tokenize = 'porter unicode61')")
        self.db.executemany("INSERT INTO turns (rowid, text, user) VALUES (?, ?, ?)",
                            ((n, m["text"], m["user"]) for n, m in enumerate(messages)))
        self.db.commit()

    def find(self, query, user, k):
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        found = self.db.execute("SELECT rowid FROM turns WHERE turns MATCH ? AND user = ? ORDER BY rank LIMIT ?", (words, user, k)) if words else []
        return [self.ids[row[0]] for row in found]


class Stele:
    """A home with one session per user and session, the source of which is the user; the speaker is the message's name."""

    def __init__(self, messages, directory, options):
        import stele
        self.arm, self.options = options["row"], options
        self.db = stele.open(directory)
        self.ids = {}
        self.load(messages)
        self.db.conversation.index_messages()

    def load(self, messages):
        """In batches, as an import has them; the numbers of the messages are given here, in their order."""
        sessions = {}
        for message in messages:
            sessions.setdefault((message["user"], message["session"]), []).append(message)
        batch = []
        for (user, session), turns in sessions.items():
            batch.append({"id": f"{user}/{session}", "source": str(user), "started_at": seconds_of(turns[0]["ts"]),
                          "messages": [self.message(turn, turns[0]["speaker"]) for turn in turns]})
            if len(batch) == BATCH:
                self.db.conversation.import_sessions(sessions=batch)
                batch = []
        self.db.conversation.import_sessions(sessions=batch)

    def message(self, turn, first_speaker):
        """One that speaks as the assistant, or second, has that role."""
        number = len(self.ids) + 1
        self.ids[number] = turn["id"]
        asks = turn["speaker"] == "user" or (turn["speaker"] != "assistant" and turn["speaker"] == first_speaker)
        return {"id": number, "role": "user" if asks else "assistant", "tool_name": turn["speaker"], "content": turn["text"],
                "timestamp": seconds_of(turn["ts"])}

    def find(self, query, user, k):
        found = self.db.conversation.search_messages(query=query, match="question", source_filter=[str(user)], limit=k)
        return [self.ids[hit["id"]] for hit in found]


# ---- one line of the table ----

def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def scores_of(found, queries):
    """Recall and MRR of some questions."""
    recall = {f"recall@{k}": statistics.mean(len(set(ids[:k]) & set(q["gold"])) / len(set(q["gold"])) for ids, q in zip(found, queries))
              for k in DEPTHS}
    first = [next((place for place, one in enumerate(ids, 1) if one in q["gold"]), 0) for ids, q in zip(found, queries)]
    return {**recall, "mrr": statistics.mean(1 / place if place else 0 for place in first)}


def measure(row, directory, options):
    """The figures of one system; in a process of its own, so that its memory is its own."""
    messages, queries = read_set(directory)
    place = tempfile.mkdtemp(prefix="quality-")
    try:
        started = time.monotonic()
        system = (Plain if row == "fts5" else Stele)(messages, place, {**options, "row": row})
        indexed = time.monotonic() - started
        found, took = [], []
        for query in queries:
            before = time.perf_counter()
            found.append(system.find(query["query"], query["user"], max(DEPTHS)))
            took.append((time.perf_counter() - before) * 1000)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    types = sorted({q.get("type", "") for q in queries})
    by_type = {kind: scores_of(*zip(*((ids, q) for ids, q in zip(found, queries) if q.get("type", "") == kind))) for kind in types}
    return {**scores_of(found, queries), "p50_ms": percentile(took, 0.5), "p99_ms": percentile(took, 0.99), "index_s": indexed,
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "by_type": by_type,
            "questions": {kind: sum(q.get("type", "") == kind for q in queries) for kind in types}}


def run_row(row, directory, args):
    build = os.path.abspath(args.build_dir)
    env = {**os.environ, "PYTHONPATH": os.path.join(build, "python"), "STELE_LIBRARY": os.path.join(build, "libstele.so"), "STELE_CONFIG": os.devnull}
    command = [sys.executable, os.path.abspath(__file__), directory, "--row", row, *(["--model", args.model] if args.model else [])]
    return json.loads(subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout)


# ---- the table ----

def print_table(head, rows):
    table = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*table)]
    for row in table:
        print("  ".join(cell.ljust(width) if n == 0 else cell.rjust(width) for n, (cell, width) in enumerate(zip(row, widths))).rstrip())


def cells(figures, columns):
    return [f"{figures[c]:.3f}" if c.startswith(("recall", "mrr")) else f"{figures[c]:.1f}" for c in columns]


def show(figures, by_type):
    print_table(["", *COLUMNS], [[ROWS[row], *cells(f, COLUMNS)] for row, f in figures.items()])
    if not by_type:
        return
    quality = COLUMNS[:4]
    for kind, count in next(iter(figures.values()))["questions"].items():
        print(f"\n{kind or 'no type'}: {count} questions")
        print_table(["", *quality], [[ROWS[row], *cells(f["by_type"][kind], quality)] for row, f in figures.items()])


def parse_arguments():
    parser = argparse.ArgumentParser(description="Quality of search on chats and questions.")
    parser.add_argument("dir", nargs="?", help="with messages.jsonl and queries.jsonl (a generated set)")
    parser.add_argument("--build-dir", default=os.path.join(HERE, "..", "..", "build"), help="where the library and the Python package are (build)")
    parser.add_argument("--model", help="a static embedding model: measure vectors and hybrid too")
    parser.add_argument("--by-type", action="store_true", help="also by the \"type\" of the questions, where they have one")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    parser.add_argument("--seed", type=int, default=1, help="of the generated set (1)")
    parser.add_argument("--row", choices=ROWS, help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    args = parse_arguments()
    if args.row:
        print(json.dumps(measure(args.row, args.dir, {"model": args.model})))
        return 0
    made = None if args.dir else tempfile.mkdtemp(prefix="quality-set-")
    try:
        if made:
            generate.write_set(made, args.seed, generate.USERS)
        rows = [row for row in ROWS if args.model or row in ("fts5", "lexical")]
        figures = {row: run_row(row, args.dir or made, args) for row in rows}
    finally:
        if made:
            shutil.rmtree(made, ignore_errors=True)
    if args.json:
        print(json.dumps(figures, indent=1))
    else:
        show(figures, args.by_type)
    return 0


if __name__ == "__main__":
    sys.exit(main())

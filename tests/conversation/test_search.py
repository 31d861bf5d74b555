#!/usr/bin/env python3
"""Searching messages: the best twenty are those of an exact BM25 worked out here; every message is found, before
and after it is indexed, changed or deleted; both engines find the same; and no query is an error.  Prints TAP."""

import collections
import json
import math
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from method import doors  # noqa: E402

WORDS = ["the", "of", "error", "deploy", "docker", "build", "test", "file", "main", "server", "index", "query"] + [
    f"word{number}" for number in range(300)]
GARBAGE = ["it's", "a/b.py", "user@host", "50%", "TODO: x", "-x", '"unbalanced', "AND", "*", "", " ", "NOT", "a AND AND b",
           "content:docker", "(a OR b", "NEAR(a b)", "^a", "a\u0000b", "\u0000", '""', "'; DROP TABLE messages; --", "🎉",
           "x" * 100000, '" OR "' * 5000, "(" * 50000, "部署 OR", "{}", "\\", "a*b*c*"]


class Store:
    """A conversation store behind the player."""

    def __init__(self, place, player):
        self.player = player
        self.answer(("open", json.dumps(place)))
        self.call("create_session", session_id="s1", source="cli")
        self.call("create_session", session_id="s2", source="telegram", parent_session_id="s1")

    def answer(self, *request):
        word, reply = self.player.ask(*request)[0]
        assert word == "ok", (request, reply)
        return reply

    def call(self, method, **args):
        return self.answer(("call", f"conversation.{method}", json.dumps(args, ensure_ascii=False)))

    def append(self, text, session="s1", role="user", **more):
        return self.call("append_message", session_id=session, role=role, content=text, **more)["id"]

    def search(self, query, **more):
        return self.call("search_messages", query=query, **{"limit": 1000, **more})

    def ids(self, query, **more):
        return [hit["id"] for hit in self.search(query, **more)]


def tokens(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def bm25(documents, words):
    """The ids that have all words, best first."""
    counts = {number: collections.Counter(tokens(text)) for number, text in documents.items()}
    lengths = {number: sum(count.values()) for number, count in counts.items()}
    average = sum(lengths.values()) / len(lengths)
    idf = {}
    for word in words:
        having = sum(1 for count in counts.values() if count[word])
        idf[word] = max(math.log((len(documents) - having + 0.5) / (having + 0.5)), 1e-6)
    scores = {}
    for number, count in counts.items():
        if all(count[word] for word in words):
            norm = 1.2 * (1 - 0.75 + 0.75 * lengths[number] / average)
            scores[number] = sum(idf[word] * count[word] * 2.2 / (count[word] + norm) for word in words)
    return scores


def corpus(store, count, rng):
    documents = {}
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    for _ in range(count):
        text = " ".join(rng.choices(WORDS, weights=weights, k=rng.randint(3, 60)))
        documents[store.append(text, session=rng.choice(["s1", "s2"]), role=rng.choice(["user", "assistant", "tool"]))] = text
    return documents


def test_ranking(store):
    rng = random.Random(11)
    documents = corpus(store, 1500, rng)
    if store.engine != "sqlite":
        return  # there the order may differ
    for words in (["error"], ["docker", "error"], ["the", "word3"], ["the", "of"], ["build", "test", "file"], ["word250"]):
        scores = bm25(documents, words)
        found = store.ids(" ".join(words), limit=20)
        expected = sorted(scores, key=lambda number: (-scores[number], number))[:20]
        assert len(found) == len(expected), (words, found, expected)
        # where a common word decides next to nothing, equals may stand in another order
        for one, other in zip(found, expected):
            assert abs(scores[one] - scores[other]) < 1e-5, (words, found, expected)


def test_every_message(store):
    """In the tail, in the index, and across the two."""
    assert store.ids("needle") == []
    first = store.append("a needle in the hay")
    assert store.ids("needle") == [first]
    corpus(store, 400, random.Random(3))
    second = store.append("another needle")
    assert sorted(store.ids("needle")) == [first, second]
    store.call("index_messages")
    third = store.append("needle three")
    assert sorted(store.ids("needle")) == [first, second, third]
    assert store.ids("needle", sort="newest") == [third, second, first]
    assert store.ids("needle", sort="oldest", limit=2, offset=1) == [second, third]
    store.call("replace_messages", session_id="s1", messages=[{"role": "user", "content": "a needle again"}])
    found = store.search("needle")
    assert [hit["snippet"] for hit in found if hit["session_id"] == "s1"] == ["a >>>needle<<< again"], found
    store.call("clear_messages", session_id="s1")
    store.call("clear_messages", session_id="s2")
    assert store.ids("needle") == []
    store.call("index_messages", rebuild=True)
    last = store.append("needle", session="s2")
    assert store.ids("needle") == [last]


def test_texts(store):
    """Whatever a message is made of, its words are found."""
    plain = store.append("How do I deploy with a/b.py? it's 50% done: mail user@host; ÉCOLE naïve")
    cjk = store.append("修改youer服务端。部署计划，大别山")
    parts = store.append([{"type": "text", "text": "a picture of 桂林"}, {"type": "image_url", "image_url": {"url": "data:xyzzy"}}])
    calls = store.append("", role="assistant", tool_calls=[
        {"id": "c1", "function": {"name": "terminal", "arguments": json.dumps({"path": "src/漓江.c"})}}])
    store.append("output", role="tool", tool_name="web_search")
    for index in (False, True):
        if index:
            store.call("index_messages")
        for query in ("a/b.py", "it's", "50%", "user@host", "école", "NAIVE", "deploy mail", '"deploy with"', "depl*"):
            assert store.ids(query) == [plain], query
        for query in ("youer", "部署", "计", "服务端", "大别山", '"部署计划"', "部署 NOT 桂林"):
            assert store.ids(query) == [cjk], query
        assert store.ids("端部") == []  # a sentence ends between them
        assert store.ids("桂林") == [parts] and store.ids("xyzzy") == []
        assert store.ids("漓江") == [calls] and store.ids("terminal") == [calls]
        assert len(store.ids("web_search")) == 1
        assert sorted(store.ids("部署 OR 桂林")) == [cjk, parts]
        assert sorted(store.ids("picture OR deploy OR 计划")) == [plain, cjk, parts]


def test_filters(store):
    one = store.append("alpha", session="s1", timestamp=100)
    two = store.append("alpha", session="s2", role="assistant", timestamp=200)
    store.call("create_session", session_id="s3", source="cli")
    three = store.append("alpha", session="s3", timestamp=300)
    for index in (False, True):
        if index:
            store.call("index_messages")
        assert sorted(store.ids("alpha", source_filter=["cli"])) == [one, three]
        assert store.ids("alpha", exclude_sources=["cli"]) == [two]
        assert store.ids("alpha", source_filter=[]) == []
        assert sorted(store.ids("alpha", exclude_sources=[])) == [one, two, three]
        assert store.ids("alpha", role_filter=["assistant"]) == [two]
        assert store.ids("alpha", role_filter=["nobody"]) == []
        assert store.ids("alpha", session="s3") == [three]
        assert sorted(store.ids("alpha", lineage="s2")) == [one, two]
        assert sorted(store.ids("alpha", since=200)) == [two, three]
        assert sorted(store.ids("alpha", until=200)) == [one]
        assert store.ids("alpha", limit=0) == []
    hit = store.search("alpha", session="s2")[0]
    assert (hit["source"], hit["role"], hit["timestamp"]) == ("telegram", "assistant", 200), hit
    assert hit["context"] == [{"role": "assistant", "content": "alpha"}], hit


def test_garbage(store):
    store.append("a b x TODO docker it's here")
    for index in (False, True):
        if index:
            store.call("index_messages")
        for query in GARBAGE:
            store.search(query, limit=5)


TESTS = [("the best are those of exact BM25", test_ranking), ("every message is found", test_every_message),
         ("every kind of text is found", test_texts), ("filters", test_filters), ("no query is an error", test_garbage)]


def main():
    failed = number = 0
    for places in (doors.Sqlite(), doors.Postgres(["conversation"])):
        with places:
            for name, test in TESTS:
                number += 1
                try:
                    with doors.Player() as player:
                        store = Store(places.new(), player)
                        store.engine = places.engine
                        test(store)
                    print(f"ok {number} - {places.engine}: {name}", flush=True)
                except Exception as error:  # pylint: disable=broad-except
                    failed += 1
                    print(f"not ok {number} - {places.engine}: {name}\n# {type(error).__name__}: {str(error)[:1500]}", flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

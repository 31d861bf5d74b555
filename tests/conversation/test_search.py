#!/usr/bin/env python3
"""Searching messages: the best twenty are those of an exact BM25 worked out here; every message is found, before
and after it is indexed, changed or deleted; parts of words are found; both engines and both forms of the index find
the same; and no query is an error.  Prints TAP."""

import collections
import json
import math
import os
import random
import re
import sys
import unicodedata

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from method import doors  # noqa: E402

WORDS = ["the", "of", "error", "deploy", "docker", "build", "test", "file", "main", "server", "index", "query"] + [
    f"word{number}" for number in range(300)]
GARBAGE = ["it's", "a/b.py", "user@host", "50%", "TODO: x", "-x", '"unbalanced', "AND", "*", "", " ", "NOT", "a AND AND b",
           "content:docker", "(a OR b", "NEAR(a b)", "^a", "a\u0000b", "\u0000", '""', "'; DROP TABLE messages; --", "🎉",
           "x" * 100000, '" OR "' * 5000, "(" * 50000, "部署 OR", "{}", "\\", "a*b*c*"]


class Store:
    """A conversation store behind the player."""
    indexed = True  # by Stele's own index, on SQLite

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

    def inside(self, query, **more):
        return self.ids(query, match="substrings", **{"sort": "oldest", **more})

    def notes(self):
        return self.answer(("notes",))

    def forms(self):
        """Before the messages are indexed, and after; test_compatible.py has the other form of the index."""
        yield "not indexed"
        self.call("index_messages")
        yield "indexed"


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


def test_long_roles(store):
    """A role is free text, of any length: what is around a match is cut, and does not fail."""
    store.append("needle", role="r" * 1_000_000)
    store.append("needle", role="user")
    (_, context), = [(hit["role"], hit["context"]) for hit in store.call("search_messages", query="needle", role_filter=["user"])]
    assert [(len(one["role"]), one["content"]) for one in context] == [(200, "needle"), (4, "needle")], context


def test_garbage(store):
    store.append("a b x TODO docker it's here")
    for index in (False, True):
        if index:
            store.call("index_messages")
        for query in GARBAGE:
            for match in ("auto", "words", "substrings"):
                store.search(query, limit=5, match=match)


# ---- parts of words ----

def test_inside(store):
    plain = store.append("The Configuration of Docker: see /etc/dockerd.conf")
    folded = store.append("Straßenbahn, ÉCOLES and e\u0301coles; naïveté", role="assistant")
    cjk = store.append("修改youer服务端。部署计划 in 2024")
    parts = store.append([{"type": "text", "text": "a screenshot\nof Kubernetes"},
                          {"type": "image_url", "image_url": {"url": "data:wxyzzyw"}}])
    store.append("reconfiguration of dockers", role="tool", tool_name="dockerize")
    store.append("", role="assistant", tool_calls=[{"id": "c1", "function": {"name": "reconfigure", "arguments": "{}"}}])
    both = store.append("docker in docker, a rocket")
    for form in store.forms():
        for query, expected in (
                ("onfigur", [plain]), ("ONFIGUR", [plain]), ("dock", [plain, both]), ("docker", [plain, both]),
                ("rassen", [folded]), ("raßen", [folded]), ("col", [folded]), ("écol", [folded]), ("ECOL", [folded]),
                ("aivete", [folded]), ("oue", [cjk]), ("youer", [cjk]), ("部署计", [cjk]), ("024", [cjk]), ("creensho", [parts]),
                ("ubernete", [parts]), ("nof", []), ("xyzzy", []), ("onfigurx", []), ("xonfigur", []), ("ockers", []),
                ("dockerize", []), ("reconfigur", []),
                # all of them, one of them, not that one
                ("ocke guratio", [plain]), ("ocke ivet", []), ("guratio OR ivet", [plain, folded]), ("ocke NOT onf", [both]),
                ("ocke NOT rock", [plain]), ("ocke NOT ivet", [plain, both]), ("onf NOT ocke OR ivet", [folded]),
                # phrases: their ends are open, and only their ends
                ('"ker doc"', []), ('"tion of doc"', [plain]), ('"ion of dock"*', [plain]), ('"figura of"', []),
                ('"cker rocket"', []), ('"ker a rock"', [both]), ("etc/dock", [plain]), ("tc/dock", []), ("dockerd.con", [plain]),
                ("uer服务", [cjk]), ("oue服务", []), ("改you", [cjk]), ("改oue", []), ('"onfiguration o"', []),
                # shorter words are whole ones
                ("of onfig", [plain]), ("f onfig", []), ("o onfig", []), ("o* onfig", [plain]), ("a ocke", [both]),
                ("部 oue", [cjk]), ("署划 oue", [])):
            found = store.inside(query)
            assert found == expected, (form, query, found, expected)
        snippets = {query: [hit["snippet"] for hit in store.search(query, match="substrings", sort="oldest")]
                    for query in ("onfigur", "cole", "rasse", "ivete", '"ion of doc"', "ou*", "creensho", "ocke")}
        assert snippets == {
            "onfigur": ["The C>>>onfigur<<<ation of Docker: see /etc/dockerd.conf"],
            "cole": ["Straßenbahn, É>>>COLE<<<S and e\u0301>>>cole<<<s; naïveté"],
            "rasse": ["St>>>raße<<<nbahn, ÉCOLES and e\u0301coles; naïveté"],
            "ivete": ["Straßenbahn, ÉCOLES and e\u0301coles; na>>>ïveté<<<"],
            '"ion of doc"': ["The Configurat>>>ion of Doc<<<ker: see /etc/dockerd.conf"],
            "ou*": [], "creensho": ["a s>>>creensho<<<t\nof Kubernetes"],
            "ocke": ["The Configuration of D>>>ocke<<<r: see /etc/d>>>ocke<<<rd.conf", "d>>>ocke<<<r in d>>>ocke<<<r, a r>>>ocke<<<t"],
        }, (form, snippets)


def test_inside_filters(store):
    one = store.append("alphabet", session="s1", timestamp=100)
    two = store.append("alphabets", session="s2", role="assistant", timestamp=200)
    store.call("create_session", session_id="s3", source="cli")
    three = store.append("the alphabet", session="s3", timestamp=300)
    store.append("alphabet", session="s3", role="tool", timestamp=400)
    for form in store.forms():
        for filters, expected in (
                ({}, [one, two, three]), ({"source_filter": ["cli"]}, [one, three]), ({"exclude_sources": ["cli"]}, [two]),
                ({"source_filter": []}, []), ({"role_filter": ["assistant", "tool"]}, [two]), ({"role_filter": ["tool"]}, []),
                ({"role_filter": ["nobody"]}, []), ({"session": "s3"}, [three]), ({"lineage": "s2"}, [one, two]),
                ({"since": 200}, [two, three]), ({"until": 200}, [one]), ({"limit": 0}, []), ({"limit": 2}, [one, two]),
                ({"limit": 2, "offset": 1}, [two, three]), ({"offset": 3}, []), ({"sort": "newest"}, [three, two, one]),
                ({"sort": "newest", "limit": 1}, [three])):
            found = store.inside("phabe", **filters)
            assert found == expected, (form, filters, found, expected)
        assert sorted(store.inside("phabe", sort="rank")) == [one, two, three], form


def test_inside_changes(store):
    """Before and after it is indexed, changed or deleted."""
    first = store.append("a windowsill")
    store.call("index_messages")
    second = store.append("two windowsills", session="s2")
    assert store.inside("indows") == [first, second]
    store.call("replace_messages", session_id="s1", messages=[{"role": "user", "content": "a doorstep"}])
    assert store.inside("indows") == [second]
    assert [hit["snippet"] for hit in store.search("oorst", match="substrings")] == ["a d>>>oorst<<<ep"]
    store.call("clear_messages", session_id="s2")
    assert store.inside("indows") == [] and len(store.inside("oorst")) == 1
    store.call("index_messages", rebuild=True)
    assert store.inside("indows") == [] and len(store.inside("oorst")) == 1


def test_inside_auto(store):
    whole = store.append("the word config is here")
    inside = store.append("reconfigure it: 部署")
    for form in store.forms():
        assert store.ids("config") == [whole] and store.notes() == "", form
        assert store.ids("config", match="words") == [whole] and store.notes() == "", form
        assert store.ids("config", match="substrings", sort="oldest") == [whole, inside] and store.notes() == "", form
        assert store.ids("config", offset=1) == [] and store.notes() == "", form  # the second page of one
        assert store.ids("onfigu") == [inside], form
        assert store.notes() == 'nothing has the word "onfigu": found inside of words', (form, store.notes())
        assert store.ids("econfi 部署") == [inside], form
        assert store.notes() == "nothing has the words of the query: found inside of words", (form, store.notes())
        assert store.ids("onfigu", match="words") == [] and store.notes() == "", form
        assert store.inside('"figure it"') == [inside], form
        for nothing in ('"figure it"', "onfigux", "on", "o", "onfigu NOT econ", "NOT", "", "署部", "onfigu nowhere"):
            for match in ("auto", "words"):
                assert store.ids(nothing, match=match) == [], (form, nothing)
                assert "inside" not in store.notes(), (form, nothing, store.notes())
        assert store.ids("it", match="substrings") == [inside], form  # as a word
        assert store.notes() == "words of less than 3 characters are not looked for inside of words", (form, store.notes())


def test_inside_many(store):
    """What may match, and does not, hides nothing; and an order is kept however many there are."""
    old = store.append("xabcdx", timestamp=1)
    for number in range(1100):
        store.append(f"xabcx xbcdx n{number}", timestamp=2 + number)
    new = [store.append("yabcdy", timestamp=5000 + number) for number in range(3)]
    for form in store.forms():
        for sort in ("rank", "newest", "oldest"):
            found = store.inside("abcd", sort=sort)
            assert sorted(found) == [old, *new], (form, sort, found)
        assert store.inside("abcd", sort="newest", limit=3) == new[::-1], form
        assert store.inside("abcd", sort="oldest", limit=2) == [old, new[0]], form
        assert len(store.inside("bcd", sort="rank", limit=1000)) == 1000, form
        assert len(store.inside("bcd", sort="rank", limit=1000, offset=1000)) == 104, form
        assert len(store.inside("bcd", sort="oldest", limit=1000, offset=1000)) == 104, form


def test_quick(store):
    """While somebody types: whole where that is cheap, and otherwise of the newest, told in a note; never another word."""
    for number in range(300):
        store.append(f"deploy deployment depends n{number}")
    rare = store.append("department")
    for form in store.forms():
        for query in ("dep*", "deploy*", "deploy", "departm*", "deploy dep*", "nothing*", "n1* NOT n1", "dep* OR n7", '"deploy dep"*'):
            assert store.ids(query, quick=True) == store.ids(query, match="words"), (form, query)
        assert store.ids("partmen", quick=True) == [] and store.ids("partmen") == [rare], form
    if store.engine != "sqlite" or not store.indexed:
        return
    common = " ".join(f"common{letter}" for letter in "abcdefghijklmn")
    for start in range(0, 30_000, 5_000):
        store.call("create_session", session_id=f"m{start}", source="cli")
        store.call("replace_messages", session_id=f"m{start}",
                   messages=[{"role": "user", "content": f"{common} only{n // 10}"} for n in range(start, start + 5_000)])
    store.call("index_messages")
    newest = store.call("follow_from")["id"]
    found = store.ids("comm*", quick=True, limit=20)
    assert len(found) == 20 and min(found) > newest - 30_000 and "newest" in store.notes(), (found, store.notes())
    assert len(store.ids("comm* only7", quick=True)) <= 10
    assert store.ids("only7", quick=True) == store.ids("only7") and "newest" not in store.notes(), store.notes()
    assert store.ids("only299*", quick=True) == store.ids("only299*", match="words")
    assert store.ids("departm*", quick=True) == [rare]
    late = store.append("commonplace")
    assert store.ids("commonpl*", quick=True) == [late]


def cut(text):
    """Its folded tokens."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)).casefold()
    return re.findall(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+", plain)


def fits(wanted, token, first, last):
    if wanted == token or len(wanted) < 3:
        return wanted == token
    return (wanted in token if first and last else token.endswith(wanted) if first else token.startswith(wanted) if last else False)


def stands(phrase, tokens):
    end = len(phrase) - 1
    return any(all(fits(phrase[i], tokens[at + i], i == 0, i == end) for i in range(len(phrase)))
               for at in range(len(tokens) - end))


def test_inside_reference(store):
    """All forms find what a slow search finds that is written down here."""
    rng = random.Random(5)
    stems = ["config", "École", "naïve", "Straße", "привет", "Ёлка", "deploy", "SERVER", "部署", "x86", "ﬁle", "İstanbul", "Ｗｉｄｅ", "ab"]
    def word():
        return "".join(rng.choice(stems) for _ in range(rng.randint(1, 2))) + rng.choice(["", "s", "ing", "2"])
    documents = {}
    for _ in range(250):
        words = [word() for _ in range(rng.randint(1, 12))]
        text = rng.choice([" ", " ", ", "] if "部" not in "".join(words) else [" "]).join(words)  # CJK has boundaries
        text = text.replace("ﬁ", "fi").replace("İ", "I").replace("Ｗｉｄｅ", "Wide") if rng.random() < 0.5 else text
        role = rng.choice(["user", "assistant", "tool"])
        documents[store.append(text, role=role)] = cut(unicodedata.normalize("NFKC", text)) if role != "tool" else []
    def piece():
        token = rng.choice(cut(unicodedata.normalize("NFKC", word())))
        start = rng.randint(0, len(token) - 1)
        return token[start:start + rng.randint(1, 8)]
    queries = []
    while len(queries) < 120:
        terms = [[piece() for _ in range(rng.choice([1, 1, 1, 2, 3]))] for _ in range(rng.randint(1, 3))]
        joint = rng.choice(["AND", "OR", "NOT"])
        if any(len(token) > 2 for token in (sum(terms, []) if joint != "NOT" else terms[0])):
            queries.append((terms, joint))
    hits = 0
    for form in store.forms():
        for terms, joint in queries:
            query = f" {joint} ".join('"' + " ".join(term) + '"' for term in terms)
            have = [{number for number, tokens in documents.items() if stands(term, tokens)} for term in terms]
            expected = set.intersection(*have) if joint == "AND" else set.union(*have) if joint == "OR" else have[0].difference(*have[1:])
            found = set(store.inside(query))
            assert found == expected, (form, query, found ^ expected)
            hits += len(found)
    assert hits > 1000, hits  # it was not searched in vain



TESTS = [("quick answers", test_quick),
         ("the best are those of exact BM25", test_ranking), ("every message is found", test_every_message),
         ("roles of any length", test_long_roles),
         ("every kind of text is found", test_texts), ("filters", test_filters), ("no query is an error", test_garbage),
         ("parts of words", test_inside), ("parts of words: filters", test_inside_filters),
         ("parts of words: changes", test_inside_changes), ("parts of words where no word is found", test_inside_auto),
         ("parts of words: many", test_inside_many), ("parts of words: what a slow search finds", test_inside_reference)]


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

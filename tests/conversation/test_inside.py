#!/usr/bin/env python3
"""Parts of words among many messages: what few messages have is listed, of what very many have the newest are found first;
either way it is what reading all of them would find.  Prints TAP."""

import contextlib
import os
import random
import sqlite3
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), name) for name in ("", "cli")]
from documents.finder import Home  # noqa: E402
from method import doors  # noqa: E402
from place import WITHOUT_POSTGRES, main, same, test  # noqa: E402

ROWS = 24000
LATER = 100  # not indexed when they are looked for
START = 1750000000
MANY = [f"{before}mango{after}" for before in "abcdefghijklmnop" for after in "klmnopqrstuvwxyz"]  # more words than are listed, or looked up
FEW = ["unripe", "ripen", "ripeness"]
READ = 500  # by rank, so many are read at a time
QUERIES = {
    "mang": lambda words: any("mang" in word for word in words),
    "mangok": lambda words: any("mangok" in word for word in words),
    "ripe": lambda words: any("ripe" in word for word in words),
    "mang ripe": lambda words: any("mang" in word for word in words) and any("ripe" in word for word in words),
    "mang ango": lambda words: any("mango" in word for word in words),
    "mang OR ripe": lambda words: any("mang" in word or "ripe" in word for word in words),
    "ripe OR ngot": lambda words: any("ripe" in word or "ngot" in word for word in words),
    "mang NOT ripe": lambda words: any("mang" in word for word in words) and not any("ripe" in word for word in words),
    "mangopek": lambda words: False,
    "ripe mangopek": lambda words: False,
    "ripe OR mangopek": lambda words: any("ripe" in word for word in words),
    '"ngok bman"': lambda words: any(one.endswith("ngok") and other.startswith("bman") for one, other in zip(words, words[1:])),
}
WAYS = [{"sort": "newest"}, {"sort": "oldest"}, {"sort": "newest", "limit": 500, "offset": 700}, {"sort": "oldest", "role_filter": ["assistant"]},
        {"sort": "newest", "since": START + 9000, "until": START + 9900}, {"sort": "newest", "role_filter": ["tool"]}]


class Chats:
    """A store with many messages, most of them indexed, and what is known of each: its time, role and words."""

    def __init__(self, engine):
        self.engine = engine

    def __enter__(self):
        self.engine.__enter__()
        self.place = self.engine.new()
        self.choose = random.Random(11)
        made = [self.message(number) for number in range(ROWS + LATER)]
        with Home(self.place) as home:
            home.call("conversation.create_session", session_id="s", source="cli")
            home.call("conversation.replace_messages", session_id="s", messages=made[:ROWS])
            home.index("conversation")
            for message in made[ROWS:]:
                home.call("conversation.append_message", session_id="s", **message)
        self.known = [(message["timestamp"], number + 1, message["role"], message["content"].split()) for number, message in enumerate(made)]
        return self

    def __exit__(self, *about):
        self.engine.__exit__(*about)

    def message(self, number):
        words = [self.choose.choice(MANY) for _ in range(self.choose.randrange(7))] + ["filler"] * self.choose.randrange(9)
        words += [self.choose.choice(FEW)] if self.choose.random() < 0.02 else []
        self.choose.shuffle(words)
        time = START + (self.choose.randrange(ROWS) if self.choose.random() < 0.05 else number - number % 3)
        return {"role": ("user", "assistant", "assistant", "tool")[number % 4], "timestamp": time, "content": " ".join(words) or "empty"}

    def matching(self, query, way):
        def has(time, role, words):
            return (role != "tool" and role in way.get("role_filter", [role]) and way.get("since", 0) <= time < way.get("until", 2 * START)
                    and QUERIES[query](words))
        return [(time, number) for time, number, role, words in self.known if has(time, role, words)]

    def wanted(self, query, way):
        newest = way["sort"] == "newest"
        found = sorted(self.matching(query, way), key=lambda one: (-one[0] if newest else one[0], one[1]))
        return [number for _, number in found][way.get("offset", 0):][:way.get("limit", 20)]


def ids(home, query, **way):
    return [hit["id"] for hit in home.call("conversation.search_messages", query=query, match="substrings", **way)]


def on_both(name):
    """A test of many messages on each engine."""
    def keep(function):
        for engine in [doors.Sqlite()] + ([] if WITHOUT_POSTGRES else [doors.Postgres(["conversation"])]):
            def run(engine=engine):
                with Chats(engine) as chats, Home(chats.place) as home:
                    function(chats, home)
            test(f"{engine.engine}: {name}")(run)
        return function
    return keep


@on_both("the newest and the oldest are those that reading all would find")
def the_newest_and_the_oldest_are_those_that_reading_all_would_find(chats, home):
    for query in QUERIES:
        for way in WAYS:
            same((query, way, ids(home, query, **way)), (query, way, chats.wanted(query, way)))
    assert len(chats.matching("mang", {})) > 10 * READ > READ > len(chats.matching("ripe", {})) > 200  # of all kinds some


@on_both("by rank they are among the newest where there are very many")
def by_rank_they_are_among_the_newest_where_there_are_very_many(chats, home):
    for query in QUERIES:
        newest = [number for _, number in sorted(chats.matching(query, {}), key=lambda one: (-one[0], one[1]))]
        for limit in (20, 1000):
            found = ids(home, query, limit=limit)
            same(len(found), min(limit, len(newest)))
            assert set(found) <= set(newest[:limit + READ]), query


@on_both("pages by rank are those of one list")
def pages_by_rank_are_those_of_one_list(chats, home):
    for query in ("ripe", "mang"):
        whole = ids(home, query, limit=1000)
        same([number for offset in range(0, 1000, 90) for number in ids(home, query, limit=90, offset=offset)][:1000], whole)


@on_both("a word is found as soon as it is indexed and after it was replaced")
def a_word_is_found_as_soon_as_it_is_indexed_and_after_it_was_replaced(chats, home):
    number = home.call("conversation.append_message", session_id="s", role="user", content="a pomegranate")["id"]
    same(ids(home, "egran"), [number])
    home.index("conversation")
    same(ids(home, "egran"), [number])
    home.call("conversation.append_message", session_id="s", role="tool", content="many pomegranates")
    home.index("conversation")
    same(ids(home, "egran"), [number])  # tools are not looked into


@test("damaged words make the index anew")
def damaged_words_make_the_index_anew():
    with Chats(doors.Sqlite()) as chats, Home(chats.place) as home:
        wanted = ids(home, "ripe")
        with contextlib.closing(sqlite3.connect(os.path.join(chats.place["home"], "conversation.index.db"))) as db:
            db.execute("UPDATE stele_inner_blocks SET words = x'00'")
            db.commit()
        same(ids(home, "ripe"), wanted)
        same(home.notes(), "the search index was damaged and is made anew")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Words that very many messages have are answered from packed postings that the index keeps.  Whatever is asked, it finds
what the search tables find, in the same order: also after messages were added, changed and deleted, and when what is kept
is damaged.  Prints TAP."""

import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), name) for name in ("", "cli")]
from documents.finder import Home  # noqa: E402
from method import doors  # noqa: E402
from place import main, same, test  # noqa: E402
from python import interpreter  # noqa: E402

ROWS = 24000
KEPT_FROM = 20000  # messages with a word: ST_COMMON_ROWS
PLACED_ROWS = 62000  # so many that "tea" and "the" are in more than have their places kept as well: ST_PLACED_ROWS
REWRITTEN_MAX = 200
QUERIES = ["tea", "the", "tea the", "tea OR the", "tea NOT the", "the NOT tea", "tea rare", "tea OR rare", "rare NOT tea", "te*", "t*", "f*", "tea t*",
           '"the tea"', '"the tea" OR rare', 'the "tea te"*', 'the NOT "tea f"*', "the tea-f*", "tea OR the OR rare OR nothing", "tea nothing", "rare", "tea the rare"]
PHRASES = ['"the tea"', '"tea tea"', '"tea the tea"', '"the the the tea"', '"tea the" "the tea"', '"the tea" NOT "tea the"', '"tea the" OR rare NOT "tea tea"',
           '"tea nothing"', '"rare tea"', '"the tea te"*', '"tea the" tea']
START = 1750000000
WAYS = [{}, {"sort": "newest"}, {"sort": "oldest"}, {"role_filter": ["assistant"]}, {"limit": 500}, {"sort": "newest", "limit": 100, "offset": 300},
        {"since": START + 9000, "until": START + 9500}, {"sort": "oldest", "since": START + ROWS - 300}]


def text(choose):
    """Most have both words, some of them often; lengths differ."""
    words = ["tea"] * choose.choice([0, 1, 1, 1, 1, 1, 1, 2, 3, 9, 140][: 11 if choose.random() < 0.1 else 8])
    words += ["the"] * choose.choice([0, 1, 1, 1, 1, 1, 1, 1, 2, 4])
    words += ["rare"] * (choose.random() < 0.01) + [f"filler{choose.randrange(50)}" for _ in range(choose.randrange(12))]
    words += [choose.choice(["teal", "team", "teas", "theme"]) for _ in range(2) if choose.random() < 0.05]
    choose.shuffle(words)
    return " ".join(words) or "empty"


def time(choose, number):
    """Mostly in their order; some are older, or of the same time as others."""
    return START + (choose.randrange(ROWS) if choose.random() < 0.05 else number - number % 3)


class Chats:
    """A store with many messages, indexed."""

    def __init__(self, rows=ROWS):
        self.rows = rows

    def __enter__(self):
        self.engine = doors.Sqlite().__enter__()
        self.place = self.engine.new()
        self.choose = random.Random(7)
        with Home(self.place) as home:
            for session in range(3):
                messages = [{"role": ("user", "assistant")[i % 2], "content": text(self.choose),
                             "timestamp": time(self.choose, session * self.rows // 3 + i)} for i in range(self.rows // 3)]
                for message in messages[::20]:  # what is said and the name of the tool are no one phrase
                    message["tool_name"] = self.choose.choice(["tea", "the", "the tea", "tea the tea"])
                home.call("conversation.create_session", session_id=f"s{session}", source="cli")
                home.call("conversation.replace_messages", session_id=f"s{session}", messages=messages)
            home.index("conversation")
        return self

    def __exit__(self, *about):
        self.engine.__exit__(*about)

    def path(self, name):
        return os.path.join(self.place["home"], name)

    def sql(self, name, statement, *args):
        with contextlib.closing(sqlite3.connect(self.path(name))) as db:
            rows = db.execute(statement, args).fetchall()
            db.commit()
        return rows

    def kept(self):
        return {term: rows for term, rows in self.sql("conversation.index.db", "SELECT term, rows FROM stele_common")}

    def placed(self):
        return [term for term, in self.sql("conversation.index.db", "SELECT term FROM stele_common WHERE places IS NOT NULL ORDER BY term")]

    def change(self):
        """Add some, change some and delete some."""
        with Home(self.place) as home:
            for number in range(300):
                home.call("conversation.append_message", session_id="s1", role="user", content=text(self.choose),
                          timestamp=time(self.choose, self.rows + number))
        for number in range(60):
            self.sql("conversation.db", "UPDATE messages SET content = ? WHERE id = ?", text(self.choose) + " tea" * (number % 30), number * 7 + 1)
        self.sql("conversation.db", "DELETE FROM messages WHERE id % 50 = 3")

    def answers(self, place, queries):
        with Home(place) as home:
            return {(query, str(way)): [hit["id"] for hit in home.call("conversation.search_messages", query=query, **way)]
                    for query in queries for way in WAYS}

    def finds_the_same(self, queries=QUERIES):
        """As a copy that knows of no common word."""
        plain = self.engine.new()
        os.makedirs(plain["home"], exist_ok=True)
        for name in os.listdir(self.place["home"]):
            shutil.copy(self.path(name), os.path.join(plain["home"], name))
        with contextlib.closing(sqlite3.connect(os.path.join(plain["home"], "conversation.index.db"))) as db:
            db.execute("DELETE FROM stele_words")
            db.commit()
        wanted = self.answers(plain, queries)
        got = self.answers(self.place, queries)
        for key, ids in wanted.items():
            assert got[key] == ids, (key, got[key][:10], ids[:10])
        assert len(wanted[queries[0], "{}"]) == 20  # there is something to compare


@test("every query finds the same in the same order")
def every_query_finds_the_same_in_the_same_order():
    with Chats() as chats:
        same(sorted(chats.kept()), ["tea", "the"])
        chats.finds_the_same()
        same(sorted(chats.kept()), ["f *", "t *", "te *", "tea", "the"])  # a search made these
        chats.finds_the_same()


@test("what was added changed and deleted since is found as it is")
def what_was_added_changed_and_deleted_since_is_found_as_it_is():
    with Chats() as chats:
        chats.change()
        chats.finds_the_same()
        same(sorted(chats.kept()), ["f *", "t *", "te *", "tea", "the"])
        with Home(chats.place) as home:
            home.index("conversation")  # brings them up to date
        same(chats.sql("conversation.index.db", "SELECT COUNT(*) FROM stele_rewritten"), [(0,)])
        chats.finds_the_same()


@test("postings of which too much is out of date go and come again")
def postings_of_which_too_much_is_out_of_date_go_and_come_again():
    with Chats() as chats:
        chats.sql("conversation.db", "UPDATE messages SET content = content || ' tea' WHERE id <= ?", REWRITTEN_MAX + 1)
        with Home(chats.place) as home:
            home.call("conversation.search_messages", query="rare")
            same(chats.kept(), {})
            same(chats.sql("conversation.index.db", "SELECT COUNT(*) FROM stele_rewritten"), [(0,)])
            home.call("conversation.search_messages", query="tea")
        same(sorted(chats.kept()), ["tea"])
        chats.finds_the_same()


# Puts the index in order, and waits in the middle of it.
SLOW = """
import sys, stele
def wait(what, done, of):
    if (what, done) == ("common words", 1):
        print("waiting", flush=True)
        sys.stdin.readline()
with stele.open(sys.argv[1], progress=wait) as db:
    db.conversation.index_messages()
"""


@test("what another process indexes while postings are kept is found")
def what_another_process_indexes_while_postings_are_kept_is_found():
    with Chats() as chats:
        chats.sql("conversation.index.db", "DELETE FROM stele_common")
        slow = subprocess.Popen([sys.executable, "-c", SLOW, chats.place["home"]], env=interpreter.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        same(slow.stdout.readline(), b"waiting\n")
        with Home(chats.place) as home:
            for number in range(300):
                home.call("conversation.append_message", session_id="s1", role="user", content="the tea " + text(chats.choose),
                          timestamp=time(chats.choose, ROWS + number))
            home.index("conversation")
        slow.communicate(b"\n", timeout=300)
        same((slow.returncode, sorted(chats.kept())), (0, ["tea", "the"]))
        chats.finds_the_same()


@test("phrases of the commonest words are found by their places")
def phrases_of_the_commonest_words_are_found_by_their_places():
    with Chats(PLACED_ROWS) as chats:
        same(chats.placed(), ["tea", "the"])
        chats.finds_the_same(PHRASES)
        chats.change()
        chats.finds_the_same(PHRASES)
        chats.sql("conversation.index.db", "UPDATE stele_common SET places = NULL WHERE term = 'tea'")  # as if it had only now become so common
        chats.finds_the_same(PHRASES)
        with Home(chats.place) as home:
            home.index("conversation")
            same(chats.placed(), ["tea", "the"])
            chats.finds_the_same(PHRASES)
            wanted = home.call("conversation.search_messages", query='"the tea"')
            chats.sql("conversation.index.db", "UPDATE stele_common SET places = substr(places, 1, 9000) WHERE term = 'tea'")
            same(home.call("conversation.search_messages", query='"the tea"'), wanted)
            same(home.notes(), "the search index was damaged and is made anew")


@test("damaged postings make the index anew")
def damaged_postings_make_the_index_anew():
    with Chats() as chats, Home(chats.place) as home:
        wanted = home.call("conversation.search_messages", query="tea")
        chats.sql("conversation.index.db", "UPDATE stele_common SET packed = ? WHERE term = 'tea'", b"\x00\x80")
        same(home.call("conversation.search_messages", query="tea"), wanted)
        same(home.notes(), "the search index was damaged and is made anew")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""On PostgreSQL messages are found through packed postings that the store keeps.  Whatever is asked, they find what the index on
SQLite finds, in the same order, however the messages came to be what they are; nothing is lost where parts are put together
and where several index at once; what is damaged is told; and what was erased is in none of its tables.  Prints TAP."""

import json
import os
import random
import subprocess
import sys
import threading
import urllib.parse

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), name) for name in ("", "cli")]
from conversation.test_search import Store  # noqa: E402
from method import doors  # noqa: E402
from place import has, main, postgres_test, same, some  # noqa: E402

CJK = ["部署", "计划", "服务端", "桂林", "部署计划"]
WORDS = [*("the deploy of server query deployed a docker error index École naïve deploys main.c Straße build x86 tests "
           "retry Config reconfigure tea steam").split(), *CJK, *(f"word{number}" for number in range(60))]
WEIGHTS = [1 / (rank + 1) for rank in range(len(WORDS))]
BETWEEN = [" ", " ", " ", " ", " ", ", ", ". ", " - ", "/", "_", "\n", "。", "(", '"', " 😀 "]
TIMES = [100 + number // 3 for number in range(60)]  # several messages have one time
ROLES = ["user", "assistant", "tool", "user", "assistant", "system"]
SESSIONS = ["s1", "s2", "s3", "s4"]
SHORT, LONG = 9, 160  # words of a message: of the short ones the index knows the length exactly


# ---- What is said, and what is asked ----

def words(rng, most):
    return rng.choices(WORDS, weights=WEIGHTS, k=rng.randint(1, most))


def text(rng, most):
    return "".join(word + rng.choice(BETWEEN) for word in words(rng, most))


def message(rng, most):
    """What append_message takes, but the session."""
    said = {"role": rng.choice(ROLES), "content": text(rng, most), "timestamp": rng.choice(TIMES)}
    if said["role"] == "tool":
        said["tool_name"] = rng.choice(["terminal", "web_search", "docker"])
    if said["role"] == "assistant" and rng.random() < 0.3:
        said["tool_calls"] = [{"id": "c1", "function": {"name": rng.choice(["terminal", "deploy"]), "arguments": json.dumps({"path": text(rng, 3)})}}]
    if rng.random() < 0.05:
        said["content"] = rng.choice(["", "!?", [{"type": "text", "text": text(rng, most)}, {"type": "image_url", "image_url": {"url": "data:x"}}]])
    return said


def piece(rng, documents):
    """Some words that stand together somewhere, or may."""
    tokens = rng.choice(documents).split() if rng.random() < 0.8 else words(rng, 5)
    start, count = rng.randrange(len(tokens) or 1), rng.choice([2, 2, 2, 3, 4])
    return " ".join(tokens[start:start + count]).replace('"', " ")


def inner(rng):
    word = rng.choice(WORDS)
    start = rng.randrange(max(1, len(word) - 2))
    return word[start:start + rng.randint(3, 5)]


def term(rng, documents):
    word = rng.choices(WORDS, weights=WEIGHTS)[0]
    kind = rng.randrange(12)
    if kind < 5:
        return word
    if kind < 8:
        return f'"{piece(rng, documents)}"'
    if kind == 8:
        return f'"{piece(rng, documents)}"*'
    if kind == 9:
        return f"{word} {word}"
    if kind == 10:
        return f'"{word} {word}"'
    return word[:rng.randint(1, 4)] + "*"


def query(rng, documents):
    """A query; and is its order by rank settled?  Of a row that has a part of one side of OR, and all of the other, FTS5 does not
    count the part, unless it happens to stand at it."""
    joints = rng.choices([" ", " ", " AND ", " OR ", " OR ", " NOT "], k=rng.choice([0, 0, 1, 1, 2, 3]))
    made = term(rng, documents) + "".join(joint + term(rng, documents) for joint in joints)
    return made, " OR " not in joints or set(joints) == {" OR "}


def inside(rng, documents):
    kind = rng.randrange(6)
    if kind == 0:
        return f"{inner(rng)} {inner(rng)}"
    if kind == 1:
        return f"{inner(rng)} {rng.choice(['OR', 'NOT', 'AND'])} {inner(rng)}"
    if kind == 2:
        whole = piece(rng, documents)
        return f'"{whole[rng.randrange(3):len(whole) - rng.randrange(3)]}"'
    if kind == 3:
        return f"{rng.choice(['of', 'a', 'the', '部', 'a*'])} {inner(rng)}"
    return inner(rng)


def narrowed(rng):
    """A filter, or none."""
    return rng.choice([{}, {}, {}, {"role_filter": [rng.choice(ROLES)]}, {"role_filter": ["assistant", "tool"]}, {"role_filter": []},
                       {"session": rng.choice(SESSIONS)}, {"session": "nowhere"}, {"source_filter": ["cli"]}, {"exclude_sources": ["cli"]},
                       {"since": rng.choice(TIMES)}, {"until": rng.choice(TIMES)}, {"since": 103, "until": 111, "role_filter": ["user"]},
                       {"lineage": "s2"}, {"lineage": "s3", "since": 105}])


# ---- Stores ----

def ask(url, sql):
    """What a statement answers, by line; columns stand with | between them."""
    done = subprocess.run(["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1", "-c", sql, url],
                          check=True, stdout=subprocess.PIPE)
    return done.stdout.decode().splitlines()


class Postgres(Store):
    """A store of the server, and whatever else is to be known of it."""
    engine = "postgres"

    def __init__(self, place, player):
        self.place = place
        self.url, _, name = place["stores"]["conversation"].partition("schema=")
        self.url = self.url.rstrip("?&")
        self.schema = urllib.parse.unquote(name)
        super().__init__(place, player)
        self.sessions()

    def sessions(self):
        self.call("create_session", session_id="s3", source="cli", parent_session_id="s2")
        self.call("create_session", session_id="s4", source="web")

    def sql(self, statement):
        return ask(self.url, f"SET search_path TO {self.schema}; {statement}")

    def number(self, statement):
        return int(self.sql(f"SELECT {statement}")[0])

    def fails(self, method, **args):
        word, reply = self.player.ask(("call", f"conversation.{method}", json.dumps(args)))[0]
        same(word, "error")
        return reply

    def check_tables(self):
        """Every part is there once, with its words, and every message in one of them."""
        parts = [tuple(map(int, row.split("|"))) for row in self.sql("SELECT part, last, rows FROM stele_part ORDER BY part")]
        last = 0
        for part, end, rows in parts:
            assert part == last + 1 and end - part + 1 == rows, parts
            last = end
        active = " WHERE active = 1" if self.number("COUNT(*) FROM information_schema.columns WHERE table_schema = current_schema() "
                                                    "AND table_name = 'messages' AND column_name = 'active'") else ""
        same(self.sql("SELECT id FROM stele_entry ORDER BY id"), self.sql(f"SELECT id FROM messages{active} ORDER BY id"))
        same(self.number("COUNT(*) FROM stele_posting WHERE part NOT IN (SELECT part FROM stele_part WHERE live IS NOT NULL)"), 0)
        same(self.number("COUNT(*) FROM stele_part AS p WHERE COALESCE(live, 0) <> (SELECT COUNT(*) FROM stele_entry WHERE number BETWEEN p.part AND p.last)"), 0)
        same(self.number("COUNT(*) FROM stele_entry AS e WHERE NOT EXISTS (SELECT 1 FROM stele_part AS p WHERE e.number BETWEEN p.part AND p.last)"), 0)
        same(self.sql("SELECT DISTINCT word FROM stele_posting WHERE word >= ' ' EXCEPT SELECT word FROM stele_word"), [])
        return len(parts)


class Sqlite(Store):
    engine = "sqlite"
    sessions = Postgres.sessions

    def __init__(self, place, player):
        self.place = place
        super().__init__(place, player)
        self.sessions()


class Both:
    """The same messages in two stores, which must find the same."""

    def __enter__(self):
        self.places = [doors.Sqlite().__enter__(), doors.Postgres(["conversation"]).__enter__()]
        self.players = [doors.Player().__enter__() for _ in self.places]
        self.stores = [kind(place.new(), player) for kind, place, player in zip((Sqlite, Postgres), self.places, self.players)]
        self.documents, self.found = [], 0
        return self

    def __exit__(self, kind, *about):
        for each in (*self.players, *self.places):
            each.__exit__(kind, *about)
        assert kind or self.found > 100, self.found  # it was not searched in vain

    @property
    def postgres(self):
        return self.stores[1]

    def call(self, method, **args):
        one, other = (store.call(method, **args) for store in self.stores)
        same(other, one)
        return one

    def note(self, said):
        if isinstance(said["content"], str):
            self.documents.append(said["content"])
        return said

    def append(self, rng, most, session=None):
        said = self.note(message(rng, most))
        return self.call("append_message", session_id=session or rng.choice(SESSIONS), **said)["id"]

    def index(self, **more):
        for store in self.stores:
            store.call("index_messages", **more)

    def compare(self, text, ordered=True, **options):
        """The same messages and snippets, in the same order if they are ordered."""
        one, other = ([(hit["id"], hit["snippet"]) for hit in store.search(text, **options)] for store in self.stores)
        if not ordered:
            one, other = sorted(one), sorted(other)
        assert one == other, (text, options, [hit for hit in one if hit not in other], [hit for hit in other if hit not in one], one[:30], other[:30])
        ids = [number for number, _ in other]
        assert len(ids) == len(set(ids)), (text, options, ids)
        return len(one)

    def search(self, rng, count, ranked):
        """That many queries.  ranked: the order by rank is the same, too."""
        found = 0
        for _ in some(range(count)):
            (text, settled), filters = query(rng, self.documents), narrowed(rng)
            settled = settled and ranked
            found += self.compare(text, ordered=settled, match="words", **filters)
            if settled:
                self.compare(text, match="words", limit=rng.randint(1, 15), offset=rng.randint(0, 12), **filters)
            by_time = {"sort": rng.choice(["newest", "oldest"]), **filters}
            self.compare(text, match="words", **by_time)
            self.compare(text, match="words", limit=rng.randint(1, 15), offset=rng.randint(0, 12), **by_time)
            self.compare(text, ordered=False, quick=True, **filters)
            part = inside(rng, self.documents)
            found += self.compare(part, ordered=False, match="substrings", **filters)
            self.compare(part, match="substrings", limit=rng.randint(1, 15), **by_time)
        self.found += found


# ---- Both engines ----

@postgres_test("short messages: both engines find the same, in the same order by rank and by time")
def _():
    rng = random.Random(1)
    with Both() as both:
        for _ in range(300):
            both.append(rng, SHORT)
        both.index()
        both.search(rng, 400, ranked=True)


@postgres_test("messages of all lengths: both engines find the same, in the same order by time")
def _():
    rng = random.Random(2)
    with Both() as both:
        for number in range(240):
            both.append(rng, rng.choice([SHORT, LONG]))
            if number % 80 == 60:
                both.index()
        both.search(rng, 150, ranked=False)  # some are not indexed yet
        both.index()
        both.search(rng, 150, ranked=False)


@postgres_test("phrases with the commonest words, which are told beside the places of others once there are a thousand messages")
def _():
    rng = random.Random(5)
    with Both() as both:
        def say(count):
            for session in SESSIONS:
                both.call("replace_messages", session_id=session, messages=[both.note(message(rng, SHORT)) for _ in range(count)])
            both.index()
        say(240)
        same(both.postgres.number("COUNT(*) FROM stele_common"), 0)
        both.search(rng, 40, ranked=False)
        say(260)  # with what was replaced, the index has had more than a thousand: now it is made anew
        both.append(rng, SHORT)
        both.index()
        common = both.postgres.sql("SELECT word FROM stele_common ORDER BY code")
        assert len(common) == 15 and {"the", "deploy", "of"} < set(common), common
        same(both.postgres.check_tables(), 1 if both.postgres.number("COUNT(*) FROM stele_part") == 1 else 2)
        both.search(rng, 200, ranked=False)
        for phrase in [(one, other) for one in common[:8] for other in (*common[:8], "word7", "桂")]:
            both.found += both.compare(f'"{" ".join(phrase)}"', ordered=False, match="words", limit=1000)
            both.compare(f'"{" ".join(phrase)} the"', ordered=False, match="words", limit=1000)
            both.compare(f'"{" ".join(phrase)} d*"', ordered=False, match="words", limit=1000)
        for number in range(len(some(range(20)))):
            change(rng, both, SHORT)
            both.search(rng, 4, ranked=False)
        both.index(rebuild=True)
        both.search(rng, 40, ranked=False)


def change(rng, both, most):
    """Something happens to some messages."""
    kind, session = rng.randrange(12), rng.choice(SESSIONS)
    known = [row["id"] for row in both.call("get_messages", session_id=session)]
    if kind < 5:
        for _ in range(rng.randint(1, 12)):
            both.append(rng, most, session)
    elif kind == 5:
        both.call("replace_messages", session_id=session, messages=[both.note(message(rng, most)) for _ in range(rng.randint(0, 30))])
    elif kind == 6 and known:
        both.call("rewind_to_message", session_id=session, target_message_id=rng.choice(known[len(known) // 2:]))
    elif kind == 7 and known:
        both.call("restore_rewound", session_id=session, since_message_id=known[0])
    elif kind == 8 and len(known) > 30:
        both.call("clear_messages", session_id=session)
    elif kind == 9 and known:
        changed = f"UPDATE messages SET content = '{text(rng, most).replace(chr(39), '')}', timestamp = {rng.choice(TIMES)} WHERE id = {rng.choice(known)};"
        gone = f"DELETE FROM messages WHERE id = {rng.choice(known)};"
        for place, store in zip(both.places, both.stores):
            place.sql(store.place, "conversation", changed + gone)
    else:
        both.index()


@postgres_test("what was added, changed, deleted, taken back and brought back since is found as it is")
def _():
    rng = random.Random(3)
    with Both() as both:
        for number in range(60):
            both.append(rng, SHORT)
        for number in range(len(some(range(120)))):
            change(rng, both, rng.choice([SHORT, SHORT, LONG]))
            both.search(rng, 4, ranked=False)
        both.index()
        both.postgres.check_tables()
        both.search(rng, 40, ranked=False)
        both.index(rebuild=True)
        same(both.postgres.check_tables(), 1)
        both.search(rng, 40, ranked=False)


# ---- PostgreSQL alone ----

class One:
    """A store of the server, and further handles of it, each in a process of its own."""

    def __enter__(self):
        self.server = doors.Postgres(["conversation"]).__enter__()
        self.players = []
        self.place = self.server.new()
        self.store = Postgres(self.place, self.player())
        return self

    def __exit__(self, kind, *about):
        for player in self.players:
            player.__exit__(kind, *about)
        self.server.__exit__(kind, *about)

    def player(self):
        self.players.append(doors.Player().__enter__())
        return self.players[-1]

    def beside(self, *flags):
        store = Store.__new__(Store)  # of one that is there
        store.player = self.player()
        store.player.open({**self.place, "flags": flags})
        return store


def refused(store, query, **options):
    word, reply = store.player.ask(("call", "conversation.search_messages", json.dumps({"query": query, **options})))[0]
    return reply if word == "error" else None


def damaged(reply):
    same((reply["code"], reply["message"], reply["hint"]),
         ("CORRUPT", "conversation.search_messages: the search index of messages is damaged", "call conversation.index_messages with rebuild, which makes it anew"))


@postgres_test("parts are put together, and nothing is lost or doubled")
def _():
    rng = random.Random(4)
    with Both() as both:
        most = 0
        for number in range(50):
            for _ in range(3):
                both.append(rng, SHORT)
            both.call("append_message", session_id="s1", role="user", content=f"only{number} always", timestamp=5)
            both.index()
            most = max(most, both.postgres.check_tables())
            same(both.postgres.number("COUNT(*) FROM stele_change"), 0)
        same(most, 15)  # the sixteenth makes one of them all
        for number in range(50):
            same(both.compare(f"only{number}", match="words"), 1)
        same(both.compare("always", match="words", limit=1000), 50)
        both.search(rng, 40, ranked=True)


def hundreds(said, count=300, **more):
    return [{"role": "user", "content": said, **more} for _ in range(count)]


@postgres_test("a part of which most is gone is emptied, and what is left of it indexed anew")
def _():
    rng = random.Random(6)
    with Both() as both:
        for session in SESSIONS[:3]:
            both.call("replace_messages", session_id=session, messages=[both.note(message(rng, SHORT)) for _ in range(300)])
            both.index()
        gone = [row["id"] for session in SESSIONS[:2] for row in both.call("get_messages", session_id=session)][:540]
        for place, store in zip(both.places, both.stores):
            place.sql(store.place, "conversation", f"DELETE FROM messages WHERE id IN ({', '.join(map(str, gone))});")
        both.search(rng, 10, ranked=False)
        both.index()
        parts = both.postgres.sql("SELECT live, rows FROM stele_part ORDER BY part")
        same(parts, ["|300", "|300", "300|300", "60|60"])
        both.postgres.check_tables()
        both.search(rng, 60, ranked=False)
        for _ in range(20):  # what is put together may have an emptied one among it
            both.append(rng, SHORT)
            both.index()
        assert both.postgres.check_tables() < 20
        both.search(rng, 60, ranked=False)


@postgres_test("an index of many messages that were taken back comes to its end")
def _():
    with One() as one:
        one.store.call("replace_messages", session_id="s1", messages=hundreds("early", 501))
        one.store.call("rewind_to_message", session_id="s1", target_message_id=one.store.append("one more", session="s1"))
        one.store.sql("INSERT INTO messages (session_id, role, content, timestamp, active) SELECT 's1', 'user', 'taken back', 5, 0 FROM generate_series(1, 12500)")
        one.store.call("replace_messages", session_id="s2", messages=hundreds("late", 1500))
        for rebuild in (False, True):
            one.store.call("index_messages", rebuild=rebuild)
            one.store.check_tables()
            same([len(one.store.ids(word, limit=1000)) for word in ("early", "late", "taken")], [501, 1000, 0])


@postgres_test("whatever the role of a message is, it is indexed and found by it")
def _():
    rng = random.Random(8)
    roles = ["".join(chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(3000)), "\0", "", "x" * 64, "x" * 65, "user"]
    with One() as one:
        wanted = {role: one.store.call("append_message", session_id="s1", role=role, content="needle")["id"] for role in roles}
        for _ in range(2):
            for role, number in wanted.items():
                same((role, one.store.ids("needle", role_filter=[role])), (role, [number]))
            same(sorted(one.store.ids("needle", role_filter=roles[:3])), sorted(wanted[role] for role in roles[:3]))
            one.store.call("index_messages")


@postgres_test("what many sessions said within a time is found however much others said")
def _():
    with One() as one:
        one.store.sql("INSERT INTO sessions (id, source, started_at) SELECT 'm' || n, 'quiet', 1 FROM generate_series(1, 600) AS n")
        one.store.sql("INSERT INTO sessions (id, source, started_at) VALUES ('loud', 'loud', 1)")
        one.store.sql("INSERT INTO messages (session_id, role, content, timestamp) SELECT 'loud', 'user', 'rain', 5 FROM generate_series(1, 4200)")
        one.store.sql("INSERT INTO messages (session_id, role, content, timestamp) SELECT 'm' || n, 'user', 'rain', 6 FROM generate_series(1, 600) AS n")
        one.store.call("index_messages")
        for filters in ({"since": 1}, {"until": 7}, {}):
            for sort in (None, "newest", "oldest"):
                same(len(one.store.ids("rain", limit=1000, source_filter=["quiet"], **({"sort": sort} if sort else {}), **filters)), 600)


@postgres_test("pages of messages that rank the same are those of one list")
def _():
    with One() as one:
        one.store.call("replace_messages", session_id="s1", messages=hundreds("of one time", 700, timestamp=5))
        for number in range(3):
            one.store.call("index_messages")
            for sort in ("newest", "oldest"):
                whole = one.store.ids("time", sort=sort, limit=1000)
                same([each for offset in range(0, 700, 20) for each in one.store.ids("time", limit=20, offset=offset, sort=sort)], whole)
            one.store.sql(f"UPDATE messages SET content = content || '.' WHERE id % 10 = {number}")
    with One() as one:
        one.store.call("replace_messages", session_id="s1", messages=hundreds("just this"))
        ids = [row["id"] for row in one.store.call("get_messages", session_id="s1")]
        for _ in range(3):
            one.store.call("index_messages")
            for sort in ("rank", "newest", "oldest"):
                whole = one.store.ids("this", sort=sort)
                same(sorted(whole), ids)
                same([number for offset in range(0, 300, 7) for number in one.store.ids("this", limit=7, offset=offset, sort=sort)], whole)
            one.store.sql(f"UPDATE messages SET session_id = 's2' WHERE id IN ({ids[0]}, {ids[20]})")  # they get other numbers
            one.store.sql("UPDATE messages SET session_id = 's1'")


class Crowd:
    """Several at work on one store until the first has ended, or one has failed."""

    def __init__(self):
        self.done, self.failed = threading.Event(), []

    def run(self, *works):
        threads = [threading.Thread(target=self.guard, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failed:
            raise self.failed[0]

    def guard(self, work):
        try:
            work()
        except BaseException as error:  # pylint: disable=broad-except
            self.failed.append(error)
            self.done.set()


@postgres_test("while two index and others write, every search finds what was committed before it began")
def _():
    rounds = len(some(range(60)))
    with One() as one:
        store, crowd = one.store, Crowd()
        store.append("always one")
        written = ["one"]  # what follows "always" in messages that were committed

        def index(beside):
            while not crowd.done.is_set():
                beside.call("index_messages")

        def search(beside):
            while not crowd.done.is_set():
                known = list(written)
                found = [hit["snippet"] for hit in beside.search("always", match="words", sort="newest")]
                same(sorted(set(found)), sorted(found))
                same({f">>>always<<< {word}" for word in known} - set(found), set())
                same([hit["snippet"] for hit in beside.search(f'"always {known[-1]}"', match="words")], [f">>>always {known[-1]}<<<"])

        def write():
            for number in range(rounds):
                store.append(f"always one{number}")
                written.append(f"one{number}")
                same(len(store.ids(f"one{number}", match="words")), 1)
                if number % 6 == 5:  # more than are read without an index
                    store.call("create_session", session_id=f"many{number}", source="cli")
                    store.call("replace_messages", session_id=f"many{number}",
                               messages=[{"role": "user", "content": f"many{number} n{each}"} for each in range(280)])
                    same(len(store.ids(f"many{number}", match="words")), 280)
            crowd.done.set()

        besides = [one.beside() for _ in range(3)]
        crowd.run(write, lambda: index(besides[0]), lambda: index(besides[1]), lambda: search(besides[2]))
        store.call("index_messages")
        store.check_tables()
        same(len(store.ids("always", match="words")), rounds + 1)
        same(store.number("COUNT(*) FROM messages"), store.number("SUM(rows) FROM stele_part"))


@postgres_test("who is open for reading only searches what is there, indexed or not")
def _():
    with One() as one:
        number = one.store.append("a needle")
        reader = one.beside("readonly")
        reply = refused(reader, "needle")
        same((reply["code"], reply["hint"]), ("READONLY", "search it once through a handle that may write"))
        same(one.store.ids("needle"), [number])
        same(reader.ids("needle"), [number])
        same(one.store.sql("SELECT part FROM stele_part"), [])
        one.store.call("replace_messages", session_id="s2", messages=[{"role": "user", "content": f"needle n{each}"} for each in range(300)])
        for _ in range(2):  # so many that others would index them first; and when they have
            same((len(reader.ids("needle")), len(reader.ids("n7*")), len(reader.ids("edl", match="substrings"))), (301, 11, 301))
            same(one.store.number("COUNT(*) FROM stele_entry") in (0, 301), True)
            one.store.call("index_messages")
        last = one.store.append("another needle")
        same((reader.ids("needle", sort="newest", limit=1), reader.ids('"another needle"')), ([last], [last]))


@postgres_test("damaged postings are told, with what mends them")
def _():
    rng = random.Random(5)
    asked = ["alpha", "alpha NOT beta", "beta OR gamma1", '"alpha beta"', '"beta gam"*', "gam*", "alpha gamma2"]
    with One() as one:
        for number in range(80):
            one.store.append(f"alpha beta gamma{number % 3} " * rng.randint(1, 4))
        one.store.call("index_messages")

        def answers():
            return {(text, sort): one.store.ids(text, sort=sort, match="words") for text in asked for sort in ("rank", "newest")}
        wanted = answers()
        for column, broken, failing in (("packed", "0080", asked), ("packed", "01", asked), ("packed", "09ffffffffffffffffff7f01", asked),
                                        ("places", "", ['"alpha beta"']), ("places", "80", ['"alpha beta"'])):
            one.store.sql(f"UPDATE stele_posting SET {column} = '\\x{broken}'")
            for text in failing:
                damaged(refused(one.store, text, sort="newest"))
            one.store.call("index_messages", rebuild=True)
            same(answers(), wanted)
        told = 0
        for _ in some(range(200)):  # any byte: it is told, or not noticed, and does no more harm
            column, word, chance = rng.choice(["packed", "places"]), rng.choice(["alpha", "beta", "gamma0", "gamma1"]), rng.random()
            one.store.sql(f"UPDATE stele_posting SET {column} = set_byte({column}, floor({chance} * length({column}))::int, {rng.randrange(256)})"
                          f" WHERE word = '{word}'")
            for text in asked:
                reply = refused(one.store, text, sort=rng.choice(["rank", "newest"]))
                if reply:
                    damaged(reply)
                    told += 1
            if rng.random() < 0.2:
                one.store.call("index_messages", rebuild=True)
        assert told > 20, told
        one.store.sql("UPDATE stele_entry SET number = -1000 - number WHERE number % 7 = 3")
        one.store.ids("alpha", session="s1")  # whatever it finds
        one.store.call("index_messages", rebuild=True)
        same(answers(), wanted)


@postgres_test("a store with the older table of tokens gets the index when it is opened for writing")
def _():
    with One() as one:
        number = one.store.append("from before")
        one.store.call("index_messages")
        one.store.player.close()
        one.store.sql("DROP TABLE stele_entry, stele_part, stele_posting, stele_word, stele_common; CREATE TABLE stele_search "
                      "(id BIGINT PRIMARY KEY, tokens TSVECTOR NOT NULL, lost BOOLEAN NOT NULL, cut BOOLEAN NOT NULL); "
                      f"INSERT INTO stele_search VALUES ({number}, to_tsvector('simple', 'from before'), FALSE, FALSE)")
        same(refused(one.beside("readonly"), "before")["code"], "READONLY")
        one.store.player.open(one.place)
        same(one.store.ids("before"), [number])
        same(one.store.sql("SELECT to_regclass('stele_search')"), [""])
        same(one.store.call("index_messages"), {"indexed": 1})
        same((one.store.ids("before"), one.store.ids("befor*"), one.store.check_tables()), ([number], [number], 1))


@postgres_test("what was erased is in no table of the index")
def _():
    def left(store, text):
        """The tables of which a row has the text."""
        tables = store.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()")
        return {table for table in tables for row in store.sql(f"SELECT t FROM {table} AS t") if text in row.lower()}

    index = {"stele_posting", "stele_word"}
    with One() as one:
        one.store.append("quetzalcoatlus flies")
        one.store.append("nothing of it, in a session that is deleted", session="s4")
        one.store.append("the key is sk-" + "proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL")
        one.store.call("index_messages")
        same([left(one.store, text) for text in ("quetz", "nothing")], [{"messages", *index}] * 2)
        one.store.answer(("call", "stele.forget", json.dumps({"text": "quetzalcoatlus", "dry_run": False})))
        same((left(one.store, "quetz"), one.store.ids("quetzal*"), len(one.store.ids("nothing"))), (set(), [], 1))
        one.store.answer(("call", "stele.forget", json.dumps({"session": "s4", "dry_run": False})))
        same((left(one.store, "nothing"), one.store.ids("nothing")), (set(), []))
        one.store.call("redact_stored")
        same((left(one.store, "abcdefghijklm"), one.store.ids("abcdefghij*"), len(one.store.ids("key"))), (set(), [], 1))


if __name__ == "__main__":
    sys.exit(main())

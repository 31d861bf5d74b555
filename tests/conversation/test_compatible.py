#!/usr/bin/env python3
"""Search tables inside the conversation file, as its format has them: exactly these, always right, searched like
Stele's own, shared with the program the format comes from, and converted both ways while others write.  Prints TAP."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from conversation import original, test_search  # noqa: E402
from method import doors  # noqa: E402
from place import BIN, Place, has, main, same, test  # noqa: E402

OURS = {"stele_messages_session_id"}  # an index that may be added


class Store(test_search.Store):
    """A store behind the player, in a place of the test."""
    engine = "sqlite"

    def __init__(self, place, player):
        self.path = os.path.join(place.home, "conversation.db")
        super().__init__({"home": place.home}, player)

    def reindex(self, mode):
        return self.call("reindex", mode=mode)


class Compatible(Store):
    """The same, converted while it is empty; what would bring an index up to date makes the tables anew."""
    indexed = False

    def __init__(self, place, player):
        super().__init__(place, player)
        self.reindex("compatible")

    def call(self, method, **args):
        if method == "index_messages":
            args["rebuild"] = True
        return super().call(method, **args)


def names(path):
    return {name for _, name in original.definitions(path)}


def check_form(path, mode):
    """Tables, index file and notes are those of a form, and nothing is left of the other."""
    same("stele_change" in names(path), mode == "stele")
    same("messages_fts" in names(path), mode == "compatible")
    if mode == "compatible":
        same(os.path.exists(path.replace(".db", ".index.db")), False)
        with original.connect(path) as db:
            original.check_search_tables(db)
    with original.connect(path) as db:
        same(db.execute("SELECT key FROM state_meta WHERE key LIKE 'stele%'").fetchall(), [])


def cli(place, *words):
    return subprocess.Popen([BIN, *words], env=place.environment({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def fill(path, count, size=1500, start=0):
    """Many messages, at once, and past Stele."""
    rng = random.Random(start)
    with original.connect(path) as db:
        db.execute("BEGIN IMMEDIATE")
        for number in range(start, start + count):
            words = " ".join(rng.choices(test_search.WORDS, k=size // 6))
            original.insert(db, "messages", session_id="s1", role="tool", content=f"filler number{number} {words}", timestamp=number)
        db.execute("COMMIT")


# ---- Exactly the tables of the format ----------------------------------------------------------

@test("a fresh file made compatible has exactly the tables, indexes and triggers of version 11")
def _():
    with Place() as place:
        path = os.path.join(place.home, "conversation.db")
        same(place.run("reindex", "--mode", "compatible", "--json").reply(), {"mode": "compatible", "indexed": 0})
        original.make(place.at("theirs.db"), original.LATEST)
        wanted, made = original.definitions(place.at("theirs.db")), original.definitions(path)
        same(set(made) - {("index", name) for name in OURS}, set(wanted))
        same(original.shape(path), original.shape(place.at("theirs.db")))
        tables = ("sessions", "messages", "state_meta", "schema_version")  # ours are commented
        same({key: text for key, text in made.items() if key[1] not in tables and key[1] not in OURS},
             {key: text for key, text in wanted.items() if key[1] not in tables})
        for one in (path, place.at("theirs.db")):
            with original.connect(one) as db:
                keys = {table: db.execute(f"PRAGMA foreign_key_list({table})").fetchall() for table in ("sessions", "messages")}
                order = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type <> 'index' ORDER BY rowid")]
                marks = [db.execute(f"PRAGMA {name}").fetchone()[0]
                         for name in ("encoding", "page_size", "user_version", "application_id", "auto_vacuum", "journal_mode")]
                found = (keys, order, marks, db.execute("SELECT * FROM schema_version").fetchall())
            if one == path:
                first = found
        same(first, found)


@test("a used file, converted there and back and there again, has nothing else either")
def _():
    with Place() as place, doors.Player() as player:
        store = Store(place, player)
        documents = test_search.corpus(store, 300, random.Random(1))
        store.search("error")
        before = names(store.path)
        for mode in ("compatible", "stele", "compatible"):
            same(store.reindex(mode), {"mode": mode, "indexed": len(documents)})
            check_form(store.path, mode)
            same(len(store.ids("word1")), sum("word1" in test_search.tokens(text) for text in documents.values()))
        same(store.reindex("compatible"), {"mode": "compatible", "indexed": 0})
        original.make(place.at("theirs.db"), original.LATEST)
        same(names(store.path) - OURS, names(place.at("theirs.db")))
        store.reindex("stele")
        same(names(store.path), before)


# ---- Searching ---------------------------------------------------------------------------------

def search_test(name, function):
    @test(f"compatible: {name}")
    def _():
        with Place() as place, doors.Player() as player:
            store = Compatible(place, player)
            function(store)
            check_form(store.path, "compatible")


for title, function in test_search.TESTS:
    search_test(title, function)

CJK = ["部署", "计划", "大别山", "桂林山水", "服务端", "カタカナ", "한국어", "漓江"]


def text_of(rng, words):
    """Words in sentences, with CJK between and beside them."""
    parts = []
    for _ in range(rng.randint(3, 25)):
        part = rng.choice(words)
        if rng.random() < 0.2:
            part += rng.choice(["", " ", ", ", "。"]) + "".join(rng.choices(CJK, k=rng.randint(1, 2)))
        parts.append(part.upper() if rng.random() < 0.1 else part)
    return rng.choice([" ", " ", "\n", ", "]).join(parts)


def query_of(rng, words):
    def term():
        kind = rng.random()
        word = rng.choice(words)
        if kind < 0.2:
            return rng.choice(CJK)[:rng.randint(1, 4)]
        if kind < 0.3:
            return f'"{word} {rng.choice(words)}"'
        if kind < 0.4:
            return word[:rng.randint(1, 5)] + "*"
        if kind < 0.5:
            return word + rng.choice(CJK)[:2]
        return word
    return "".join(term() + rng.choice([" ", " ", " OR ", " NOT ", " AND "]) for _ in range(rng.randint(1, 3))) + term()


@test("compatible: the same messages are found as with Stele's own index")
def _():
    rng = random.Random(23)
    words = ["go", "ai", "c", "error", "docker", "deploying", "deploy", "build_it", "a/b.py", "x86", "it's", "naïve", "новый", "wordy"]
    with Place() as one, Place() as other, doors.Player() as first, doors.Player() as second:
        stele, compatible = Store(one, first), Compatible(other, second)
        for number in range(400):
            message = {"text": text_of(rng, words), "role": rng.choice(["user", "assistant", "tool"]), "timestamp": number // 3}
            if number % 5 == 0:
                message["tool_calls"] = [{"id": "c", "function": {"name": rng.choice(words), "arguments": json.dumps(
                    {"text": text_of(rng, words)}, ensure_ascii=number % 2 == 0)}}]
            for store in (stele, compatible):
                store.append(**message)
        for number in range(150):
            query = query_of(rng, words)
            for more in ({}, {"sort": "newest", "limit": 7, "offset": 2}, {"role_filter": ["user"], "since": 20, "until": 90}):
                found = [store.ids(query, **more) for store in (stele, compatible)]
                if "sort" not in more:
                    found = [sorted(ids) for ids in found]
                same((query, more, found[1]), (query, more, found[0]))


@test("compatible: of very many matches the best are found")
def _():
    with Place() as place, doors.Player() as player:
        store = Compatible(place, player)
        fill(store.path, 6000, 60)
        for number in range(30):
            store.append("filler " * (number + 2) + "filler", timestamp=number)
        rare = store.append("filler zebra")
        best = store.ids("filler", limit=10)
        same(best, sorted(best, reverse=True))  # the more of it, the better
        same(store.ids("filler zebra", limit=10), [rare])
        same(len(store.ids("filler", limit=1000, sort="newest")), 1000)
        same(len(store.ids('"filler filler"', limit=1000)), 30)
        same(store.ids('"filler number5999"'), [6000])


# ---- Files of others ---------------------------------------------------------------------------

@test("a file with search tables is used as it is: nothing is added, no file appears beside it")
def _():
    with Place() as place, doors.Player() as player:
        path = place.at("state.db")
        original.make(path, original.LATEST)
        before = original.definitions(path)
        player.must("open", json.dumps({"home": place.home, "stores": {"conversation": path}}))
        player.must("call", "conversation.create_session", '{"session_id":"s","source":"cli"}')
        for content in ("first words", "第二条消息"):
            player.must("call", "conversation.append_message", json.dumps({"session_id": "s", "role": "user", "content": content}))
        same([hit["id"] for hit in player.must("call", "conversation.search_messages", '{"query":"words"}')], [1])
        same([hit["id"] for hit in player.must("call", "conversation.search_messages", '{"query":"消息"}')], [2])
        word, error = player.ask(("call", "conversation.index_messages", "{}"))[0]
        same((word, error["code"]), ("error", "UNSUPPORTED"))
        has(error["hint"], "stele reindex --mode stele")
        after = original.definitions(path)
        same({key: text for key, text in after.items() if key[1] not in OURS}, before)
        same(sorted(name for name in os.listdir(place.path) if not name.endswith(("-wal", "-shm"))), ["state.db", "state.lock"])


@test("a file of Stele's that the program opened, and gave tables without the older messages, hides none of them")
def _():
    with Place() as place, doors.Player() as player:
        store = Store(place, player)
        first = store.append("an old apple and 梨子")
        with original.connect(store.path) as db:
            for statement in original.INLINE:
                db.execute(statement)
        second = store.append("a new apple")
        same(sorted(store.ids("apple")), [first, second])
        same(store.ids("梨子"), [first])
        same("stele_change" in names(store.path), False)
        has(place.run("search", "apple").err, "stele reindex")
        same(store.reindex("compatible")["indexed"], 2)
        check_form(store.path, "compatible")
        same(sorted(store.ids("apple")), [first, second])
        same(place.run("search", "apple").err, "")


@test("one that is searched by Stele's index stays so when the program opens it")
def _():
    with Place() as place, doors.Player() as player:
        store = Store(place, player)
        first = store.append("an old apple")
        same(store.ids("apple"), [first])
        with original.connect(store.path) as db:
            for statement in original.INLINE:
                db.execute(statement)
        second = store.append("a new apple")
        same(sorted(store.ids("apple")), [first, second])
        same("stele_change" in names(store.path), True)
        store.reindex("stele")
        check_form(store.path, "stele")


@test("a missing trigger or table hides nothing, and is put right by reindex")
def _():
    for broken in ("DROP TRIGGER messages_fts_insert", "DROP TRIGGER messages_fts_trigram_update", "DROP TABLE messages_fts_trigram"):
        with Place() as place, doors.Player() as player:
            store = Compatible(place, player)
            first = store.append("one apple")
            with original.connect(store.path) as db:
                db.execute(broken)
                if "TABLE" in broken:  # or every write would fail, the program's too
                    for event in ("insert", "delete", "update"):
                        db.execute(f"DROP TRIGGER messages_fts_trigram_{event}")
            second = store.append("two apples, one apple")
            same(sorted(store.ids("apple")), [first, second])
            same(sorted(store.ids("pple")), [first, second])
            same(store.reindex("compatible")["indexed"], 2)
            check_form(store.path, "compatible")


# ---- Converting --------------------------------------------------------------------------------

def progress_of(path):
    """How far a conversion is, by its note; None if there is none."""
    with original.connect(path, timeout=10) as db:
        row = db.execute("SELECT value FROM state_meta WHERE key = 'stele_reindex'").fetchone()
    return int(row[0]) if row else None


def kill_half_way(place, path, *words):
    process = cli(place, "reindex", *(words or ("--mode", "compatible")))
    deadline = time.monotonic() + 60
    while not (progress_of(path) or 0) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()


@test("killed half-way it is still Stele's, loses nothing, and is completed by the next call")
def _():
    with Place() as place:
        with doors.Player() as player:
            store = Store(place, player)
            fill(store.path, 3000)
            needle = store.append("a needle")
        path = store.path
        kill_half_way(place, path)
        reached = progress_of(path)
        assert reached and reached < 3001, reached
        same("stele_change" in names(path), True)
        with doors.Player() as player:  # meanwhile it is searched by the index beside it
            store = Store(place, player)
            same(store.ids("needle"), [needle])
            late = store.append("a late needle")
            same(sorted(store.ids("needle")), [needle, late])
            store.call("clear_messages", session_id="s2")
        done = place.run("reindex", "--mode", "compatible", "--json").reply()
        assert done["indexed"] <= 3002 - reached, (done, reached)
        check_form(path, "compatible")
        same([int(hit["id"]) for hit in place.run("search", "needle", "--sort", "newest", "--json").reply()], [late, needle])


@test("making the tables anew, killed half-way, is completed by what brings an index up to date")
def _():
    with Place() as place:
        with doors.Player() as player:
            store = Compatible(place, player)
            fill(store.path, 2000)
        kill_half_way(place, store.path, "--rebuild")
        assert progress_of(store.path), "it was too fast"
        same(place.run("index").status, 0)
        check_form(store.path, "compatible")


@test("killed half-way it can be taken back")
def _():
    with Place() as place:
        with doors.Player() as player:
            store = Store(place, player)
            fill(store.path, 2000)
            needle = store.append("a needle")
        kill_half_way(place, store.path)
        place.run("reindex", "--mode", "stele").out
        check_form(store.path, "stele")
        same([int(hit["id"]) for hit in place.run("search", "needle", "--json").reply()], [needle])


@test("killed while the tables are taken out, it goes on either way")
def _():
    for mode in ("stele", "compatible"):
        with Place() as place, doors.Player() as player:
            store = Compatible(place, player)
            fill(store.path, 300)
            needle = store.append("a needle")
            store.reindex("stele")
            with original.connect(store.path) as db:  # as it would be left: put aside, and emptied in part
                for table in ("stele_removed_2", "stele_removed_4"):
                    db.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, c0)")
                    db.execute(f"INSERT INTO {table} (id, c0) SELECT id, content FROM messages")
                db.execute("DELETE FROM stele_removed_2 WHERE id < 100")
            same(store.ids("needle"), [needle])
            same(store.reindex(mode)["mode"], mode)
            same({name for name in names(store.path) if "removed" in name}, set())
            check_form(store.path, mode)
            same(store.ids("needle"), [needle])


def change(db, sql, *values):
    """As another program does.  Where definitions change while SQLite prepares a statement, and opens a table that a trigger of it needs, it says of a
    table that is there that there is none: nothing has been done then, and prepared anew the statement is right."""
    try:
        db.execute(sql, values)
    except sqlite3.OperationalError as error:
        same(str(error), "no such table: messages")
        same(db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'messages'").fetchone(), (1,))
        db.execute(sql, values)


@test("what is written, changed and deleted while it is converted is right afterwards; others see each form as it is")
def _():
    with Place() as place, doors.Player() as player:
        store = Store(place, player)
        fill(store.path, 1500)
        numbers = iter(range(10 ** 6))

        def work(process):
            wrote = []
            while process.poll() is None:
                number = next(numbers)
                wrote.append(store.append(f"needle of{number}", session="s2"))
                if number % 7 == 3 and len(wrote) > 1:
                    with original.connect(store.path, timeout=20) as db:
                        change(db, "UPDATE messages SET content = content || ' changed' WHERE id = ?", wrote.pop())
                        change(db, "DELETE FROM messages WHERE id = ?", wrote.pop())
                        change(db, "DELETE FROM messages WHERE id = ?", number % 1500 + 1)
                if number % 5 == 0:
                    same(store.ids(f"needle of{number}", session="s2") != [], True)
            same((process.wait(), process.stderr.read()), (0, ""))
            return wrote

        wrote = []
        for mode in ("compatible", "stele", "compatible"):
            wrote += work(cli(place, "reindex", "--mode", mode))
            store.ids("needle")
            check_form(store.path, mode)
            with original.connect(store.path) as db:
                expected = [row[0] for row in db.execute("SELECT id FROM messages WHERE session_id = 's2' ORDER BY id")]
                changed = [row[0] for row in db.execute("SELECT id FROM messages WHERE content LIKE '% changed' ORDER BY id")]
            same(store.ids("needle", sort="newest", session="s2", limit=1000), sorted(expected, reverse=True)[:1000])
            same(sorted(store.ids("needle changed", limit=1000)), changed)
            same(set(wrote) <= set(expected), True)


@test("two who convert at once do it once")
def _():
    with Place() as place:
        with doors.Player() as player:
            store = Store(place, player)
            fill(store.path, 800)
        processes = [cli(place, "reindex", "--mode", "compatible", "--json") for _ in range(3)]
        indexed = 0
        for process in processes:
            out, err = process.communicate(timeout=60)
            same((process.returncode, err), (0, ""))
            indexed += json.loads(out)["indexed"]
        same(indexed, 800)
        check_form(store.path, "compatible")


@test("damaged tables inside the file: taken out, everything is right again")
def _():
    with Place() as place:
        with doors.Player() as player:
            store = Compatible(place, player)
            fill(store.path, 50)
            needle = store.append("a needle")
        with original.connect(store.path) as db:
            db.execute("UPDATE messages_fts_data SET block = zeroblob(20) WHERE id > 10")
            db.execute("DELETE FROM messages_fts_trigram_data WHERE id > 10")
        done = place.run("reindex", "--mode", "stele", "--json")
        same(done.reply(), {"mode": "stele", "indexed": 51})
        check_form(store.path, "stele")
        same([int(hit["id"]) for hit in place.run("search", "needle", "--json").reply()], [needle])
        same(place.run("reindex", "--mode", "compatible", "--json").reply(), {"mode": "compatible", "indexed": 51})
        check_form(store.path, "compatible")


# ---- Together with the program -----------------------------------------------------------------

THEIRS = """
import sys
sys.path.insert(0, sys.argv[1])
from conversation import original
writer = original.Writer(sys.argv[2])
for number in range(int(sys.argv[4])):
    writer.append("s1", "user", f"theirs {sys.argv[3]}x{number} 消息", None,
                  [{"id": "c", "function": {"name": "terminal", "arguments": "{}"}}] if number % 4 == 0 else None)
    if number % 25 == 24:
        writer.db.execute("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'theirs'").fetchall()
writer.close()
print(writer.tries)
"""


@test("the program and Stele write to one file at the same time: nothing fails, is lost or doubled; the tables are right")
def _():
    count, writers = 150, 3
    with Place() as place:
        with doors.Player() as player:
            path = Compatible(place, player).path
        theirs = [subprocess.Popen([sys.executable, "-c", THEIRS, os.path.dirname(HERE), path, str(number), str(count)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for number in range(writers)]
        players = [doors.Player() for _ in range(writers)]
        stores = [Store(place, player) for player in players]
        slowest = 0
        for number in range(count):
            for writer, store in enumerate(stores):
                start = time.monotonic()
                store.append(f"ours {writer}x{number} 消息", session="s2", role="assistant")
                slowest = max(slowest, time.monotonic() - start)
            if number % 50 == 49:
                same(len(store.ids(f"ours 0x{number}")), 1)
        for process in theirs:
            out, err = process.communicate(timeout=120)
            same((process.returncode, err), (0, ""))
        for player in players:
            player.__exit__(None)
        with original.connect(path) as db:
            texts = [row[0] for row in db.execute("SELECT content FROM messages")]
            expected = [f"{who} {writer}x{number} 消息" for who in ("ours", "theirs") for writer in range(writers)
                        for number in range(count)]
            same(sorted(texts), sorted(expected))
            same(dict(db.execute("SELECT id, message_count FROM sessions")), {"s1": writers * count, "s2": writers * count})
            original.check_search_tables(db)
        same(len(place.call("conversation.search_messages", {"query": "theirs", "limit": 1000}).reply()), writers * count)
        same(len(place.call("conversation.search_messages", {"query": "消息", "limit": 1000}).reply()), 2 * writers * count)
        check_form(path, "compatible")
        assert slowest < 10, slowest


if __name__ == "__main__":
    sys.exit(main())

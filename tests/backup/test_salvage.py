#!/usr/bin/env python3
"""stele repair --salvage: of a damaged file every row comes back that is not on a damaged page, and the file itself is not touched.  Prints TAP.

What can come back is told by a reader of the format that stands here (Tree), so that nothing is believed of the one that is tested.
Ten files are damaged at random; STELE_SOAK (make soak) makes these so many times as many."""

import json
import os
import random
import shutil
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method import doors  # noqa: E402
from place import Place, digest, has, main, same, test  # noqa: E402

ROUNDS = 10 * int(os.environ.get("STELE_SOAK", "1"))
PAGE = 4096


class Tree:
    """Which pages hold which rows of a table, read from a file that is whole."""

    def __init__(self, data, root):
        self.data, self.leaves, self.inner = data, {}, []
        self.root = root
        self.visit(root)

    def number(self, at, size):
        return int.from_bytes(self.data[at:at + size], "big")

    def varint(self, at):
        value = 0
        for n in range(9):
            byte = self.data[at + n]
            if n == 8:
                return value << 8 | byte, at + 9
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value, at + n + 1
        raise AssertionError

    def visit(self, page):
        start = (page - 1) * PAGE
        head = start + (100 if page == 1 else 0)
        kind, cells = self.data[head], self.number(head + 3, 2)
        first = head + (12 if kind == 5 else 8)
        at = [start + self.number(first + 2 * n, 2) for n in range(cells)]
        if kind == 5:
            self.inner.append(page)
            for one in at:
                self.visit(self.number(one, 4))
            self.visit(self.number(head + 8, 4))
            return
        same(kind, 13)
        for one in at:
            size, after = self.varint(one)
            rowid, after = self.varint(after)
            pages = {page}
            if size > PAGE - 35:
                least = (PAGE - 12) * 32 // 255 - 23
                local = least + (size - least) % (PAGE - 4)
                local = local if local <= PAGE - 35 else least
                page_of_rest = self.number(after + local, 4)
                while page_of_rest:
                    pages.add(page_of_rest)
                    page_of_rest = self.number((page_of_rest - 1) * PAGE, 4)
            self.leaves[rowid] = pages


class Store:
    """A conversation store with long and short messages, and what was written into it."""

    def __init__(self, place, rows=700, seed=5):
        self.place, self.path = place, os.path.join(place.home, "conversation.db")
        chance = random.Random(seed)
        with doors.Player() as player:
            player.open({"home": place.home})
            player.must("call", "conversation.create_session", json.dumps({"session_id": "s", "source": "cli"}))
            player.must("begin", "conversation")
            for n in range(rows):
                text = f"{n} " + chance.choice("abcdefghijk") * chance.choice((5, 50, 400, 1500, 9000))
                player.must("call", "conversation.append_message", json.dumps({"session_id": "s", "role": "user", "content": text}))
            player.must("commit")
            player.close()
        db = sqlite3.connect(self.path)  # the log goes into the file
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA journal_mode = WAL")
        self.rows = dict(db.execute("SELECT id, content FROM messages"))
        self.roots = dict(db.execute("SELECT name, rootpage FROM sqlite_master WHERE type = 'table' AND rootpage > 0"))
        db.close()
        for suffix in ("-wal", "-shm"):
            if os.path.exists(self.path + suffix):
                os.remove(self.path + suffix)
        with open(self.path, "rb") as file:
            self.data = file.read()
        self.pages = len(self.data) // PAGE
        self.tree = Tree(self.data, self.roots["messages"])

    def write(self, data):
        with open(self.path, "wb") as file:
            file.write(data)

    def damage(self, pages, how):
        """Overwrite pages of the file as it was; the rows that are not on them."""
        data = bytearray(self.data)
        for page in pages:
            data[(page - 1) * PAGE:page * PAGE] = how(page)
        self.write(data)
        return {rowid: text for rowid, text in self.rows.items() if not self.tree.leaves[rowid] & set(pages)}

    def salvage(self, *words):
        """What the new file holds, and what is told of the messages."""
        before = digest(self.path)
        done = self.place.run("repair", "conversation", "--salvage", "--json", *words)
        same(done.status, 0)
        same(digest(self.path), before)
        told = json.loads(done.out)
        [path] = {row["path"] for row in told}
        place, made = os.path.split(path)
        same([name for name in os.listdir(place) if name.startswith(made)], [made])
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        same(db.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        found = dict(db.execute("SELECT id, content FROM messages"))
        db.close()
        [messages] = [row for row in told if row["table"] == "messages"]
        same(messages["rows"], len(found))
        store = ["--store", f"conversation={path}"]
        has(self.place.run("status", "--json", *store).out, '"state":"current"')
        checked = self.place.run("check", "conversation", "--json", *store)
        same((checked.status, [line for line in json.loads(checked.out) if line["state"] == "fail"]), (0, []))
        for name in os.listdir(place):
            if ".salvaged-" in name:
                os.remove(os.path.join(place, name))
        return found, messages

    def check(self, wanted, *words):
        found, messages = self.salvage(*words)
        same({rowid: text for rowid, text in wanted.items() if found.get(rowid) != text}, {})
        same({rowid for rowid in found if found[rowid] != self.rows.get(rowid)}, set())
        return found, messages


def garbage(page):
    return random.Random(page).randbytes(PAGE)


def zeros(_):
    return bytes(PAGE)


@test("a file that is whole loses nothing")
def _():
    with Place() as place:
        store = Store(place, 200)
        found, told = store.check(store.rows)
        same((len(found), told["lost"], told["refused"], told["pages"]), (200, 0, 0, 0))


@test("pages overwritten at random: every row that is not on them comes back, and what is lost is counted")
def _():
    with Place() as place:
        store = Store(place)
        for seed in range(ROUNDS):
            chance = random.Random(seed)
            pages = chance.sample(range(2, store.pages + 1), chance.choice((1, 3, 10)))
            wanted = store.damage(pages, chance.choice((garbage, zeros)))
            try:
                _, told = store.check(wanted)
                lost = len(store.rows) - told["rows"]
                same(told["lost"] is None or told["lost"] <= lost, True)
            except AssertionError as problem:
                raise AssertionError(f"seed {seed}, pages {sorted(pages)}: {problem}") from problem


@test("the inner pages of a tree, its root too: all leaves are found again")
def _():
    with Place() as place:
        store = Store(place)
        same(len(store.tree.inner) >= 1, True)
        for how in (garbage, zeros):
            store.check(store.damage(store.tree.inner, how))
            store.check(store.damage([store.tree.root], how))


@test("an inner page or a leaf that is wrong in one place is not believed, and what hangs on it is found again")
def _():
    with Place() as place:
        store = Store(place)
        start = (max(store.tree.inner, key=lambda page: store.tree.number((page - 1) * PAGE + 3, 2)) - 1) * PAGE
        cell = start + store.tree.number(start + 12, 2)
        first, second = store.data[start + 12:start + 14], store.data[start + 14:start + 16]
        leaf = (store.tree.number(cell, 4) - 1) * PAGE
        for at, bytes_of in ((start + 8, b"\0\0\0\0"), (start + 8, b"\x7f\0\0\0"), (cell, b"\0\0\0\0"), (cell, b"\x7f\0\0\0"),
                             (cell, store.data[start + 8:start + 12]), (start + 12, b"\0\1"), (start + 12, b"\x0f\xff"), (start + 12, second + first),
                             (cell + 4, b"\xff" * 9), (start + 3, b"\0\0"), (start, b"\x0a"), (start, b"\x0d"), (start, b"\x02")):
            data = bytearray(store.data)
            data[at:at + len(bytes_of)] = bytes_of
            store.write(data)
            found, _ = store.salvage()
            same((at - start, {rowid for rowid in store.rows if found.get(rowid) != store.rows[rowid]}), (at - start, set()))
        for at, bytes_of in ((leaf + 8, b"\0\1"), (leaf + 8, b"\x0f\xff"), (leaf + 5, b"\0\3"), (leaf + 3, b"\xff\xff"), (leaf, b"\x0a"), (leaf, b"\x05")):
            data = bytearray(store.data)
            data[at:at + len(bytes_of)] = bytes_of
            store.write(data)
            found, _ = store.salvage()
            page = leaf // PAGE + 1
            same({rowid for rowid in store.rows if page not in store.tree.leaves[rowid] and found.get(rowid) != store.rows[rowid]}, set())


@test("the header, and with it the first page: sizes and tables are found out")
def _():
    with Place() as place:
        store = Store(place)
        for how in (garbage, zeros):
            store.check(store.damage([1], how))
        data = bytearray(store.data)
        data[:100] = bytes(100)
        store.write(data)
        store.check(store.rows)


@test("a file that ends too soon: what is before the end comes back")
def _():
    with Place() as place:
        store = Store(place)
        for share in (0.9, 0.5, 0.2):
            pages = int(store.pages * share)
            store.write(store.data[:pages * PAGE + 777])
            gone = set(range(pages + 1, store.pages + 1))
            store.check({rowid: text for rowid, text in store.rows.items() if not store.tree.leaves[rowid] & gone})


@test("a damaged list of free pages: deleted rows do not come back")
def _():
    with Place() as place:
        store = Store(place)
        db = sqlite3.connect(store.path)
        db.execute("PRAGMA secure_delete = OFF")
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("DELETE FROM messages WHERE id % 3 = 0")
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
        with open(store.path, "r+b") as file:
            trunk = int.from_bytes(file.read(36)[32:36], "big")
            same(trunk > 0, True)
            file.seek((trunk - 1) * PAGE)
            file.write(garbage(trunk))
        kept = {rowid: text for rowid, text in store.rows.items() if rowid % 3}
        found, _ = store.check(kept)
        same(set(found), set(kept))


@test("rows that are only in the log are found, and the log of another file is left aside when that is said")
def _():
    with Place() as place:
        store = Store(place, 300)
        shutil.copytree(place.home, place.at("other"))
        with doors.Player() as player:  # killed: the log stays
            player.open({"home": place.home})
            for n in range(20):
                player.must("call", "conversation.append_message", json.dumps({"session_id": "s", "role": "user", "content": f"logged {n}"}))
            player.process.kill()
            player.process.wait()
            player.process.wait = lambda: 0
        log = store.path + "-wal"
        same(os.path.getsize(log) > 0, True)
        was = digest(log)
        found, _ = store.salvage()
        same(({rowid: found[rowid] for rowid in store.rows}, sorted(text for rowid, text in found.items() if rowid not in store.rows)),
             (store.rows, sorted(f"logged {n}" for n in range(20))))
        same(digest(log), was)
        # The same log beside a file that is another's.
        home = place.at("third")
        os.makedirs(home)
        with Place() as elsewhere:
            other = Store(elsewhere, 500, seed=9)
            shutil.copy(other.path, os.path.join(home, "conversation.db"))
            shutil.copy(log, os.path.join(home, "conversation.db-wal"))
            other.place, other.path = place, os.path.join(home, "conversation.db")
            other.check(other.rows, "--home", home, "--without-log")


@test("a salvaged file takes the place of the damaged one, and is searched")
def _():
    with Place() as place:
        store = Store(place, 200)
        wanted = store.damage([store.tree.root], garbage)
        done = place.run("repair", "conversation", "--salvage", "--to", place.at("new.db"))
        has(done.out, "messages")
        has(done.err, "stele restore conversation --from")
        place.run("restore", "conversation", "--from", place.at("new.db"), "--replace", "--json")
        same(place.call("conversation.session_count").reply(), {"count": 1})
        same(len(place.call("conversation.get_messages", {"session_id": "s", "limit": 1000}).reply()) >= len(wanted), True)
        new = place.call("conversation.append_message", {"session_id": "s", "role": "user", "content": "goes on"}).reply()["id"]
        same(new > max(store.rows), True)
        same(place.run("check", "conversation").status, 0)


def kinds_of(path):
    """Tables of every kind, and what is in them."""
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("""
        CREATE TABLE kinds (a REAL, b FLOAT, c DOUBLE, d BLOB, e, f NUMERIC, g CLOB, h CHAR(3));
        INSERT INTO kinds VALUES (1.5, 2, NULL, x'', x'00ff', 7, 'text', 'abc'), (NULL, 2.5, 3, x'01', NULL, NULL, '', NULL);
        ALTER TABLE kinds ADD COLUMN later TEXT DEFAULT 'later';
        INSERT INTO kinds (a, later) VALUES (9, 'now');
        CREATE TABLE keyed (k TEXT, n INT, v BLOB, PRIMARY KEY (n, k)) WITHOUT ROWID;
        WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2000) INSERT INTO keyed SELECT 'k' || i, i % 7, zeroblob(60) FROM c;
        CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, t TEXT NOT NULL UNIQUE);
        INSERT INTO counted (id, t) VALUES (1, 'one'), (500, 'gone');
        DELETE FROM counted WHERE id = 500;
        CREATE TABLE "odd ""name" ("a ""column");
        INSERT INTO "odd ""name" VALUES ('kept');
        CREATE TABLE twin_a (t TEXT);
        WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 900) INSERT INTO twin_a SELECT 'twin ' || i FROM c;
        CREATE TABLE twin_b AS SELECT * FROM twin_a;
        CREATE VIEW seen AS SELECT t FROM counted;
        CREATE TRIGGER noted AFTER INSERT ON twin_a BEGIN INSERT INTO counted (t) VALUES (new.t); END;
        CREATE TRIGGER undone AFTER DELETE ON twin_a BEGIN DELETE FROM counted; END;
        CREATE TABLE single (t TEXT, n INT);
        INSERT INTO single VALUES ('a', 1), ('a', 2), ('b', 3);
        CREATE TABLE strict (n INT);
        INSERT INTO strict VALUES (1), ('two');
        CREATE TABLE empty_one (t TEXT);
        CREATE TABLE other_1 (a REAL, b REAL, c REAL);
        CREATE TABLE other_2 (a REAL, b REAL, c REAL);
        CREATE TABLE other_3 (a REAL, b REAL, c REAL);
        CREATE TABLE other_4 (a REAL, b REAL, c REAL);
        CREATE TABLE other_5 (a REAL, b REAL, c REAL);
        CREATE TABLE lost_one (t TEXT);
        INSERT INTO lost_one VALUES ('gone');
    """)
    names = ("kinds", "keyed", "counted", 'odd "name', "twin_a", "twin_b")
    found = {name: sorted(db.execute(f'SELECT * FROM "{name.replace(chr(34), chr(34) * 2)}"'), key=repr) for name in names}
    roots = dict(db.execute("SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0"))
    db.execute("PRAGMA writable_schema = ON")  # rules that the rows do not keep, and definitions that are none
    for name, sql in (("single", "CREATE TABLE single (t TEXT UNIQUE, n INT)"), ("strict", "CREATE TABLE strict (n INT) STRICT"),
                      ("lost_one", "CREATE TABLE lost_one ("), ("empty_one", None)):
        db.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, name))
    for n, (column, value) in enumerate((("type", "thing"), ("type", 5), ("tbl_name", None), ("rootpage", "x"), ("rootpage", 99999)), 1):
        db.execute(f"UPDATE sqlite_master SET {column} = ? WHERE name = ?", (value, f"other_{n}"))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return found, roots


@test("tables of every kind; rows that break a rule are counted, definitions that are damaged told")
def _():
    with Place() as place:
        place.call("planner.get_plans", {"session": "s"}).reply()
        path = os.path.join(place.home, "planner.db")
        wanted, roots = kinds_of(path)
        with open(path, "rb") as file:
            whole = bytearray(file.read())

        def salvaged(*damaged):
            """({table: its rows}, {table: what is told}, what is said) with these pages overwritten."""
            data = bytearray(whole)
            for page in damaged:
                data[(page - 1) * PAGE:page * PAGE] = garbage(page)
            with open(path, "wb") as file:
                file.write(data)
            done = place.run("repair", "planner", "--salvage", "--to", place.at("new.db"), "--json")
            same(done.status, 0)
            db = sqlite3.connect(place.at("new.db"))
            there = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
            rows = {name: sorted(db.execute(f'SELECT * FROM "{name.replace(chr(34), chr(34) * 2)}"'), key=repr) for name in wanted if name in there}
            db.close()
            os.remove(place.at("new.db"))
            return rows, {row["table"]: row for row in json.loads(done.out)}, done.err

        rows, told, said = salvaged()
        same([name for name in wanted if rows.get(name) != wanted[name]], [])
        same([(told[name]["rows"], told[name]["refused"]) for name in ("single", "strict")], [(2, 1), (1, 1)])
        has(said, "the table lost_one could not be made")
        rows, told, said = salvaged(roots["twin_a"], roots["twin_b"])
        same((rows["keyed"] == wanted["keyed"], rows["twin_a"], told["twin_a"]["lost"]), (True, [], None))
        has(said, "fit more than one table")
        rows, told, said = salvaged(roots["keyed"])
        same((rows["keyed"], told["keyed"]["pages"], rows["kinds"]), ([], 1, wanted["kinds"]))
        rows, told, said = salvaged(roots["twin_b"])
        same((rows["twin_a"] == wanted["twin_a"], rows["twin_b"] == wanted["twin_b"]), (True, True))
        rows, told, said = salvaged(roots["counted"], roots["sqlite_autoindex_counted_1"])
        same((rows["counted"], told["counted"]["rows"]), ([], 0))


@test("what derives from other rows is made anew: search tables in the file itself")
def _():
    with Place() as place:
        node = {"content": json.dumps({"summary": "the cache is slow"}), "embed_text": "cache", "node_type": "note"}
        place.call("capture.list_source_health").reply()
        path = os.path.join(place.home, "capture.db")
        db = sqlite3.connect(path)
        columns = [row[1] for row in db.execute("PRAGMA table_info(knowledge_nodes)") if row[3] and row[4] is None and row[1] != "id"]
        values = {column: node.get(column, f"{column} 1") for column in columns} | {"content": node["content"], "embed_text": "cache", "created_at": 1, "updated_at": 1}
        db.execute(f"INSERT INTO knowledge_nodes ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", list(values.values()))
        root = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'knowledge_fts_data'").fetchone()[0]
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
        with open(path, "r+b") as file:
            file.seek((root - 1) * PAGE)
            file.write(garbage(root))
        place.run("repair", "capture", "--salvage", "--to", place.at("new.db"), "--json")
        db = sqlite3.connect(place.at("new.db"))
        same(db.execute("SELECT rowid FROM knowledge_fts WHERE knowledge_fts MATCH 'slow'").fetchall(), [(1,)])
        db.execute("INSERT INTO knowledge_fts(knowledge_fts) VALUES ('integrity-check')")
        same(db.execute("SELECT count(*) FROM source_health").fetchone(), (8,))
        db.close()


@test("what cannot be salvaged is told, and nothing is made")
def _():
    with Place() as place:
        with open(place.at("text.db"), "w", encoding="utf-8") as file:
            file.write("hello\n" * 5000)
        words = ["repair", "conversation", "--salvage", "--json"]
        has(place.run(*words, "--from", place.at("text.db")).error(1, "CORRUPT")["message"], "nothing in it looks like a page")
        place.run(*words, "--from", place.at("none.db")).error(1, "NOTFOUND")
        place.run("repair", "--salvage", "--json").error(2, "INVALID")
        place.run("repair", "--salvage", "conversation", "--dry-run", "--json").error(2, "INVALID")
        place.run("repair", "--from", "x", "--json").error(2, "INVALID")
        place.call("conversation.create_session", {"session_id": "s", "source": "cli"}).reply()
        with doors.Player() as player:
            player.open({"home": place.home})
            player.must("call", "conversation.session_count", "{}")
            place.run(*words).error(1, "BUSY")
            player.close()
        place.run(*words, "--to", place.at("text.db")).error(1, "CONFLICT")
        same(sorted(os.listdir(place.path)), ["home", "text.db"])


if __name__ == "__main__":
    sys.exit(main())

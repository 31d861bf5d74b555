#!/usr/bin/env python3
"""However transcripts come in, the rows are those of one clean import: twice, as they grow, rewritten, moved, killed on
the way.  Prints TAP."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from capture import homes  # noqa: E402
from capture.place import Store, nothing_new, run, same  # noqa: E402
from method import doors  # noqa: E402

SANITIZED = os.environ.get("STELE_TEST_SANITIZED") == "1"  # a sanitizer is slow
PIECES = 6 if SANITIZED else 23  # in which a file grows
DENSITY = 2 if SANITIZED else 6  # of the operations that are tried: after the n-th comes the one n / DENSITY further on


@contextlib.contextmanager
def directory():
    path = tempfile.mkdtemp(prefix="stele-import-")
    try:
        yield path
    finally:
        shutil.rmtree(path)


@contextlib.contextmanager
def some_home(files=None):
    """(home, paths by name) of a home of its own."""
    with directory() as home:
        yield home, homes.write(home, files or homes.claude_files())


def clean(places, home):
    """The rows of one import into a new store."""
    with Store(places, home) as store:
        store.take()
        return store.rows()


def append(path, data, minute):
    with open(path, "ab") as file:
        file.write(data)
    homes.date(path, minute)


def test_growing(places):
    """Every file grows in pieces that end anywhere, and is taken in after each."""
    with some_home() as (home, paths), Store(places, home) as store:
        wanted = clean(places, home)
        contents = {}
        for path in paths.values():
            with open(path, "rb") as file:
                contents[path] = file.read()
            os.truncate(path, 0)
        for minute, (path, data) in enumerate(contents.items()):
            step = 1 + len(data) // PIECES
            for at in range(0, len(data), step):
                append(path, data[at:at + step], minute)
                store.take()
        same(store.rows(), wanted)


def test_line_by_line(places):
    """An appended line costs an appended line."""
    t = homes.plain(1, 40)
    with directory() as home, Store(places, home) as store:
        path = os.path.join(home, homes.PROJECT, f"{t.id}.jsonl")
        os.makedirs(os.path.dirname(path))
        for number, line in enumerate(t.lines):
            append(path, line, number)
            counts = store.take()
            assert counts["messages"] == 1 and counts["bytes"] == len(line), counts
        same(store.rows(), clean(places, home))


def test_rewritten(places):
    """A file that is written anew, in place or under another inode, gives what it says now, and what it said."""
    t, more = homes.plain(1, 3), homes.plain(1, 4)
    for anew in (False, True):
        with some_home({"one": (f"{homes.PROJECT}/{t.id}.jsonl", t.bytes())}) as (home, paths), Store(places, home) as store:
            path = paths["one"]
            store.take()
            first = homes.Transcript(99).user("put before").lines[0]
            target = path + ".new" if anew else path
            with open(target, "wb") as file:
                file.write(first + more.bytes())
            os.rename(target, path)
            counts = store.take()
            assert counts["messages"] == 3 and counts["updated"] == 0, counts
            messages = store.rows()["sessions"][t.id]["messages"]
            assert len(messages) == 9 and messages[-1]["content"] == "answer 3 of 1", messages
            os.truncate(path, len(first))  # rotated: it begins again
            counts = store.take()
            nothing_new(counts)
            append(path, homes.Transcript(98).user("after").lines[0], 5)
            assert store.take()["messages"] == 1


def test_moved(places):
    """A file or directory with another name is the same; a file that is gone changes nothing."""
    with some_home() as (home, paths), Store(places, home) as store:
        store.take()
        before = store.rows()["sessions"]
        project = os.path.dirname(paths["far"])
        os.rename(project, project + "-renamed")
        counts = store.take()
        nothing_new(counts)
        assert counts["unchanged"] == counts["files"], counts
        rows = store.rows()
        assert all("-renamed/" in path for path in rows["files"]), rows["files"].keys()
        for session in (*rows["sessions"].values(), *before.values()):
            session["origin"]["path"] = None
        same(rows["sessions"], before)
        shutil.rmtree(project + "-renamed")
        counts = store.take()
        assert counts["files"] == 0, counts
        same({id: len(s["messages"]) for id, s in store.rows()["sessions"].items()}, {id: len(s["messages"]) for id, s in before.items()})


def test_removed(places):
    """A session that was deleted stays so, until it is asked for."""
    with some_home() as (home, paths), Store(places, home) as store:
        store.take()
        before = store.rows()["sessions"]
        id = homes.session_id(7)
        store.call("delete_session", session_id=id)
        append(paths["base"], homes.Transcript(97).user("more").lines[0], 60)
        counts = store.take()
        assert counts["removed"] == 1 and counts["messages"] == 0, counts
        assert id not in store.rows()["sessions"]
        counts = store.take(again=True)
        assert counts["sessions"] == 1 and counts["messages"] == 7 and counts["removed"] == 0, counts
        after = store.rows()["sessions"]
        assert len(after[id]["messages"]) == 7 and after.keys() == before.keys()


def test_user_title(places):
    """A title that the user gave is left alone, one that a transcript gave is not."""
    t = homes.plain(1, 1)
    titled = json.dumps({"type": "custom-title", "customTitle": "From the agent"}).encode() + b"\n"
    with some_home({"one": (f"{homes.PROJECT}/{t.id}.jsonl", t.bytes() + titled)}) as (home, paths), Store(places, home) as store:
        store.take()
        assert store.call("get_session_title", session_id=t.id)["title"] == "From the agent"
        append(paths["one"], titled.replace(b"From", b"Again from"), 1)
        store.take()
        assert store.call("get_session_title", session_id=t.id)["title"] == "Again from the agent"
        store.call("set_session_title", session_id=t.id, title="Mine")
        append(paths["one"], titled, 2)
        store.take()
        assert store.call("get_session_title", session_id=t.id)["title"] == "Mine"


def test_titles_twice(places):
    """Two sessions of one title: the second has its id behind it."""
    titled = json.dumps({"type": "custom-title", "customTitle": "Warm up"}).encode() + b"\n"
    files = {str(n): (f"{homes.PROJECT}/{homes.session_id(n)}.jsonl", homes.plain(n, 1).bytes() + titled) for n in (1, 2)}
    with some_home(files) as (home, _), Store(places, home) as store:
        store.take()
        titles = sorted(s["title"] for s in store.rows()["sessions"].values())
        assert titles == ["Warm up", f"Warm up ({homes.session_id(2)[:8]})"], titles


def test_ignored(places):
    """Directories, projects and lists of them are left alone, before anything is read."""
    with directory() as home:
        work = os.path.join(home, "work", "secret")
        os.makedirs(work)
        files = {
            "plain": (f"{homes.PROJECT}/{homes.session_id(1)}.jsonl", homes.plain(1).bytes()),
            "marked": (f".claude/projects/-marked/{homes.session_id(2)}.jsonl", homes.plain(2).bytes()),
            "project": (f"{homes.PROJECT}/{homes.session_id(3)}.jsonl", homes.plain(3, cwd=os.path.join(work, "below")).bytes()),
            "listed": (f"{homes.PROJECT}/{homes.session_id(4)}.jsonl", homes.plain(4, cwd="/listed/project").bytes()),
            "pattern": (f"{homes.PROJECT}-tmp/{homes.session_id(5)}.jsonl", homes.plain(5).bytes()),
        }
        paths = homes.write(home, files)
        for marked in (os.path.dirname(paths["marked"]), work):
            with open(os.path.join(marked, ".stele-ignore"), "w"):
                pass
        with Store(places, home) as store:
            counts = store.take(ignore=["/listed/project", "*-tmp/*"])
            assert set(store.rows()["sessions"]) == {homes.session_id(1)} and counts["ignored"] == 4, counts
            assert list(store.rows()["files"]) == [paths["plain"]], store.rows()["files"]
            os.unlink(os.path.join(work, ".stele-ignore"))
            store.take(ignore=["/listed/project", "*-tmp/*"])
            assert set(store.rows()["sessions"]) == {homes.session_id(1), homes.session_id(3)}


def test_since(places):
    with some_home() as (home, paths), Store(places, home) as store:
        late = [path for name, path in paths.items() if name in ("cut", "two ids")]
        counts = store.take(since=homes.START + 60 * 9)
        assert counts["files"] == len(late) and sorted(store.rows()["files"]) == sorted(late), counts


def test_dry_run(places):
    with some_home() as (home, _), Store(places, home) as store:
        dry = store.take(dry_run=True)
        assert store.call("list_transcripts") == [] and store.call("session_count") == {"count": 0}
        assert not any(row["name"].startswith("stele_transcript") for row in store.player.must("call", "stele.schema", '{"store":"conversation"}'))
        wet = store.take()
        assert dry["sessions"] == wet["sessions"] and dry["messages"] == wet["messages"] + wet["updated"] and dry["bad"] == wet["bad"], (dry, wet)


def test_wrong_calls(places):
    with some_home() as (home, paths), Store(places, home) as store:
        refused = store.refused("import_transcripts", paths=["not/absolute"], into_foreign=True)
        assert refused["code"] == "INVALID" and refused["field"] == "paths", refused
        refused = store.refused("import_transcripts", paths=["/no/such/file"], into_foreign=True)
        assert refused["code"] == "NOTFOUND" and "/no/such/file does not exist" in refused["message"], refused
        refused = store.refused("import_transcripts", home=home, harness="word", into_foreign=True)
        assert refused["code"] == "INVALID" and "claude-code" in refused["hint"], refused
        assert store.refused("import_transcripts", into_foreign=True)["field"] == "home"


def test_foreign(places):
    """A store outside the home is another program's, unless it is said."""
    with some_home() as (home, _):
        foreign = {"home": os.path.join(home, "h"), "stores": {"conversation": os.path.join(home, "other.db")}}
        with Store(places, home, foreign) as store:
            refused = store.refused("import_transcripts", home=home)
            assert refused["code"] == "DENIED" and "into_foreign" in refused["hint"], refused
            assert store.take()["sessions"] > 0


def test_links(places):
    """Links that lead in a circle end; a file behind two names is read under both."""
    with some_home() as (home, paths), Store(places, home) as store:
        os.symlink(os.path.join(home, ".claude"), os.path.join(os.path.dirname(paths["far"]), "circle"))
        os.symlink("nowhere", os.path.join(os.path.dirname(paths["far"]), "nowhere.jsonl"))
        counts = store.take()
        assert counts["bad"] == 3, counts
        same(store.rows()["sessions"].keys(), clean(places, home)["sessions"].keys())


TESTS = [("a file that grows, cut anywhere", test_growing), ("line by line", test_line_by_line), ("rewritten", test_rewritten),
         ("moved and gone", test_moved), ("deleted sessions", test_removed), ("titles of the user", test_user_title),
         ("one title twice", test_titles_twice), ("ignored", test_ignored), ("since", test_since), ("dry run", test_dry_run),
         ("wrong calls", test_wrong_calls), ("links", test_links)]


# ---- On SQLite alone: killed, out of order, large ----

def long_files(records=2600):
    """Enough records for several transactions."""
    files = homes.claude_files()
    t = homes.Transcript(50)
    for number in range(records // 2):
        t.user(f"question {number}")
        t.assistant({"type": "text", "text": f"answer {number}"}, f"msg_{number // 2}", output=number)
    files["long"] = (f"{homes.PROJECT}/{t.id}.jsonl", t.bytes())
    return files


def killed_at(places, home, place, number):
    """Import until the number-th operation on a file, at which the process is killed.  True: it was."""
    with doors.Player() as player:
        player.open(place)
        player.must("call", "conversation.session_count", "{}")
        player.must("fault", "kill", str(number))
        try:
            player.must("call", "conversation.import_transcripts", json.dumps({"home": home}))
        except doors.Broken:
            player.process.stdin.close()
            player.process.wait()
            player.process = subprocess.Popen(["true"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # for its end
            return True
        return False


def test_killed(places):
    """Killed at one operation after the other, and gone on: the rows are those of one import."""
    with some_home(long_files()) as (home, _):
        wanted = clean(places, home)
        number, kills = 1, 0
        while True:
            place = places.new()
            killed = killed_at(places, home, place, number)
            with Store(places, home, place) as store:
                store.take()
                same(store.rows(), wanted, f"killed at {number}")
                assert store.player.must("check") is not None
            places.forget(place)
            if not killed:
                break
            kills += 1
            number += 1 + number // DENSITY
        assert kills > 2 * DENSITY, kills
        place = places.new()  # and killed again and again, a little further each time
        for number in range(40, 400, 40):
            killed_at(places, home, place, number)
        with Store(places, home, place) as store:
            store.take()
            same(store.rows(), wanted, "killed often")


def test_out_of_memory(places):
    """Whichever allocation fails, the import says so, and the next one gives the rows of a clean one."""
    files = {name: file for name, file in homes.claude_files().items() if name not in ("cut", "forked", "deep")}
    files["everything"] = (files["everything"][0], files["everything"][1].replace(b"x" * 2_000_000, b"x"))
    with some_home(files) as (home, _):
        wanted = clean(places, home)
        number, failures, fired = 1, 0, 1
        while fired:
            with Store(places, home) as store:
                store.call("session_count")
                store.player.must("fault", "alloc", str(number))
                word, reply = store.player.call("conversation.import_transcripts", json.dumps({"home": home}))
                fired = store.player.must("fault", "off")["fired"]
                assert word == "ok" or reply["code"] == "NOMEM", f"allocation {number}: {reply}"
                failures += word == "error"
                store.take()
                same(store.rows(), wanted, f"allocation {number}")
            places.forget(store.place)
            number += 1 + number // DENSITY
        assert failures > 4 * DENSITY, failures


def test_memory(places):
    """Memory does not grow with what is read."""
    with directory() as home:
        t = homes.plain(1, 200)
        text = "some words of a tool's answer, " * 3000
        for number in range(40):
            t.result(f"toolu_{number}", text + str(number))
        data = t.bytes()
        path = os.path.join(home, homes.PROJECT)
        os.makedirs(path)
        for number in range(12):  # some 170 MB
            with open(os.path.join(path, f"{homes.session_id(number)}.jsonl"), "wb") as file:
                file.write(data)
        code = ("import resource, subprocess, sys; "
                "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True); "
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        command = [sys.executable, "-c", code, doors.CLI, "--home", places.new()["home"], "--quiet", "call",
                   "conversation.import_transcripts", json.dumps({"home": home})]
        peak = int(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)
        limit = 128 * 1024 if "asan" not in os.environ.get("STELE_TEST_BUILD", "") else 1024 * 1024
        assert peak < limit, f"{peak} KB"


def test_long_line(places):
    """A line that is too long is counted and stepped over; the next one is read."""
    t = homes.plain(1, 1)
    giant = b'{"type":"user","uuid":"g","message":{"content":"' + b"y" * (33 << 20) + b'"}}\n'
    last = homes.Transcript(2).user("after it").lines[0]
    with some_home({"one": (f"{homes.PROJECT}/{t.id}.jsonl", t.bytes() + giant + last)}) as (home, paths), Store(places, home) as store:
        counts = store.take()
        assert counts["bad"] == 1 and counts["problems"] == [f"{paths['one']}:3: the line is longer than 32 MiB"], counts
        assert [m["content"] for m in store.rows()["sessions"][t.id]["messages"]][-1] == "after it"
        nothing_new(store.take())


ALONE = [("a foreign store", test_foreign), ("killed and gone on", test_killed), ("out of memory", test_out_of_memory),
         ("bounded memory", test_memory),
         ("a line too long", test_long_line)]


class Alone(doors.Sqlite):
    engine = "sqlite alone"


if __name__ == "__main__":
    status = run(TESTS, (doors.Sqlite(), doors.Postgres(["conversation"])))
    sys.exit(run(ALONE, (Alone(),)) or status)

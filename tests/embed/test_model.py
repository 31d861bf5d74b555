#!/usr/bin/env python3
"""stele model: importing, looking, checking; and which model is used.  Prints TAP."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from place import Place, has, main, same, test  # noqa: E402
from python import interpreter  # noqa: E402

VECTORS = "the 0.1 0.1 0.1\ncat 1 0 0\ndog 0.9 0.1 0\nheader 0 0.5 0.5\n, 1 1 1\n"


def put(place, name="vectors.txt", text=VECTORS):
    with open(place.at(name), "w", encoding="utf-8") as file:
        file.write(text)
    return place.at(name)


def vectors(place, *texts, env={}):
    return [row["vector"] for row in place.call("stele.embed_texts", {"texts": texts}, env=env).reply()]


def doctor(place, *words, env={}):
    rows = json.loads(place.run("doctor", "--json", *words, env=env).out)
    [row] = [row for row in rows if row["check"] == "embedding"]
    return row["state"], row["summary"]


@test("a model is imported into the home, from a file or through a pipe, and used at once")
def _():
    with Place() as place:
        row = place.run("model", "import", put(place), "--json").reply()
        same((row["dimension"], row["tokens"], row["left_out"], row["path"]), (3, 4, 1, os.path.join(place.home, "embedding.model")))
        same(row["model"].startswith("vectors@"), True)
        again = place.run("model", "import", "-", "--name", "vectors", "--json", text=VECTORS.encode()).reply()
        same(again, row)
        shown = place.run("model", "info")
        same(shown.status, 0)
        has(shown.out, row["model"], row["path"])
        same(place.run("model", "check").status, 0)
        same(os.stat(row["path"]).st_mode & 0o777, 0o600)
        same(len(vectors(place, "cats and dogs")[0]), 3)
        same(doctor(place), ("ok", f"texts are embedded by the model {row['model']}: 3 numbers"))


@test("embed.model names another")
def _():
    with Place() as place:
        place.run("model", "import", put(place), "--json").reply()
        place.run("model", "import", put(place, "two.txt", "cat 0 1\n"), "--to", place.at("two.model"), "--json").reply()
        same(len(vectors(place, "cat")[0]), 3)
        same(len(vectors(place, "cat", env={"STELE_EMBED_MODEL": place.at("two.model")})[0]), 2)
        row = place.run("model", "info", place.at("two.model"), "--json").reply()
        same((row["dimension"], row["tokens"]), (2, 1))


@test("a model that is not there, or damaged, is told, and by the doctor too")
def _():
    with Place() as place:
        done = place.run("model", "info")
        same((done.status, done.out), (1, ""))
        has(done.err, "no embedding model is configured", "make embeddings")
        same(doctor(place), ("ok", "no model: search goes by words alone"))
        same(doctor(place, env={"STELE_EMBED_MODEL": "/nowhere"})[0], "fail")
        path = place.run("model", "import", put(place), "--json").reply()["path"]
        with open(path, "r+b") as file:
            file.seek(-3, os.SEEK_END)
            file.write(b"!")
        same(place.run("model", "info").status, 0)
        done = place.run("model", "check")
        same(done.status, 1)
        has(done.err, "is damaged")
        same((doctor(place)[0], doctor(place, "--full")[0]), ("ok", "fail"))
        with open(path, "r+b") as file:
            file.truncate(400)
        has(place.run("model", "info").err, "400 bytes and should have")
        same(doctor(place)[0], "fail")
        same(place.run("doctor", env={"STELE_EMBED_ENDPOINT": "http://localhost:1"}).status, 1)


@test("what cannot be imported leaves what is there as it was")
def _():
    with Place() as place:
        put(place)
        place.run("model", "import", place.at("vectors.txt"), "--json").reply()
        before = place.listing()
        for text, why in (("cat 1\ndog x\n", "line 2: what should be a number is none"), ("", "has no vectors")):
            source = put(place, text=text)
            has(place.run("model", "import", source, "--json").error(2, "INVALID")["message"], why)
        put(place)
        place.run("model", "import", place.at("vectors.txt"), "--readonly", "--json").error(1, "READONLY")
        same(place.listing(), before)
        for words in (["model", "import"], ["model", "inform"], ["model", "info", "--name", "x"], ["model"]):
            same(place.run(*words).status, 2)


@test("Python says what to embed with when it opens the stores")
def _():
    with Place() as place:
        place.run("model", "import", put(place), "--to", place.at("a.model"), "--json").reply()
        program = ("import stele, sys\n"
                   "with stele.open(sys.argv[1], embedding={'model': sys.argv[2]}) as db:\n"
                   "    print(len(db.call('stele.embed_texts', texts=['cat'])[0]['vector']))\n")
        done = subprocess.run([sys.executable, "-c", program, place.home, place.at("a.model")], env=interpreter.environment(),
                              capture_output=True, text=True, timeout=60)
        same((done.stdout, done.stderr), ("3\n", ""))


if __name__ == "__main__":
    main()

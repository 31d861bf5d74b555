#!/usr/bin/env python3
"""Embedding by an endpoint on this machine that answers well, wrongly, late or not at all.  Prints TAP."""

import math
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from embed.endpoint import KEY, Answer, Endpoint, good, vector  # noqa: E402
from place import Place, has, lacks, main, same, test  # noqa: E402
from python import interpreter  # noqa: E402

PROXIES = {name: None for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")}


class Site:
    """An endpoint, and a place whose program asks it, with a key that nobody may see."""

    def __init__(self, *answers, **env):
        self.place, self.endpoint, self.env = Place(), Endpoint(*answers), env

    def __enter__(self):
        self.place.__enter__()
        self.endpoint.__enter__()
        return self

    def __exit__(self, *_):
        self.endpoint.__exit__()
        self.place.__exit__()

    def environment(self):
        return {"STELE_EMBED_ENDPOINT": self.endpoint.url, "STELE_EMBED_ENDPOINT_MODEL": "tiny", "STELE_EMBED_KEY_ENV": "SOME_KEY",
                "SOME_KEY": KEY, **PROXIES, **self.env}

    def embed(self, *texts):
        done = self.place.call("stele.embed_texts", {"texts": list(texts)}, "--json", env=self.environment())
        lacks(done.out + done.err, KEY)
        return done

    def vectors(self, *texts):
        rows = self.embed(*texts).reply()
        same({row["model"] for row in rows}, {"tiny"})
        return [row["vector"] for row in rows]

    def refused(self, *parts, code="UNAVAILABLE"):
        has(self.embed("a text", "another").error(1, code)["message"], *parts)


def unit(numbers):
    length = math.sqrt(sum(number * number for number in numbers))
    return [number / length for number in numbers]


def near(got, wanted):
    same(len(got), len(wanted))
    for a, b in zip(got, wanted):
        same([f"{number:.5f}" for number in a], [f"{number:.5f}" for number in b])


def asked(site):
    return [body["input"] for _, _, body, _ in site.endpoint.asked]


@test("texts become vectors of length one, with the model and the key that were configured")
def _():
    with Site() as site:
        near(site.vectors("banana", "x"), [unit(vector("banana")), unit(vector("x"))])
        [(path, headers, body, _)] = site.endpoint.asked
        same((path, body), ("/v1/embeddings", {"model": "tiny", "input": ["banana", "x"]}))
        same((headers["Authorization"], headers["Content-Type"]), (f"Bearer {KEY}", "application/json"))
        has(headers["User-Agent"], "stele/")


@test("an endpoint may be said with or without /v1 and /embeddings")
def _():
    for said, path in (("", "/v1/embeddings"), ("/", "/v1/embeddings"), ("/v1", "/v1/embeddings"), ("/v1/", "/v1/embeddings"),
                       ("/v1/embeddings", "/v1/embeddings"), ("/api", "/api/v1/embeddings"), ("/x/embeddings?v=1", "/x/embeddings?v=1")):
        with Site() as site:
            site.env = {"STELE_EMBED_ENDPOINT": site.endpoint.url + said}
            site.vectors("a")
            same(site.endpoint.asked[0].path, path)


@test("many texts go in batches, and those without a word are not sent")
def _():
    with Site(STELE_EMBED_BATCH="2") as site:
        got = site.vectors("a", " \n", "bb", "ccc", "", "dddd", "e")
        same(asked(site), [["a", "bb"], ["ccc", "dddd"], ["e"]])
        near(got, [unit(vector("a")), [0, 0, 0], unit(vector("bb")), unit(vector("ccc")), [0, 0, 0], unit(vector("dddd")), unit(vector("e"))])


@test("vectors are taken in the order of their index, and without one in the order of the answer")
def _():
    with Site(Answer(lambda texts: {"data": good(texts)["data"][::-1]})) as site:
        near(site.vectors("a", "bb", "ccc"), [unit(vector(text)) for text in ("a", "bb", "ccc")])
    with Site(Answer(lambda texts: {"data": [{"embedding": vector(text)} for text in texts]})) as site:
        near(site.vectors("a", "bb"), [unit(vector("a")), unit(vector("bb"))])


@test("a text that is too long is cut, between characters")
def _():
    with Site() as site:
        site.vectors("x" + "\u00e4" * 20000)
        [[sent]] = asked(site)
        same(sent, "x" + "\u00e4" * 11999)


@test("asked too often: it is asked again after the time that it said")
def _():
    with Site(Answer({"error": {"message": "slow down"}}, 429, Retry_After="1"), Answer()) as site:
        site.vectors("a")
        first, second = (at for _, _, _, at in site.endpoint.asked)
        same(second - first >= 1, True)
    with Site(Answer({"error": {"message": "slow down"}}, 429, Retry_After="3600")) as site:
        site.refused("wants to be left alone for 3600 s")
        same(len(site.endpoint.asked), 1)


@test("out of order: it is asked again, a few times")
def _():
    with Site(Answer(b"oh", 500), Answer(b"", 502), Answer()) as site:
        site.vectors("a")
        same(len(site.endpoint.asked), 3)
    with Site(Answer({"error": "broken"}, 500)) as site:
        site.refused("the endpoint answered 500: broken")
        same(len(site.endpoint.asked), 4)
    with Site(Answer(cut=True), Answer()) as site:
        site.vectors("a")
        same(len(site.endpoint.asked), 2)


@test("what it refuses is not asked again, and its words are told, without the key")
def _():
    with Site(Answer({"error": {"message": "no such model\n: tiny"}}, 404)) as site:
        site.refused("the endpoint answered 404: no such model : tiny")
        same(len(site.endpoint.asked), 1)
    with Site(Answer({"error": {"message": f"wrong key {KEY}"}}, 401)) as site:
        site.refused("the endpoint answered 401")
    with Site(Answer(b"<html>", 403)) as site:
        site.refused("the endpoint answered 403")


@test("an answer that cannot be used is not used")
def _():
    for body, why in (
            (b'{"data":[', "not JSON"), (b"", "not JSON"), (b'{"data":[]} x', "not JSON"), ({}, "its answer has no data"),
            ({"data": {}}, "its answer has no data"), ({"data": []}, "0 vectors for 2 texts"),
            (lambda texts: {"data": good(texts)["data"][:1]}, "1 vectors for 2 texts"),
            (lambda texts: {"data": good(texts)["data"] * 2}, "two vectors for one text"),
            ({"data": [{"index": 7, "embedding": [1]}]}, "a text that was not sent"),
            ({"data": [{"index": -1, "embedding": [1]}]}, "a text that was not sent"),
            ({"data": [{"index": 0, "embedding": []}]}, "not an array of finite numbers"),
            ({"data": [{"index": 0, "embedding": "AAAA"}]}, "not an array of finite numbers"),
            ({"data": [{"index": 0}]}, "not an array of finite numbers"),
            (b'{"data":[{"index":0,"embedding":[1,NaN]},{"index":1,"embedding":[1,1]}]}', "finite numbers"),
            (b'{"data":[{"index":0,"embedding":[1,1e39]},{"index":1,"embedding":[1,1]}]}', "finite numbers"),
            ({"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1, 2, 3]}]}, "a vector of 3 numbers, and before with one of 2")):
        with Site(Answer(body)) as site:
            site.refused("the endpoint", why)
            same(len(site.endpoint.asked), 1)


@test("an answer that is too late, or too long, or none is told")
def _():
    with Site(Answer(late=600), STELE_EMBED_TIMEOUT="200ms") as site:
        begun = time.monotonic()
        site.refused("the endpoint gave no answer: Timeout")
        same(time.monotonic() - begun < 250, True)
    with Site(Answer(b'{"data":[' + b" " * (4 << 20))) as site:
        site.refused("the reply is longer than")
        same(len(site.endpoint.asked), 1)
    with Site() as site:
        site.endpoint.leave()
        site.refused("the endpoint gave no answer: ")


@test("a key goes over TLS or stays on this machine; what is missing is told")
def _():
    for env, why in (({"STELE_EMBED_ENDPOINT": "http://192.0.2.1/v1"}, "must be https://..., or http:// on this machine"),
                     ({"STELE_EMBED_ENDPOINT": "ftp://localhost/"}, "must be an address"),
                     ({"STELE_EMBED_ENDPOINT_MODEL": None}, "embed.endpoint_model must say which model")):
        with Site() as site:
            site.env = env
            site.refused(why, code="UNSUPPORTED")
            same(site.endpoint.asked, [])
    with Site(SOME_KEY=None) as site:
        site.vectors("a")
        same("Authorization" in site.endpoint.asked[0].headers, False)


@test("which endpoint it is can be seen without asking it")
def _():
    with Site() as site:
        row = site.place.run("model", "info", "--json", env=site.environment()).reply()
        same((row["kind"], row["path"], row["model"], row["dimension"]), ("endpoint", site.endpoint.url, "tiny", None))
        same(site.endpoint.asked, [])


CANCELLED = """
import asyncio, sys
import stele.aio

async def main():
    embedding = {"endpoint": sys.argv[2], "endpoint_model": "tiny"}
    async with stele.aio.open(sys.argv[1], embedding=embedding) as db:
        call = asyncio.ensure_future(db.call("stele.embed_texts", texts=["a"]))
        await asyncio.to_thread(sys.stdin.read)  # until it is asked
        call.cancel()
        try:
            await call
        except asyncio.CancelledError:
            print("cancelled")

asyncio.run(main())
"""


@test("a call that waits for an answer can be cancelled, and one that waits to ask again")
def _():
    for answer in (Answer(late=600), Answer({}, 429, Retry_After="50")):
        with Site(answer) as site:
            begun = time.monotonic()
            process = subprocess.Popen([sys.executable, "-c", CANCELLED, site.place.home, site.endpoint.url], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, env={**interpreter.environment(), "no_proxy": "127.0.0.1"})
            while not site.endpoint.asked and process.poll() is None:
                time.sleep(0.01)
            out, _ = process.communicate(b"", timeout=250)
            same((out, time.monotonic() - begun < 250), (b"cancelled\n", True))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Questions to a language model on this machine that answers well, wrongly, late or not at all.  Prints TAP."""

import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from chat.endpoint import KEY, MODEL, Answer, Endpoint, said  # noqa: E402
from place import Place, has, lacks, main, same, test  # noqa: E402

CONVERSE = os.environ["STELE_TEST_CONVERSE"]
ENVIRONMENT = {**os.environ, "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"}


def converse(verb, endpoint, text="is it?", model=MODEL, key=KEY, timeout=20000, retries=3, tokens=100, stop_after=-1, may_send=-1, path=""):
    url = endpoint if isinstance(endpoint, str) else endpoint.url + path
    words = [verb, url, model, key, timeout, retries or -1, tokens, stop_after, may_send]
    done = subprocess.run([CONVERSE, *map(str, words)], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT,
                          timeout=120)
    same(done.stderr, b"")
    lacks(done.stdout.decode(), KEY)
    return json.loads(done.stdout) if done.returncode == 0 else {"end": "unopened", "problem": done.stdout.decode()}


def ask(endpoint, *args, **more):
    return converse("ask", endpoint, *args, **more)


def check(endpoint, **more):
    return converse("check", endpoint, **more)


@test("a question is sent with the model and the key, and what the model says comes back, with what it took")
def _():
    with Endpoint(Answer("it is \u00e4 \U0001f600")) as endpoint:
        got = ask(endpoint)
        same((got["end"], got["text"], got["cut"], got["prompt_tokens"], got["completion_tokens"], got["sent"]),
             ("answered", "it is \u00e4 \U0001f600", False, 11, 7, 1))
        [asked] = endpoint.asked
        same(asked.path, "/v1/chat/completions")
        same(asked.body, {"model": MODEL, "messages": [{"role": "system", "content": "Answer."}, {"role": "user", "content": "is it?"}],
                          "max_tokens": 100, "temperature": 0, "stream": False})
        same((asked.headers["Authorization"], asked.headers["Content-Type"]), (f"Bearer {KEY}", "application/json"))


@test("an endpoint may be said with or without /v1 and /chat/completions, and is then asked for its models there, too")
def _():
    for path, base in (("", "/v1"), ("/v1/", "/v1"), ("/v1/chat/completions", "/v1"), ("/api", "/api/v1"), ("/x/chat/completions?v=1", "/x")):
        with Endpoint() as endpoint:
            ask(endpoint, path=path)
            check(endpoint, path=path)
            query = "?v=1" if "?" in path else ""
            same([asked.path for asked in endpoint.asked], [f"{base}/chat/completions{query}", f"{base}/models{query}"])


@test("tokens that are not told are estimated; an answer that was cut off says so")
def _():
    with Endpoint(Answer(said("x" * 30, "length", usage=None))) as endpoint:
        got = ask(endpoint, "y" * 293)
        same((got["end"], got["cut"], got["prompt_tokens"], got["completion_tokens"]), ("answered", True, 100, 10))


@test("asked too often: it is asked again after the time that it said, and not again if that is too long")
def _():
    for status in (429, 503):
        with Endpoint(Answer({"error": {"message": "slow down"}}, status, Retry_After="1"), Answer("yes")) as endpoint:
            same(ask(endpoint)["end"], "answered")
            first, second = (asked.at for asked in endpoint.asked)
            same(second - first >= 1, True)
        with Endpoint(Answer({"error": {"message": "slow down"}}, status, Retry_After="3600")) as endpoint:
            got = ask(endpoint)
            has(got["problem"], "wants to be left alone for 3600 s")
            same((got["end"], got["sent"]), ("away", 1))


@test("out of order, or cut off: it is asked again so often as was said, and no more")
def _():
    for trouble in (Answer(b"oh", 500), Answer("yes", cut=True)):
        with Endpoint(trouble, trouble, Answer("yes")) as endpoint:
            same(ask(endpoint)["end"], "answered")
        for retries in (0, 2):
            with Endpoint(trouble) as endpoint:
                got = ask(endpoint, retries=retries)
                same((got["end"], got["sent"], len(endpoint.asked)), ("broken", retries + 1, retries + 1))


@test("what is not there, does not let us in, or stays busy is away; what will not have the question refuses it")
def _():
    for status, end in ((401, "away"), (403, "away"), (404, "away"), (429, "away"), (503, "away"), (502, "away"), (400, "refused"),
                        (413, "refused"), (422, "refused"), (504, "broken")):
        with Endpoint(Answer({"error": {"message": f"no: {KEY}"}}, status)) as endpoint:
            got = ask(endpoint, retries=0)
            same((status, got["end"]), (status, end))
            has(got["problem"], f"the endpoint answered {status}")
    with Endpoint() as endpoint:
        endpoint.leave()
        same(ask(endpoint, retries=1)["end"], "away")


@test("a model that never answers is given up in time; one that thinks for long is waited for")
def _():
    with Endpoint(Answer("late", late=600)) as endpoint:
        began = time.monotonic()
        got = ask(endpoint, timeout=300, retries=0)
        same((got["end"], time.monotonic() - began < 250), ("broken", True))
        has(got["problem"], "gave no answer: Timeout")
    with Endpoint(Answer("at last", late=2)) as endpoint:
        same(ask(endpoint)["text"], "at last")


@test("it can be stopped while it waits for an answer, and while it waits to ask again; and no request is sent that may not be")
def _():
    for answer in (Answer("late", late=600), Answer({}, 429, Retry_After="50")):
        with Endpoint(answer) as endpoint:
            began = time.monotonic()
            got = ask(endpoint, timeout=600000, stop_after=300)
            same((got["end"], got["problem"], time.monotonic() - began < 250), ("stopped", "it was stopped", True))
    with Endpoint(Answer(b"", 500)) as endpoint:
        same((ask(endpoint, may_send=2)["end"], len(endpoint.asked)), ("stopped", 2))
        same((ask(endpoint, may_send=0)["end"], len(endpoint.asked)), ("stopped", 2))


@test("an answer that cannot be used, or is too long, is not used")
def _():
    choice = said("yes")["choices"][0]
    for body, why in ((b'{"choices":[', "not JSON"), (b"", "not JSON"), (b'{"choices":[]} x', "not JSON"), ({}, "no choices"), ({"choices": []}, "no choices"),
                      ({"choices": {}}, "no choices"), ({"choices": [5]}, "no text"), ({"choices": [{"message": {"content": None}}]}, "no text"),
                      ({"choices": [{**choice, "message": {"content": ""}, "finish_reason": "length"}]}, "chat.answer_tokens"),
                      ({"choices": [{"message": {"content": 7}}]}, "no text")):
        with Endpoint(Answer(body)) as endpoint:
            got = ask(endpoint)
            same((got["end"], got["text"], len(endpoint.asked)), ("broken", "", 1))
            has(got["problem"], "the endpoint cannot be used: ", why)
    with Endpoint(Answer("x" * (1 << 20))) as endpoint:
        got = ask(endpoint)
        same((got["end"], len(endpoint.asked)), ("refused", 1))
        has(got["problem"], "longer than")


@test("a model that will not be told its temperature, or knows the newer word only, is asked as it wishes")
def _():
    def picky(question):
        if "max_tokens" in question:
            return {"error": {"message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}
        if "temperature" in question:
            return {"error": {"message": "'temperature' does not support 0 with this model."}}
        return said("yes")

    class Picky(Endpoint):
        def choose(self, asked):
            return Answer(picky, 200 if "choices" in picky(asked.body) else 400)

    with Picky() as endpoint:
        got = ask(endpoint)
        same((got["end"], got["sent"]), ("answered", 3))
        same(endpoint.asked[-1].body["max_completion_tokens"], 100)


@test("whether it is there and knows the model can be asked beforehand")
def _():
    for models, model, end, name in (((MODEL,), MODEL, "answered", MODEL), (("other",), MODEL, "away", MODEL), (("llama3.2:latest",), "llama3.2", "answered", "llama3.2"),
                                     (("llama3.2:latest",), "llama3", "away", "llama3"), (("nomic-embed-text", "qwen"), "", "answered", "qwen"),
                                     (("Text-EMBEDDING-3",), "", "away", ""), ((), "", "away", ""), (None, MODEL, "answered", MODEL), (None, "", "away", "")):
        with Endpoint(models=models) as endpoint:
            got = check(endpoint, model=model)
            same((models, model, got["end"], got["model"]), (models, model, end, name))
            if models == ("other",):
                has(got["problem"], f"does not know the model {MODEL}; it has: other")
    with Endpoint(models=[f"m{n}" for n in range(9)]) as endpoint:
        has(check(endpoint)["problem"], "it has: m0, m1, m2, m3, m4, ...")
    with Endpoint(models=Answer(b"<html>")) as endpoint:
        has(check(endpoint)["problem"], "no list of models")
    with Endpoint() as endpoint:
        endpoint.leave()
        got = check(endpoint, retries=0)
        same(got["end"], "away")
        has(got["problem"], "gave no answer")


@test("a key goes over TLS or stays on this machine")
def _():
    has(ask("http://192.0.2.1/v1")["problem"], "chat.endpoint must be https://..., or http:// on this machine")
    has(ask("ftp://localhost/")["problem"], "chat.endpoint must be an address")


@test("which model is configured can be seen, and asked")
def _():
    with Place() as place, Endpoint() as endpoint:
        env = {"STELE_CHAT_ENDPOINT": endpoint.url, "STELE_CHAT_KEY_ENV": "SOME_KEY", "SOME_KEY": KEY, "no_proxy": "127.0.0.1", "http_proxy": None}
        row = place.call("stele.chat_model", {}, "--json", env=env).reply()
        same(row, {"endpoint": endpoint.url, "model": None, "reached": None, "problem": None})
        same(endpoint.asked, [])
        row = place.call("stele.chat_model", {"check": True}, "--json", env=env).reply()
        same(row, {"endpoint": endpoint.url, "model": MODEL, "reached": True, "problem": None})
        row = place.call("stele.chat_model", {"check": True}, "--json", env={**env, "STELE_CHAT_MODEL": "none"}).reply()
        same((row["reached"], row["problem"]), (False, f"the endpoint does not know the model none; it has: {MODEL}"))
        row = place.call("stele.chat_model", {"check": True}, "--json").reply()
        same(row, {"endpoint": None, "model": None, "reached": None, "problem": "no language model is configured: chat.endpoint names one"})


if __name__ == "__main__":
    main()

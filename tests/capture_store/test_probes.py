#!/usr/bin/env python3
"""Probes are kept, and nobody sees them: whatever the registry declares that can take one in is given one, and whatever
reads is asked for it.  Prints TAP."""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method import workload  # noqa: E402
from method.engines import on_each  # noqa: E402
from place import has, lacks, main, same  # noqa: E402

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))
PROBE, REAL = "zq7probe", "zq7real"
TIME = 1790000000000  # after every time of the workload
READS = 40  # of each method, with other arguments

both = on_each("capture")


def queues():
    with open(os.path.join(SOURCE, "sql", "capture", "schema.sql"), encoding="utf-8") as schema:
        return re.findall(r"^CREATE TABLE IF NOT EXISTS (\w+_queue)", schema.read(), re.MULTILINE)


def is_empty(tables):
    """Statements that fail if one of the tables has a row."""
    return "".join(f"CREATE TEMP TABLE no_{table} (rows BIGINT CHECK (rows = 0)); "
                   f"INSERT INTO no_{table} SELECT COUNT(*) FROM {table}; DROP TABLE no_{table};\n" for table in tables)


def value(param, text):
    if "choices" in param:
        return param["choices"][0]
    if param.get("list"):
        return [text]
    fixed = {"text": text, "uuid": text, "query": text, "content": text, "int": 5, "real": 0.5, "bool": False, "time": TIME,
             "duration": 60, "json": {"TERM": text}, "jsontext": [text]}
    return fixed[param["type"]]


def arguments(method, text):
    return {param["name"]: value(param, text) for param in method["params"]}


def takes_probe(method):
    return method["access"] == "write" and any(param["name"] == "probe_tag" for param in method["params"])


def take_in(store, text, probe):
    """Write a row through every way in, alone and in a list, with that text wherever there can be one."""
    methods = {each["name"]: each for each in store.methods()}
    ways = [name for name in methods if takes_probe(methods[name])]
    written = 0

    def row(name, number):
        made = {**arguments(methods[name], text), "probe_tag": text if probe else None}
        for key in ("envelope_id", "session_id", "terminal"):
            if key in made:
                made[key] = f"{text}-{number}"
        return made

    for name in ways:
        for harness in ("claude-code", "codex"):
            made = row(name, written)
            store(name.partition(".")[2], **{**made, **({"harness": harness} if "harness" in made else {})})
            written += 1
    for name, method in methods.items():
        for param in method["params"]:
            if param.get("record") in ways:
                store(name.partition(".")[2], **{param["name"]: [row(param["record"], written)]})
                written += 1
    return ways


def upkeep(store):
    """Call everything that writes and needs to be told nothing: sweeps, counts, reaping."""
    for method in store.methods():
        if method["access"] == "write" and all(param.get("optional") or "default" in param for param in method["params"]):
            lacks(json.dumps(store(method["name"].partition(".")[2])), PROBE)


@both("no probe waits to be learned from")
def _(store):
    ways = take_in(store, PROBE, probe=True)
    same({"capture.insert_event", "capture.insert_browser_event", "capture.upsert_segment"} - set(ways), set())
    upkeep(store)
    store.sql(is_empty(queues()))


@both("what is not a probe does")
def _(store):
    take_in(store, REAL, probe=False)
    for queue in ("enrichment_queue", "browser_enrichment_queue", "agentic_enrichment_queue"):
        try:
            store.sql(is_empty([queue]))
        except Exception:
            continue
        raise AssertionError(f"{queue} is empty")


@both("no method that reads shows a probe, whatever it is asked")
def _(store):
    take_in(store, PROBE, probe=True)
    take_in(store, REAL, probe=False)
    methods = store.methods()
    texts = {param["name"]: [PROBE, REAL, f"{PROBE}-0", f"{REAL}-0", "zq7"] for each in methods for param in each["params"]}
    made = workload.Workload(methods, "capture", 7, texts)
    seen = ""
    for method in methods:
        if method["access"] != "read":
            continue
        for _ in range(READS):
            word, reply = store.player.call(method["name"], json.dumps(made.arguments(method)))
            if word == "ok":
                told = json.dumps(reply)
                assert PROBE not in told, f"{method['name']} shows a probe: {told[:400]}"
                seen += told if REAL in told else ""
    has(seen, '"command"', '"url"', '"segment_index"', '"terminal"')  # there was something to see


if __name__ == "__main__":
    sys.exit(main())

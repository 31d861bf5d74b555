#!/usr/bin/env python3
"""How well rules find what there is to find: precision and recall on a labelled sample.  Prints TAP, and the figures."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture_store.enrich_sample import NAMES, SAMPLE  # noqa: E402
from method.engines import on_each  # noqa: E402
from place import main, same  # noqa: E402

both = on_each("capture")
HOUR = 3600 * 1000
NOW = 1_000_000 * HOUR
TYPES = dict(zip(("project", "tool", "file", "service", "concept", "env_var", "domain", "repo", "host"), NAMES))
PRECISION, RECALL, OUTCOMES = 0.95, 0.9, 0.95  # at least


def shell(store, number, each):
    for at, (command, status, stdout, stderr) in enumerate(each["commands"]):
        store("insert_event", terminal=f"t{number}", timestamp=number * HOUR + at * 1000, now=number * HOUR, command=command, exit_code=status, stdout=stdout,
              stderr=stderr, cwd=each["cwd"], git_repo=each["repo"], hostname="h", shell="zsh", duration_ms=500)


def agentic(store, number, each):
    answers = "".join(f"- {answer}\n" for answer in each["answers"])
    store("upsert_segment", session_id=f"s{number}", harness="claude-code", project_dir="p", cwd=each["cwd"], summary_text=f"Session\n\nAnswers:\n{answers}",
          tool_calls_json=[{"name": name, "summary": summary} for name, summary in each["calls"]], user_prompts_json=each["prompts"],
          commit_messages_json=each["commits"], message_count=5, start_time=number * HOUR, end_time=number * HOUR, now=number * HOUR)


def browser(store, number, each):
    store("insert_browser_event", timestamp=number * HOUR, now=number * HOUR, url=each["url"], title=each["title"], domain=each["url"].split("/")[2],
          dwell_ms=60000, scroll_depth=0.5, search_query=each["query"], extracted_text=each["text"])


def workflow(store, number, each):
    store("upsert_workflow_run", id=number, repo=each["repo"], head_sha=f"{number:040x}", event="push", status="completed", conclusion=each["conclusion"],
          started_at=number * HOUR, html_url="u", raw_json={}, now=number * HOUR)
    for place, (name, conclusion) in enumerate(each["jobs"]):
        store("upsert_workflow_job", id=number * 100 + place, run_id=number, name=name, status="completed", conclusion=conclusion, raw_json={})
    last = number * 100 + len(each["jobs"]) - 1
    store("replace_annotations", job_id=last, annotations=[dict(zip(("level", "tool", "rule_id", "path", "start_line", "message"), finding))
                                                           for finding in each["findings"]])
    if each["log"]:
        store("put_log_excerpt", job_id=last, excerpt=each["log"])
    store("enqueue_workflow_run", id=number, now=number * HOUR)


WRITE = {"shell": shell, "agentic": agentic, "browser": browser, "workflow": workflow}


def learn(store, number, each):
    """What would be learned from one of the sample: (outcome, {list: [names]})"""
    WRITE[each["kind"]](store, number, each)
    bundles = store("enrich", queue=each["kind"], dry_run=True, batch=100, now=NOW)["bundles"]
    same(len(bundles), 1)
    node = bundles[0]["node"]
    found = {name: [] for name in NAMES}
    for entity in node["entities"]:
        found[TYPES[entity["type"]]].append(entity["name"])
    store("enrich", queue=each["kind"], batch=100, now=NOW)
    return node["content"]["outcome"], found


def compare(each, outcome, found, counts):
    for name in NAMES:
        expected = {one.lower() for one in each["names"][name]}
        got = {one.lower() for one in found[name]}
        for what, these in (("right", got & expected), ("wrong", got - expected), ("missed", expected - got)):
            counts.setdefault(name, {}).setdefault(what, 0)
            counts[name][what] += len(these)
            if what != "right" and these:
                print(f"# {what} {name}: {sorted(these)} in {each.get('commands') or each.get('prompts') or each.get('url') or each.get('repo')}")
    if outcome != each["outcome"]:
        print(f"# outcome {outcome}, not {each['outcome']}: {each.get('commands') or each.get('answers') or each.get('repo')}")


@both("entities and outcomes of the sample")
def _(store):
    counts, outcomes = {}, 0
    for number, each in enumerate(SAMPLE, 1):
        outcome, found = learn(store, number, each)
        outcomes += outcome == each["outcome"]
        compare(each, outcome, found, counts)
    total = {what: sum(of[what] for of in counts.values()) for what in ("right", "wrong", "missed")}
    for name, of in [*counts.items(), ("all", total)]:
        print(f"# {name}: precision {of['right'] / max(1, of['right'] + of['wrong']):.3f}, recall {of['right'] / max(1, of['right'] + of['missed']):.3f} "
              f"({of['right']} right, {of['wrong']} wrong, {of['missed']} missed)")
    print(f"# outcomes: {outcomes} of {len(SAMPLE)} right")
    same(len(SAMPLE) >= 60, True)
    same(total["right"] / (total["right"] + total["wrong"]) >= PRECISION, True)
    same(total["right"] / (total["right"] + total["missed"]) >= RECALL, True)
    same(outcomes / len(SAMPLE) >= OUTCOMES, True)


if __name__ == "__main__":
    sys.exit(main())

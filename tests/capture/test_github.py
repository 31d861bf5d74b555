#!/usr/bin/env python3
"""stele gh-poll and watch-sha, against a forge on this machine.  Prints TAP."""

import contextlib
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture.forge import REPO, SHA, TOKEN, Answer, Forge, job, note, run  # noqa: E402
from place import BIN, Database, Place, has, lacks, main, postgres_test, same, test  # noqa: E402

LIMIT = 240  # seconds: a busy machine is slow, not wrong
RUNS = f"/repos/{REPO}/actions/runs"


class Site:
    """A forge, and a place whose program asks it: without waiting, and with a token that nobody may see."""

    def __init__(self, database=None):
        self.place, self.forge, self.database = Place(), Forge(), database

    def __enter__(self):
        self.place.__enter__()
        self.forge.__enter__()
        return self

    def __exit__(self, *_):
        self.forge.__exit__()
        self.place.__exit__()

    def environment(self, more):
        return {"STELE_GITHUB_TOKEN": TOKEN, "STELE_GITHUB_API_URL": self.forge.url, "STELE_GITHUB_LONGEST_WAIT": "0s",
                "STELE_GITHUB_TIGHT_POLL_INTERVAL_SECS": "1ms", "http_proxy": None, "HTTP_PROXY": None, "all_proxy": None,
                "ALL_PROXY": None, "GITHUB_TOKEN": None, "HIPPO_GITHUB_TOKEN": None,
                "STELE_DATABASE_URL": self.database, **more}

    def run(self, *words, env={}):
        done = self.place.run(*words, env=self.environment(env))
        lacks(done.out + done.err, TOKEN)
        return done

    def poll(self, **more):
        return self.run("gh-poll", "--repo", REPO, "--json", **more)

    def call(self, method, **arguments):
        return self.run("call", f"capture.{method}", json.dumps(arguments)).reply()

    def status(self):
        return self.call("get_ci_status", repo=REPO, sha=SHA)

    def waiting(self):
        return [ticket["id"] if "id" in ticket else ticket for ticket in self.call("list_queue", queue="workflow")]

    def health(self):
        [row] = self.call("list_source_health", source="workflow")
        return row


def take_all(site):
    site.forge.failing(log=b"x" * 10 + b"\nthe end\n", notes=[
        note("F401 `os` imported but unused"), note("plain", level="warning", path="README.md", line=None)])
    same(site.poll().reply(), {"runs": 1, "new": 1, "fetched": 1})
    [found] = site.status()
    same((found["id"], found["conclusion"], found["head_branch"], found["actor"]), (70, "failure", "main", "ada"))
    same((found["started_at"], found["completed_at"]), (1772359200000, 1772359500000))
    [lint] = found["jobs"]
    same(lint["annotations"], [
        {"level": "failure", "tool": "ruff", "rule_id": "F401", "path": "src/app/main.py", "start_line": 3, "message": "F401 `os` imported but unused"},
        {"level": "warning", "tool": None, "rule_id": None, "path": "README.md", "start_line": None, "message": "plain"}])
    same(site.call("list_log_excerpts", run_id=70),
         [{"job_id": 700, "job": "lint", "step_name": None, "excerpt": "xxxxxxxxxx\nthe end\n", "truncated": False}])
    same(len(site.waiting()), 1)
    same(site.health()["consecutive_failures"], 0)
    for _, headers, _, _ in site.forge.asked:
        same(headers["Authorization"], f"Bearer {TOKEN}")
        has(headers["User-Agent"], "stele/")


@test("a run that failed comes with its jobs, what they found and their logs, and waits to be learned from")
def _():
    with Site() as site:
        take_all(site)


@postgres_test("the same on PostgreSQL")
def _():
    with Database() as database, Site(database.url) as site:
        take_all(site)


@test("what is there is not fetched again, unless it was run again")
def _():
    with Site() as site:
        site.forge.failing()
        site.poll().reply()
        same(site.poll().reply(), {"runs": 1, "new": 0, "fetched": 0})
        same(len(site.forge.asked), 5)
        site.forge.runs([run(updated_at="2026-03-01T11:00:00Z")])
        same(site.poll().reply(), {"runs": 1, "new": 0, "fetched": 1})


@test("a run that goes on is written, and only that")
def _():
    with Site() as site:
        site.forge.runs([run(status="in_progress")])
        same(site.poll().reply(), {"runs": 1, "new": 1, "fetched": 0})
        same(site.waiting(), [])
        same(site.forge.paths(), [RUNS + "?per_page=20"])


@test("jobs and annotations come in pages")
def _():
    with Site() as site:
        site.forge.runs([run()])
        jobs = [job(1000 + n, f"job {n}", "success") for n in range(103)]
        site.forge.on(RUNS + "/70/jobs", Answer({"jobs": jobs[:100]}), Answer({"jobs": jobs[100:]}))
        site.forge.on(f"/repos/{REPO}/check-runs/1000/annotations", Answer([note(f"n{n}") for n in range(100)]), Answer([note("last")]))
        site.poll().reply()
        [found] = site.status()
        same(len(found["jobs"]), 103)
        has(" ".join(site.forge.paths()), "/70/jobs?per_page=100&page=2", "/check-runs/1000/annotations?per_page=100&page=2")
        lacks(" ".join(site.forge.paths()), "/logs")


@test("which tool found something, and by which rule")
def _():
    with Site() as site:
        jobs = [job(1, "build"), job(2, "Ruff"), job(3, "types"), job(4, "pyright"), job(5, "tests")]
        found = {1: ["error[E0308]: mismatched types", "error[E03]: no"], 2: ["a.py:1: E501 too long", "XE501x"],
                 3: ["Incompatible types  [arg-type]", "[not] at the end"], 4: ["bad (x) [reportGeneralTypeIssues]"],
                 5: ["FAILED tests/a.py::test_b - assert", "something else"]}
        site.forge.runs([run()])
        site.forge.on(RUNS + "/70/jobs", Answer({"jobs": jobs}))
        for number, messages in found.items():
            site.forge.on(f"/repos/{REPO}/check-runs/{number}/annotations", Answer([note(text) for text in messages]))
        site.poll().reply()
        [told] = site.status()
        same([(one["tool"], one["rule_id"]) for each in told["jobs"] for one in each["annotations"]],
             [("cargo", "E0308"), (None, None), ("ruff", "E501"), (None, None), ("mypy", "arg-type"), ("mypy", "not"),
              ("pyright", "reportGeneralTypeIssues"), ("pytest", None), (None, None)])


@test("what goes wrong again is a lesson; ten of a run count")
def _():
    with Site() as site:
        site.forge.failing(notes=[note("F401 unused", path=f"src/p{n}/a/b.py") for n in range(12)])
        site.poll().reply()
        same(site.call("get_lessons", repo=REPO), [])
        site.forge.runs([run(updated_at="2026-03-01T11:00:00Z")])
        site.poll().reply()
        lessons = site.call("get_lessons", repo=REPO, limit=50)
        same(sorted(lesson["path_prefix"] for lesson in lessons), sorted(f"src/p{n}/" for n in range(10)))
        same({(lesson["tool"], lesson["rule_id"], lesson["occurrences"]) for lesson in lessons}, {("ruff", "F401", 2)})


@test("secrets are taken out of everything that is kept")
def _():
    secret = "ghp_" + "a1B2" * 9
    with Site() as site:
        site.forge.failing(log=f"export GH={secret}\n".encode(), notes=[note(f"token {secret} is wrong", path=f"a/{secret}")])
        site.forge.runs([run(name=f"deploy {secret}", head_branch=secret, display_title=secret)])
        site.forge.on(RUNS + "/70/jobs", Answer({"jobs": [job(name=f"with {secret}", steps=[{"name": secret}])]}))
        site.poll().reply()
        with open(site.place.at("home", "capture.db"), "rb") as file:
            lacks(file.read().decode("latin-1"), secret, TOKEN)
        lacks(json.dumps(site.status() + site.call("list_log_excerpts", run_id=70) + site.call("timeline")), secret)


@test("of a long log the last 50 KiB are kept, from a whole line on; bytes that are no text do no harm")
def _():
    with Site() as site:
        lines = b"".join(b"%07d \xff\x00\n" % n for n in range(200000))
        site.forge.failing(log=lines)
        site.poll().reply()
        [log] = site.call("list_log_excerpts", run_id=70)
        same(log["truncated"], True)
        assert 40000 < len(log["excerpt"]) <= 51200, len(log["excerpt"])
        assert log["excerpt"].endswith("0199999 \ufffd \n"), log["excerpt"][-40:]
        same(log["excerpt"].index(" "), 7)


@test("logs that are gone, empty or an archive are left out")
def _():
    for answer in (Answer(b"", 410), Answer(b"", 404), Answer(b""), Answer(b"PK\3\4 and so on")):
        with Site() as site:
            site.forge.failing()
            site.forge.on(f"/repos/{REPO}/actions/jobs/700/logs", answer)
            site.poll().reply()
            same(site.call("list_log_excerpts", run_id=70), [])
            same(len(site.waiting()), 1)


@test("a redirect of a log is followed without the token; one of anything else is not")
def _():
    with Site() as site, Forge() as elsewhere:
        site.forge.failing()
        elsewhere.on("/blob", Answer(b"from elsewhere\n"))
        site.forge.on(f"/repos/{REPO}/actions/jobs/700/logs", Answer(b"", 302, Location=f"{elsewhere.url}/blob?sig=1"))
        site.poll().reply()
        same([log["excerpt"] for log in site.call("list_log_excerpts", run_id=70)], ["from elsewhere\n"])
        [(path, headers, _, _)] = elsewhere.asked
        same((path, "Authorization" in headers), ("/blob?sig=1", False))
        site.forge.on(RUNS, Answer(b"", 302, Location=f"{elsewhere.url}/runs"))
        site.poll().error(1, "UNAVAILABLE")
        same(len(elsewhere.asked), 1)


@test("a redirect that leaves this machine without TLS, or never ends, is not followed")
def _():
    with Site() as site:
        site.forge.failing()
        log = f"/repos/{REPO}/actions/jobs/700/logs"
        for location in ("http://forge.invalid/log", "file:///etc/passwd", f"{site.forge.url}{log}"):
            site.forge.on(log, Answer(b"", 302, Location=location))
            site.poll().error(1, "UNAVAILABLE")
        same(site.waiting(), [])


@test("a list that is as it was is not read again")
def _():
    with Site() as site:
        site.forge.etag = '"v1"'
        site.forge.runs([run(status="queued")])
        done = site.run("watch-sha", SHA, "--repo", REPO, "--ttl", "1s", "--json", env={"STELE_GITHUB_TIGHT_POLL_INTERVAL_SECS": "200ms"})
        same((done.status, json.loads(done.out)["state"]), (1, "running"))
        [first, *others] = [headers.get("If-None-Match") for _, headers, _, _ in site.forge.asked]
        same((first, set(others)), (None, {'"v1"'}))


@test("who asks too often waits as long as the forge says, and asks again")
def _():
    soon = str(int(time.time()) + 990)  # in 900 to 999 seconds, unless this takes minutes
    for limit, rest in ((Answer({"message": "slow down"}, 429, Retry_After="7"), " 7 s"), (Answer({}, 429), " 60 s"),
                        (Answer({"message": "API rate limit exceeded"}, 403), " 60 s"),
                        (Answer({}, 403, X_RateLimit_Remaining="0", X_RateLimit_Reset=soon), " 9"),
                        (Answer({}, 403, Retry_After="nonsense", X_RateLimit_Remaining="0", X_RateLimit_Reset="1"), " 0 s")):
        with Site() as site:
            site.forge.runs([run(status="queued")])
            site.forge.answers[RUNS].insert(0, limit)
            done = site.poll()
            same((done.status, json.loads(done.out)["runs"]), (0, 1))
            has(done.err, f"asked too often, and should rest for{rest}", ": waiting for 0 s")


@test("no wait is longer than it may be")
def _():
    with Site() as site:
        site.forge.runs([run(status="queued")])
        site.forge.answers[RUNS].insert(0, Answer({}, 429, Retry_After="86400"))
        done = site.poll(env={"STELE_GITHUB_LONGEST_WAIT": "1s"})
        same(done.status, 0)
        has(done.err, "waiting for 1 s")


@test("after eight waits it gives up, and the source's health tells")
def _():
    with Site() as site:
        site.forge.on(RUNS, Answer({}, 429))
        done = site.poll()
        same((done.status, len(site.forge.asked)), (1, 9))
        has(done.err, "the forge answered 429")
        has(site.health()["last_error_msg"], f"{REPO}: ", "429")
        site.forge.runs([])
        site.poll().reply()
        same(site.health()["consecutive_failures"], 0)


@test("a forge that is out of order for a moment is asked again; one that stays so is given up")
def _():
    for trouble in (Answer({}, 502), Answer({"workflow_runs": []}, cut=True)):
        with Site() as site:
            site.forge.on(RUNS, trouble, Answer({"workflow_runs": [run(status="queued")]}))
            same(site.poll().status, 0)
            site.forge.on(RUNS, trouble)
            done = site.poll()
            same((done.status, len(site.forge.asked)), (1, 2 + 3))
            same(site.health()["consecutive_failures"], 1)


@test("what is refused, gone or nonsense is told, and breaks nothing")
def _():
    for answer, words in ((Answer({}, 401), "does not accept the token"), (Answer({}, 404), "not there"), (Answer({}, 403), "403"),
                          (Answer(b"<html>"), "not a list of runs"), (Answer({"workflow_runs": 5}), "not a list of runs"),
                          (Answer({"workflow_runs": [{"id": "x"}]}), "a run without a number"),
                          (Answer({"workflow_runs": [{"id": 5}]}), "needs head_sha"),
                          (Answer(b'{"workflow_runs":[' + b" " * (9 << 20) + b"]}"), "longer than")):
        with Site() as site:
            site.forge.on(RUNS, answer)
            done = site.poll()
            same(done.status, 1)
            has(done.err, words)
            same(len(site.forge.asked), 1)
            has(site.health()["last_error_msg"], words)


@test("if something of a run cannot be fetched, nothing of it is written, and it is tried again")
def _():
    with Site() as site:
        site.forge.failing()
        site.forge.on(f"/repos/{REPO}/check-runs/700/annotations", Answer({}, 500))
        same(site.poll().status, 1)
        same(site.status()[0]["jobs"], [])
        same(site.waiting(), [])
        site.forge.failing()
        same(site.poll().reply(), {"runs": 1, "new": 0, "fetched": 1})
        same(len(site.waiting()), 1)


@test("the token may be another variable, what gh says, or none at all")
def _():
    with Site() as site:
        site.forge.runs([])
        bin = site.place.at("bin")
        os.mkdir(bin)
        with open(os.path.join(bin, "gh"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\n[ "$*" = "auth token --hostname 127.0.0.1" ] && echo from-gh\n')
        os.chmod(os.path.join(bin, "gh"), 0o755)
        none = {"STELE_GITHUB_TOKEN": None, "PATH": "/nowhere"}
        for env, token in (({**none, "HIPPO_GITHUB_TOKEN": "h", "GITHUB_TOKEN": "g"}, "Bearer h"), ({**none, "GITHUB_TOKEN": "g"}, "Bearer g"),
                           ({**none, "PATH": f"{bin}:/usr/bin:/bin"}, "Bearer from-gh"), (none, None),
                           ({**none, "GITHUB_TOKEN": "two\r\nX-Evil: 1"}, None)):
            site.poll(env=env).reply()
            same(site.forge.asked[-1].headers.get("Authorization"), token)
            lacks(str(site.forge.asked[-1].headers), "X-Evil")


@test("a wrong repository, or an address to which no token may go, is refused")
def _():
    with Site() as site:
        for repo in ("stele", "a/b/c", "../x", "a/..", "a/b?c", "a/b,", ",a/b"):
            if site.run("gh-poll", "--repo", repo).status == 0:
                same(repo, "a/b,")
        same(site.run("gh-poll").status, 2)
        same(site.run("gh-poll", "--repo", REPO, env={"STELE_GITHUB_API_URL": "http://forge.example"}).status, 2)
        same(site.run("gh-poll", "--repo", REPO, env={"STELE_GITHUB_API_URL": "ftp://127.0.0.1"}).status, 2)
        lacks(" ".join(site.forge.paths()), "..", "/a/b/c")


# ---- Following a commit ----

def watch(site, *words):
    return site.run("watch-sha", SHA, "--repo", REPO, *words)


@test("a commit is followed until all its runs have ended; what failed is told once")
def _():
    with Site() as site:
        site.forge.failing(log=b"".join(b"line %d\n" % n for n in range(100)), notes=[note("F401 unused")])
        good = run(71, conclusion="success")
        site.forge.on(RUNS + "/71/jobs", Answer({"jobs": []}))
        site.forge.runs([], [run(status="queued")], [run(status="in_progress"), good], [run(), good])
        done = watch(site)
        same(done.status, 1)
        has(done.out, f"{REPO} 0123456: failed", "failure  https://forge.example/me/stele/actions/runs/70", "failure  lint",
            "src/app/main.py:3: [ruff F401] F401 unused", "line 80\n", "line 99\n")
        lacks(done.out, "line 79\n", "/runs/71")
        same([path.split("?")[1] for path in site.forge.paths() if path.startswith(RUNS + "?")], [f"head_sha={SHA}&per_page=100"] * 4)
        again = watch(site)
        same((again.status, again.out), (1, f"{REPO} 0123456: failed, as was told before\n"))
        [entry] = site.call("list_watched", state="all")
        same((entry["terminal_status"], entry["notified"]), ("failure", True))


@test("the same for programs")
def _():
    with Site() as site:
        site.forge.failing(notes=[note("F401 unused")])
        done = watch(site, "--json")
        told = json.loads(done.out)
        same((done.status, told["state"], told["sha"], told["repo"], told["told_before"]), (1, "failure", SHA, REPO, False))
        [one] = told["runs"]
        same((one["id"], one["jobs"][0]["annotations"][0]["rule_id"], one["logs"][0]["excerpt"]), (70, "F401", "line 1\nthe end\n"))
        same(json.loads(watch(site, "--json").out)["runs"], [])


@test("a commit whose runs went well needs no telling")
def _():
    with Site() as site:
        site.forge.on(RUNS + "/70/jobs", Answer({"jobs": [job(conclusion="success")]}))
        site.forge.runs([run(conclusion="success")])
        done = watch(site)
        same((done.status, done.out), (0, f"{REPO} 0123456: all is well\n"))
        same(site.call("list_watched", state="all"), [])


@test("a run that was stopped, or took too long, has failed too")
def _():
    for conclusion, status in (("cancelled", "cancelled"), ("timed_out", "failure")):
        with Site() as site:
            site.forge.failing()
            site.forge.runs([run(conclusion=conclusion), run(71, conclusion="success")])
            site.forge.on(RUNS + "/71/jobs", Answer({"jobs": []}))
            same(watch(site).status, 1)
            same(site.call("list_watched", state="all")[0]["terminal_status"], status)


@test("when the time is over it ends, and the commit can be followed by whoever polls")
def _():
    with Site() as site:
        site.forge.runs([])
        done = watch(site, "--ttl", "1s")
        same((done.status, done.out), (1, f"{REPO} 0123456: still running\n"))
        site.call("watch_sha", sha=SHA, repo=REPO)
        site.forge.failing()
        same(site.run("gh-poll", "--repo", "me/other").status, 1)  # of which there is nothing
        [entry] = site.call("list_watched", state="ended")
        same((entry["sha"], entry["terminal_status"]), (SHA, "failure"))


@test("a short name of a commit is made whole by the forge")
def _():
    with Site() as site:
        site.forge.failing()
        site.forge.on(f"/repos/{REPO}/commits/0123456", Answer({"sha": SHA}))
        has(site.run("watch-sha", "0123456", "--repo", REPO).out, "0123456: failed")
        for wrong in ("012345", "HEAD", "../../x", "g" * 40):
            same(site.run("watch-sha", wrong, "--repo", REPO).status, 2)
        same(site.run("watch-sha", "fffffff", "--repo", REPO).status, 1)


# ---- The server ----

@contextlib.contextmanager
def serving(site, **env):
    """The server, until the block ends; then it must end too."""
    words = [BIN, "serve", "--port", "0", "--no-import", "--set", f"github.enabled=on,github.watched_repos={REPO}"]
    made = site.place.environment(site.environment({"STELE_GITHUB_TIGHT_POLL_INTERVAL_SECS": "1s", **env}))
    with open(site.place.at("log"), "wb") as log:
        process = subprocess.Popen(words, env=made, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        try:
            same(process.wait(LIMIT), 0)
        finally:
            process.kill()
    with open(site.place.at("log"), encoding="utf-8") as log:
        lacks(log.read(), TOKEN)


def until(found):
    """Wait until that is so, however long it takes; what never comes fails."""
    end = time.monotonic() + LIMIT
    while not found():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


@test("the server polls the repositories it is told, and looks at watched commits in between")
def _():
    with Site() as site:
        site.call("watch_sha", sha=SHA, repo=REPO)
        site.forge.runs([run(status="queued")])
        with serving(site):
            until(lambda: any("head_sha" in path for path in site.forge.paths()) and RUNS + "?per_page=20" in site.forge.paths())
            site.forge.failing()
            until(lambda: site.call("list_watched", state="ended"))
            until(site.waiting)
        same(site.forge.paths().count(RUNS + "?per_page=20"), 1)  # the next in five minutes


@test("a server that waits for the forge ends at once")
def _():
    with Site() as site:
        site.forge.on(RUNS, Answer({}, 429, Retry_After="300"))
        with serving(site, STELE_GITHUB_LONGEST_WAIT="300s"):
            until(lambda: site.forge.asked)


@test("a server that is told no repository says so")
def _():
    with Site() as site:
        done = site.run("serve", "--port", "0", "--set", "github.enabled=on,github.watched_repos=stele")
        same(done.status, 2)
        has(done.err, "OWNER/NAME, not stele")


if __name__ == "__main__":
    sys.exit(main())

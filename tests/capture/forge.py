"""A forge for tests: it answers like GitHub's REST interface, as it is told to."""

import urllib.parse

from answering import Answer, Answering, next_of

REPO = "me/stele"
SHA = "0123456789abcdef0123456789abcdef01234567"
TOKEN = "tok-" + "5e7d" * 6  # of no forge


def run(number=70, sha=SHA, status="completed", conclusion="failure", **more):
    return {"id": number, "name": "checks", "head_sha": sha, "head_branch": "main", "event": "push", "status": status,
            "conclusion": conclusion if status == "completed" else None, "run_started_at": "2026-03-01T10:00:00Z",
            "updated_at": "2026-03-01T10:05:00Z", "html_url": f"https://forge.example/{REPO}/actions/runs/{number}",
            "actor": {"login": "ada"}, **more}


def job(number=700, name="lint", conclusion="failure", **more):
    return {"id": number, "name": name, "status": "completed", "conclusion": conclusion, "started_at": "2026-03-01T10:00:10Z",
            "completed_at": "2026-03-01T10:04:00Z", "runner_name": "runner-1", **more}


def note(message, level="failure", path="src/app/main.py", line=3):
    return {"annotation_level": level, "message": message, "path": path, "start_line": line, "end_line": line}


class Forge(Answering):
    """Answers by path; of a list of answers each is given once, the last one for ever."""

    def __init__(self):
        super().__init__()
        self.answers = {}
        self.etag = None  # of lists of runs; who knows it gets 304

    def on(self, path, *answers):
        self.answers[path] = list(answers)

    def runs(self, *pages):
        """Lists of runs, one per time that somebody asks."""
        self.on(f"/repos/{REPO}/actions/runs", *[Answer({"total_count": len(page), "workflow_runs": page}) for page in pages])

    def failing(self, log=b"line 1\nthe end\n", notes=()):
        """A run that failed, with a job, what that found wrong, and its log."""
        self.runs([run()])
        self.on(f"/repos/{REPO}/actions/runs/70/jobs", Answer({"total_count": 1, "jobs": [job()]}))
        self.on(f"/repos/{REPO}/check-runs/700/annotations", Answer(list(notes)))
        self.on(f"/repos/{REPO}/actions/jobs/700/logs", Answer(log))

    def paths(self):
        return [asked.path for asked in self.asked]

    def choose(self, asked):
        path = urllib.parse.urlsplit(asked.path).path
        given = next_of(self.answers.get(path, [Answer({"message": "Not Found"}, 404)]))
        if self.etag and path.endswith("/actions/runs"):
            given.headers["ETag"] = self.etag
            if asked.headers.get("If-None-Match") == self.etag:
                return Answer(b"", 304)
        return given

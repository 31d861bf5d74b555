"""A forge for tests: an HTTP server on this machine that answers like GitHub's REST interface, as it is told to."""

import http.server
import json
import threading
import urllib.parse

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


class Answer:
    """What is answered to one request.  `body` is JSON, or bytes; `cut`: the connection ends in the middle."""

    def __init__(self, body=None, status=200, cut=False, **headers):
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status, self.cut, self.headers = status, cut, {name.replace("_", "-"): value for name, value in headers.items()}


class Forge:
    """Answers by path; of a list of answers each is given once, the last one for ever."""

    def __init__(self):
        self.asked = []  # (path with query, headers)
        self.answers = {}
        self.etag = None  # of lists of runs; who knows it gets 304

    def __enter__(self):
        forge = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                forge.answer(self)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):  # who asks may hang up
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

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
        return [path for path, _ in self.asked]

    def answer(self, handler):
        path = urllib.parse.urlsplit(handler.path).path
        self.asked.append((handler.path, dict(handler.headers)))
        answers = self.answers.get(path, [Answer({"message": "Not Found"}, 404)])
        given = answers.pop(0) if len(answers) > 1 else answers[0]
        if self.etag and path.endswith("/actions/runs"):
            given.headers["ETag"] = self.etag
            if handler.headers.get("If-None-Match") == self.etag:
                given = Answer(b"", 304)
        handler.send_response(given.status)
        for name, value in given.headers.items():
            handler.send_header(name, value)
        if given.status != 304:
            handler.send_header("Content-Length", str(len(given.body)))
        handler.end_headers()
        handler.wfile.write(given.body[:len(given.body) // 2] if given.cut else given.body)
        if given.cut:
            handler.close_connection = True

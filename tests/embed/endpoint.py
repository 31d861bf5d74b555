"""An endpoint for tests: an HTTP server on this machine that answers POST .../embeddings as it is told to."""

import http.server
import json
import threading
import time

KEY = "key-" + "3a9f" * 6  # of nobody


def vector(text):
    """The vector of a text: other texts have others."""
    return [float(len(text)), float(text.count("a")), 1.0]


def good(texts):
    return {"data": [{"index": i, "embedding": vector(text)} for i, text in enumerate(texts)]}


class Answer:
    """What is answered to one request.  body: JSON, bytes, or a function of the texts; cut: the connection ends in the
    middle; late: seconds before it is answered."""

    def __init__(self, body=good, status=200, cut=False, late=0, **headers):
        self.body, self.status, self.cut, self.late = body, status, cut, late
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def bytes(self, texts):
        body = self.body(texts) if callable(self.body) else self.body
        return body if isinstance(body, bytes) else json.dumps(body).encode()


class Endpoint:
    """Each answer is given once, the last one for ever."""

    def __init__(self, *answers):
        self.answers = list(answers or [Answer()])
        self.asked = []  # (path, headers, body as JSON)
        self.ended = threading.Event()

    def __enter__(self):
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                endpoint.answer(self)

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
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()

    def answer(self, to):
        body = json.loads(to.rfile.read(int(to.headers["Content-Length"])))
        self.asked.append((to.path, dict(to.headers), body, time.monotonic()))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        data = answer.bytes(body["input"])
        self.ended.wait(answer.late)
        to.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **answer.headers}.items():
            to.send_header(name, value)
        to.end_headers()
        to.wfile.write(data[:len(data) // 2] if answer.cut else data)
        to.close_connection = True

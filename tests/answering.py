"""A program that others ask, for tests: an HTTP server on this machine that answers as it is told to."""

import http.server
import json
import socket
import threading
import time


class Answer:
    """What is answered to one request.  body: JSON, bytes, or a function of what was asked; cut: the connection ends in the
    middle; late: seconds before it is answered."""

    def __init__(self, body=None, status=200, cut=False, late=0, **headers):
        self.body, self.status, self.cut, self.late = body, status, cut, late
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def bytes(self, question):
        body = self.body(question) if callable(self.body) else self.body
        return body if isinstance(body, bytes) else json.dumps(body).encode()


class Asked:
    """A request: its path with the query, its headers, its body as JSON (None: it had none), and when it came."""

    def __init__(self, handler):
        length = int(handler.headers.get("Content-Length") or 0)
        self.path, self.headers, self.at = handler.path, dict(handler.headers), time.monotonic()
        self.body = json.loads(handler.rfile.read(length)) if length else None

    def __iter__(self):
        return iter((self.path, self.headers, self.body, self.at))


class Answering:
    """A server for as long as the with statement.  Who derives from it says what is answered: choose(asked)."""

    def __init__(self):
        self.asked = []
        self.ended = threading.Event()
        self.lock = threading.Lock()
        self.place = None

    def __enter__(self):
        answering = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                answering.answer(self)

            do_POST = do_GET

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
        if self.place:
            self.place.close()

    def leave(self):
        """Nobody is there any more; and nobody else gets the place, which would answer."""
        self.server.shutdown()
        self.server.server_close()
        self.place = socket.socket()
        self.place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.place.bind(self.server.server_address)

    def question(self, asked):
        """What of a request an answer is made of."""
        return asked.body

    def answer(self, handler):
        asked = Asked(handler)
        with self.lock:
            self.asked.append(asked)
            answer = self.choose(asked)
        data = answer.bytes(self.question(asked))
        self.ended.wait(answer.late)
        handler.send_response(answer.status)
        headers = {"Content-Type": "application/json", **answer.headers}
        if answer.status != 304:
            headers["Content-Length"] = str(len(data))
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data[:len(data) // 2] if answer.cut else data)
        if answer.cut:
            handler.close_connection = True


def next_of(answers):
    """Each is given once, the last one for ever."""
    return answers.pop(0) if len(answers) > 1 else answers[0]

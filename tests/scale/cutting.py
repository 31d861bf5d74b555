"""A proxy between Stele and PostgreSQL that loses connections exactly where a test wants it."""

import contextlib
import socket
import struct
import threading


class Proxy:
    """Listens on a free port of the loopback (port) and passes everything on, until a cut was asked for."""

    def __init__(self, server_port):
        self.server_port, self.mutex = server_port, threading.Lock()
        self.connections = self.seen = 0
        self.wanted = None  # (number of the message, or its text; is the answer lost, or the message itself?)
        self.what = None    # the message that was cut
        self.links = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Nobody is listening any more, and everybody lost his connection."""
        _end(self.listener)
        self.listener.close()
        self.cut_all()

    def cut(self, where, answer=False):
        """Lose the connection once: at the where-th message from now on (from 1), or at the first that has this text.
        The message does not arrive; with answer it does, and what comes back does not."""
        with self.mutex:
            self.seen, self.wanted, self.what = 0, (where, answer), None

    def cut_all(self):
        with self.mutex:
            links = list(self.links)
        for link in links:
            _end(link)

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with self.mutex:
                self.connections += 1
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with contextlib.suppress(OSError), client, socket.create_connection(("127.0.0.1", self.server_port)) as server:
            with self.mutex:
                self.links |= {client, server}
            lost = threading.Event()
            back = threading.Thread(target=self._answers, args=(server, client, lost), daemon=True)
            back.start()
            self._messages(client, server, lost)
            if not lost.is_set():
                _end(server)
            back.join()  # when an answer is lost: until the server has given it
            with self.mutex:
                self.links -= {client, server}
            _end(client)

    def _messages(self, client, server, lost):
        """From the client, message by message: the first has no letter before its length."""
        message = _read(client, 4)
        while message:
            length = struct.unpack("!i", message[-4:])[0]
            message += _read(client, length - 4)
            cut, answer = self._is_wanted(message)
            if cut and not answer:
                return
            if cut:
                lost.set()
            server.sendall(message)
            if cut:
                return
            message = _read(client, 5)

    def _is_wanted(self, message):
        with self.mutex:
            self.seen += 1
            where, answer = self.wanted or (None, False)
            cut = where == self.seen or isinstance(where, str) and where.encode() in message
            if cut:
                self.what, self.wanted = message, None
            return cut, answer

    def _answers(self, server, client, lost):
        """To the client, byte by byte.  When an answer is lost, it is taken in whole, so that the server is done."""
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                if not lost.is_set():
                    client.sendall(data)
                elif data[-6:-1] == b"Z\0\0\0\5":  # ready for the next query
                    break
        _end(server)


def _read(link, count):
    data = b""
    while len(data) < count:
        more = link.recv(count - len(data))
        if not more:
            return b""
        data += more
    return data


def _end(link):
    with contextlib.suppress(OSError):
        link.shutdown(socket.SHUT_RDWR)

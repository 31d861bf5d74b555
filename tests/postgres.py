#!/usr/bin/env python3
"""A throw-away PostgreSQL server for tests and benchmarks.

    tests/postgres.py                  start one, print its URL, stop it on Ctrl-C or SIGTERM
    tests/postgres.py COMMAND ARG...   run a command with the URL in STELE_TEST_POSTGRES, then stop

or, in Python:

    with postgres.Server() as server:
        ... server.url ...

It listens on a socket in a temporary directory that only this user (and root) can enter, and is
gone with that directory afterwards, whatever happened in between.
"""

import argparse
import glob
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import in_memory

# Nothing has to survive a crash of the machine.  A benchmark of commits wants the opposite.
VOLATILE = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "autovacuum=off"]


class Server:
    """A running server between `with` and the end of its block."""

    def __init__(self, durable=False, settings=(), tcp=False, tls=False):
        """tcp: listen on the loopback too (tcp_url); tls: and offer encryption there."""
        self.tcp, self.tls, self.tcp_url = tcp or tls, tls, None
        self.settings = ["listen_addresses=", "max_connections=200", *([] if durable else VOLATILE), *settings]
        self.place = (None if durable else in_memory.directory()) or "/tmp"
        self.directory = self.url = self.process = None

    def __enter__(self):
        try:
            self._start()
        except BaseException:  # also Ctrl-C during the start
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def _start(self):
        # A socket's path may have 107 characters, and the server's user must be able to reach it:
        # both speak against a TMPDIR deep in somebody's home.
        self.directory = tempfile.mkdtemp(prefix="stele-pg-", dir=self.place)
        data = os.path.join(self.directory, "data")
        log = os.path.join(self.directory, "log")
        programs = _programs()
        user = _as_server_user(self.directory)

        made = subprocess.run(self._make(programs, user, data), cwd=self.directory, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if made.returncode != 0:
            raise RuntimeError(f"{data} could not be made:\n{made.stdout}")

        options = [f"unix_socket_directories={self.directory}", *self.settings, *self._tcp_settings(user)]
        with open(log, "wb") as output:
            # The server dies with this process (pdeathsig), even if that is killed with -9; a
            # session of its own keeps Ctrl-C in the terminal away from it until the tests are done.
            self.process = subprocess.Popen(
                [*user, f"{programs}/postgres", "-D", data, *(word for o in options for word in ("-c", o))],
                cwd=self.directory, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)

        deadline = time.monotonic() + 60
        port = re.findall(r":(\d+)/", self.tcp_url)[0] if self.tcp else "5432"  # the socket's name has it too
        ready = [f"{programs}/pg_isready", "--quiet", "--host", self.directory, "--port", port]
        while subprocess.run(ready).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(log, errors="replace") as text:
                    raise RuntimeError(f"PostgreSQL did not start:\n{text.read()}")
            time.sleep(0.05)
        self.url = f"postgresql://postgres@/postgres?host={self.directory}&port={port}"

    def _make(self, programs, user, data):
        """The command that makes the server's files."""
        # The order of ICU, not of C: a statement that forgot its COLLATE "C" shows itself.
        return [*user, f"{programs}/initdb", "--pgdata", data, "--username=postgres", "--auth=trust", "--no-sync",
                "--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"]

    def sql(self, text):
        """Run a statement; what it printed."""
        done = subprocess.run([f"{_programs()}/psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1",
                               "-c", text, self.url], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"psql: {done.stdout}")
        return done.stdout.strip()

    def kill(self):
        """End it as a lost machine would: nothing is said to anybody."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _tcp_settings(self, user):
        if not self.tcp:
            return []
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.tcp_url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        settings = ["listen_addresses=127.0.0.1", f"port={port}"]
        if self.tls:
            key, certificate = f"{self.directory}/key.pem", f"{self.directory}/certificate.pem"
            subprocess.run([*user, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                            "-keyout", key, "-out", certificate], cwd=self.directory, check=True, capture_output=True)
            settings += ["ssl=on", f"ssl_key_file={key}", f"ssl_cert_file={certificate}"]
        return settings

    def stop(self):
        """Stop the server at once and remove all it wrote.  May be called twice."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)  # immediate: there is nothing to save
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        if self.directory:
            shutil.rmtree(self.directory, ignore_errors=True)


class Standby(Server):
    """A copy of a running server that listens on the loopback, and follows it until it is promoted."""

    def __init__(self, primary, settings=()):
        super().__init__(settings=settings, tcp=True, durable=True)  # a follower has the settings of the first
        self.primary = primary

    def _make(self, programs, user, data):
        return [*user, f"{programs}/pg_basebackup", "--dbname", self.primary.tcp_url, "--pgdata", data, "--write-recovery-conf",
                "--checkpoint=fast", "--no-sync"]


def _programs():
    """The directory of the newest server's programs."""
    found = glob.glob("/usr/lib/postgresql/*/bin/initdb")  # Debian keeps them out of PATH
    if found:
        return os.path.dirname(max(found, key=lambda path: float(path.split("/")[-3])))
    found = shutil.which("initdb")
    if not found:
        raise RuntimeError("PostgreSQL is not installed: run `make setup`")
    return os.path.dirname(os.path.realpath(found))


def _as_server_user(directory):
    """The words before a server command.  PostgreSQL refuses to run as root, so root gives the
    directory and the process to an ordinary user."""
    words = ["setpriv", "--pdeathsig", "QUIT"]
    if os.geteuid() == 0:
        names = {entry.pw_name: entry for entry in pwd.getpwall()}
        user = names.get("postgres") or names["nobody"]
        os.chown(directory, user.pw_uid, user.pw_gid)
        words += [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    return words


def stop_on_signals():
    """Let SIGTERM and SIGHUP end the program the way Ctrl-C does: through every `with` block."""
    def leave(number, _):
        sys.exit(128 + number)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)


def main():
    parser = argparse.ArgumentParser(description="Start a throw-away PostgreSQL server.")
    parser.add_argument("--durable", action="store_true", help="leave fsync on, as a benchmark of commits needs it")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="run this with STELE_TEST_POSTGRES set, then stop")
    args = parser.parse_args()
    command = args.command[1:] if args.command[:1] == ["--"] else args.command

    stop_on_signals()
    try:
        with Server(durable=args.durable) as server:
            if command:
                return subprocess.run(command, env={**os.environ, "STELE_TEST_POSTGRES": server.url}).returncode
            print(server.url, flush=True)
            server.process.wait()
            return "the server stopped by itself"
    except KeyboardInterrupt:
        return 130
    except RuntimeError as error:
        return f"postgres.py: {error}"


if __name__ == "__main__":
    sys.exit(main())

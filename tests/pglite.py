"""A throw-away PostgreSQL with pgvector for tests, which Debian's has not: PGlite, in WebAssembly, under Node.

    with pglite.Server() as server:
        ... server.url ... server.sql("SELECT 1") ...

It listens on a socket in a temporary directory.  All connections share one backend, and with it settings, locks and the
open transaction: one program at a time talks to it, and it stands in for PostgreSQL only where vectors are concerned.
"""

import glob
import os
import shutil
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(HERE))
MODULES = os.path.join(SOURCE, "node_modules")
SCRIPT = os.path.join(MODULES, "@electric-sql", "pglite-socket", "dist", "scripts", "server.js")
START_SECONDS = 120


class Server:
    """A running server between `with` and the end of its block."""

    def __enter__(self):
        nodes = glob.glob(os.path.join(MODULES, "node-linux-*", "bin", "node"))
        if not nodes or not os.path.exists(SCRIPT):
            raise RuntimeError("PGlite has not been fetched: run `make setup`")
        self.directory = tempfile.mkdtemp(prefix="stele-pglite-", dir="/tmp")  # a socket's path has 107 characters
        self.url = f"postgresql://postgres@/postgres?host={self.directory}"
        self.process = None
        try:
            self._start(nodes[0])
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self, node):
        log = os.path.join(self.directory, "log")
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", node, SCRIPT, "--path", os.path.join(self.directory, ".s.PGSQL.5432"),
                 "--extensions", "@electric-sql/pglite-pgvector:vector", "--max-connections", "20"],
                cwd=SOURCE, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        deadline = time.monotonic() + START_SECONDS
        while self._psql("SELECT 1").returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(log, errors="replace") as text:
                    raise RuntimeError(f"PGlite did not start:\n{text.read()}")
            time.sleep(0.2)

    def __exit__(self, *_):
        if self.process:
            self.process.kill()  # there is nothing to save
            self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _psql(self, sql):
        return subprocess.run(["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1",
                               "-f", "-", self.url], input=sql, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def sql(self, sql):
        """Run statements; the lines of their rows."""
        done = self._psql(sql)
        if done.returncode != 0:
            raise RuntimeError(f"psql: {done.stderr}")
        return done.stdout.splitlines()

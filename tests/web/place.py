"""A server with something in it, and a browser in front of it.

The browser is Debian's Chromium, driven from Node by playwright-core (tools/setup test installs both).  A script in
this directory is given the server's address and a token, and prints TAP itself.
"""

import contextlib
import glob
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from serve import server as serving  # noqa: E402

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))
MODULES = os.path.join(SOURCE, "node_modules")


def needed(what, found):
    if not found:
        raise SystemExit(f"{what} is missing, and without it the dashboard cannot be tested: run `make setup`")
    return found


def browser():
    """(Node, Chromium)"""
    nodes = glob.glob(os.path.join(MODULES, "node-linux-*", "bin", "node"))
    needed("playwright-core", os.path.isdir(os.path.join(MODULES, "playwright-core")))
    return needed("Node", nodes and nodes[0]), needed("Chromium", shutil.which("chromium"))


@contextlib.contextmanager
def serve(fill=None, settings=""):
    """A server whose home `fill(server, directory)` has filled; yields (server, what fill answered)."""
    with tempfile.TemporaryDirectory(prefix="stele-web-") as directory:
        with serving.Server(os.path.join(directory, "home"), settings=settings) as server:
            server.cli = serving.CLI
            yield server, fill(server, directory) if fill else None


def drive(script, server, *words):
    """Run a script of this directory in front of a server; its TAP goes to stdout.  Answers its exit status."""
    node, chromium = browser()
    env = {**os.environ, "STELE_WEB_URL": f"http://127.0.0.1:{server.port}", "STELE_WEB_TOKEN": server.token,
           "STELE_WEB_CHROMIUM": chromium, "STELE_WEB_MODULES": MODULES, "TZ": "UTC"}
    return subprocess.run([node, os.path.join(HERE, script), *words], env=env, stdin=subprocess.DEVNULL).returncode

#!/usr/bin/env python3
"""The extension in a real Chromium: a page that was read goes through the native host into the store.  Prints TAP."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cli.place import has, lacks, main, same, test  # noqa: E402
from serve import server as serving  # noqa: E402
from web.place import MODULES, SOURCE, browser  # noqa: E402

SITES = ["*://127.0.0.1/*", "*://localhost/*"]
LIMIT = 300  # seconds: a busy machine is slow, not wrong


class User:
    """Somebody with a browser that has the extension, and with a home of their own."""

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="stele-extension-", ignore_cleanup_errors=True)
        self.path = self._directory.name
        self.home = self.at("home")
        self.environment = {**os.environ, "HOME": self.at("user"), "XDG_CONFIG_HOME": self.at("config")}
        with open(self.at("stele.toml"), "w", encoding="utf-8") as file:
            file.write('[browser]\ndomains = ["127.0.0.1"]\nmin_dwell = "200ms"\n')
        subprocess.run([serving.CLI, "--home", self.home, "--config", self.at("stele.toml"), "setup", "chromium", "--yes"],
                       env=self.environment, check=True, stdout=subprocess.DEVNULL)
        self._extension()
        return self

    def __exit__(self, *_):
        self._directory.cleanup()

    def at(self, *names):
        return os.path.join(self.path, *names)

    def _extension(self):
        """As it is, but that nobody must be asked whether it may read the sites."""
        shutil.copytree(os.path.join(SOURCE, "web", "extension"), self.at("extension"))
        with open(self.at("extension", "manifest.json"), "r+", encoding="utf-8") as file:
            manifest = json.load(file)
            manifest["host_permissions"] = SITES
            file.seek(0)
            json.dump(manifest, file)
            file.truncate()

    def read(self, path, **more):
        """Read a page in the browser: what the script printed."""
        node, chromium = browser()
        env = {**self.environment, "STELE_WEB_CHROMIUM": chromium, "STELE_WEB_MODULES": MODULES}
        done = subprocess.run([node, os.path.join(HERE, "extension.mjs"), self.at("config", "chromium"), self.at("extension"),
                               json.dumps({"path": path, **more})], env=env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=LIMIT)
        if done.returncode:
            raise AssertionError(done.stderr)
        return json.loads(done.stdout)

    def kept(self):
        """The lines of the fallback files that wait to be replayed."""
        lines = []
        directory = os.path.join(self.home, "fallback")
        for name in os.listdir(directory) if os.path.isdir(directory) else []:
            if name.endswith(".jsonl"):
                with open(os.path.join(directory, name), encoding="utf-8") as file:
                    lines += file.readlines()
        return lines


def visits(server):
    return server.call("capture.get_browser_events")


def wait_for(found):
    """What `found` answers as soon as that is something."""
    until = time.monotonic() + LIMIT
    while not (answer := found()):
        if time.monotonic() > until:
            raise AssertionError("it did not come")
        time.sleep(0.05)
    return answer


SITES_READ = """
const { domains, patterns, within } = await import(process.argv[1]);
console.log(JSON.stringify([
  domains('Example.org, https://docs.a.example/x?y\\n*.b.example\\nb.example\\nnot a site\\n[::1]'),
  patterns(['example.org', '127.0.0.1', 'localhost', '[::1]']),
  ['https://example.org/', 'http://a.EXAMPLE.org:81/x', 'https://badexample.org/', 'ftp://example.org/', 'http://x.127.0.0.1.evil/']
    .map((url) => within(url, ['example.org', '127.0.0.1'])),
]));
"""


@test("sites are understood as people write them, and pages are of them or below")
def _():
    node, _ = browser()
    done = subprocess.run([node, "--input-type=module", "-e", SITES_READ, os.path.join(SOURCE, "web", "extension", "domains.js")],
                          capture_output=True, text=True, check=True)
    read, patterns, within = json.loads(done.stdout)
    same(read, [["example.org", "docs.a.example", "b.example", "[::1]"], ["not a site"]])
    same(patterns, ["*://*.example.org/*", "*://127.0.0.1/*", "*://localhost/*", "*://[::1]/*"])
    same(within, [True, True, False, False, False])


@test("a page that was read is in the store, also one that was read while there was no server")
def _():
    with User() as user:
        with serving.Server(user.home) as server:
            told = user.read("/guide?token=abc&x=1#sig=2", set=True)
            same(told["last"]["status"], "ok")
            lacks(json.dumps(told["last"]), "kept")
            [visit] = visits(server)
            same((visit["url"], visit["domain"], visit["title"]), (f"{told['site']}/guide?x=1", "127.0.0.1", "A guide & more"))
            has(visit["extracted_text"], "Stones\n\nA stone with words on it.", "The end.")
            lacks(visit["extracted_text"], "not this", "nor this", "nor that")
            same((visit["dwell_ms"] >= 200, 0.3 < visit["scroll_depth"] < 1), (True, True))
            [health] = server.call("capture.list_source_health", source="browser")
            same(health["last_heartbeat_ts"] is not None, True)
            has(told["options"], "is there", "It keeps pages of 127.0.0.1.", "without what is no site: not a site")
            same([script["matches"] for script in told["registered"]], [["*://127.0.0.1/*"]])
        told = user.read("/later")
        same((told["last"]["status"], bool(told["last"]["kept"]), len(user.kept())), ("ok", True, 1))
        with serving.Server(user.home, settings="jobs=1,watch=0") as server:
            later = wait_for(lambda: [visit for visit in visits(server) if visit["url"].endswith("/later")])
            same((len(later), len(visits(server))), (1, 2))
            wait_for(lambda: not user.kept())


if __name__ == "__main__":
    sys.exit(main())

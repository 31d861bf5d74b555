#!/usr/bin/env python3
"""Connections to PostgreSQL: encrypted when the server offers it, plain when it does not, refused when the address asks
for what the server has not.  Prints TAP."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import postgres  # noqa: E402

CLI = os.environ["STELE_TEST_CLI"]
ENCRYPTED = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"


def call(url, method, args):
    with tempfile.TemporaryDirectory(prefix="stele-") as home:
        return subprocess.run([CLI, "--home", home, "--store", f"assistant={url}", "call", method, json.dumps(args), "--json"],
                              capture_output=True, text=True)


def psql(url, sql):
    return subprocess.run(["psql", "--no-psqlrc", "-qtAc", sql, url], capture_output=True, text=True, check=True).stdout.strip()


def point(good, title, told=""):
    print(("ok - " if good else "not ok - ") + title)
    if not good:
        print("# " + str(told).replace("\n", "\n# "))
    return good


def is_encrypted(url):
    """What a connection by the same address sees of itself, noted by a trigger of the store's own connection."""
    psql(url, "CREATE SCHEMA IF NOT EXISTS noted; CREATE TABLE IF NOT EXISTS noted.seen (ssl boolean)")
    done = call(url + "?schema=a", "assistant.save_note", {"title": "t", "content": "c"})
    if done.returncode != 0:
        return done.stderr
    psql(url, "CREATE OR REPLACE FUNCTION noted.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO noted.seen "
              + ENCRYPTED + "; RETURN NULL; END $$;"
              "DROP TRIGGER IF EXISTS note ON a.notes; CREATE TRIGGER note AFTER INSERT ON a.notes EXECUTE FUNCTION noted.note()")
    call(url + "?schema=a", "assistant.save_note", {"title": "t", "content": "c"})
    return psql(url, "SELECT string_agg(ssl::text, ' ') FROM noted.seen")


def main():
    good = True
    with postgres.Server(tls=True) as server:
        seen = is_encrypted(server.tcp_url)
        good &= point(seen == "true", "a server that offers TLS is spoken to in it", seen)
    with postgres.Server(tcp=True) as server:
        seen = is_encrypted(server.tcp_url)
        good &= point(seen == "false", "one that does not is spoken to without", seen)
        done = call(server.tcp_url + "?schema=a&sslmode=require", "assistant.get_notes", {})
        refused = done.returncode != 0 and "SSL" in done.stdout + done.stderr
        good &= point(refused, "unless the address requires it", (done.stdout, done.stderr))
    return 0 if good else 1


if __name__ == "__main__":
    postgres.stop_on_signals()
    sys.exit(main())

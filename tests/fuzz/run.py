#!/usr/bin/env python3
"""Build and run a fuzz target: tests/fuzz/run.py TARGET SECONDS.

The build directory is made with clang, AddressSanitizer and UndefinedBehaviorSanitizer.  Seeds are made up at
run time, into a directory of their own; what the fuzzer finds to be new is kept beside them, in the build
directory, so that the next run goes on from there.  An input that breaks a target is left there too, and told.

A new target is fuzz_NAME.c here, its name in tests/fuzz/meson.build, and, if it has any, its seeds below.
"""

import argparse
import json
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
from capture import forge, samples  # noqa: E402
from capture_store.enrich_sample import SAMPLE  # noqa: E402
from fuzz import browser_seeds, door_seeds, embed_seeds, frame_seeds, raw_sql_seeds, reader_seeds  # noqa: E402


def redact_seeds(rng):
    """A byte that chooses how it is read, then the text."""
    texts = [context.format(make(rng)) for make in samples.TOKENS.values() for context in rng.sample(samples.CONTEXTS, 2)]
    texts += [context.format(make(rng)) for _, make, context in samples.PLACED]
    texts += [form.format(name=rng.choice(samples.NAMES), value=samples.some(rng, samples.ALNUM, 24))
              for form in samples.ASSIGNMENTS]
    texts += samples.neutral(rng) + rng.sample(samples.placeholders(), 50)
    return [bytes([n % 4]) + text.encode() for n, text in enumerate(texts)]


def cron_seeds(rng):
    """A byte that chooses the zone, four of a time, then the fields."""
    texts = ["* * * * *", "*/5 1-7/2,9 1,15 JAN-mar mon-SUN", "30 2 29 2 */7", "5/10 * */13 * FRI", "@weekly", "0 0 31 4 *"]
    return [bytes([n % 4]) + rng.randbytes(4) + text.encode() for n, text in enumerate(texts)]


def zone_seeds(_rng):
    """The system's own, which are small."""
    seeds = []
    for name in ("UTC", "Europe/Berlin", "Europe/Dublin", "America/Nuuk", "Africa/Casablanca", "Pacific/Apia", "EST5EDT"):
        with open(os.path.join("/usr/share/zoneinfo", name), "rb") as file:
            seeds.append(file.read())
    return seeds


def vault_seeds(_):
    """Tokens, keys, and the seeds of codes in both forms."""
    texts = ["gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA==",
             "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=,AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
             "gezd gnbv gy3t qojq", "otpauth://totp/a:b?secret=GEZDGNBV%3D&digits=8&period=60&algorithm=SHA512&issuer=a"]
    return [text.encode() for text in texts]


def forge_seeds(_):
    """A byte that chooses what the reply is taken for, then the reply."""
    notes = [forge.note("error[E0308]: no"), forge.note("F401 unused [arg-type]", "warning", None, None)]
    return [bytes([0]) + json.dumps(forge.run()).encode(), bytes([1]) + json.dumps(forge.job()).encode(),
            bytes([2]) + json.dumps(notes).encode(), bytes([3]) + b"one\ntwo\n", bytes([7]) + b"\xff\nline\n"]


def enrich_seeds(_):
    """A byte that chooses the queue, one the exit status, then what was done and what came of it."""
    commands = [command for each in SAMPLE for command in each.get("commands", [])]
    return [bytes([n % 4, n % 4]) + b"\0".join((part or "").encode() for part in (command, stdout, stderr))
            for n, (command, _, stdout, stderr) in enumerate(commands)]


SEEDS = {"cron": cron_seeds, "enrich": enrich_seeds, "fernet": vault_seeds, "forge": forge_seeds, "redact": redact_seeds, "totp": vault_seeds, "zone": zone_seeds,
         **browser_seeds.SEEDS, **door_seeds.SEEDS, **embed_seeds.SEEDS, **frame_seeds.SEEDS,
         **raw_sql_seeds.SEEDS, **reader_seeds.SEEDS}


def build(directory, target):
    if not os.path.exists(os.path.join(directory, "build.ninja")):
        subprocess.run(["meson", "setup", directory, SOURCE, "-Dfuzz=true", "-Db_lundef=false", "-Dtests=true"],
                       env={**os.environ, "CC": os.environ.get("CC", "clang")}, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", directory, "-j2", f"tests/fuzz/fuzz_{target}"], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description="Run a fuzz target for some seconds.")
    parser.add_argument("target", help="redact, reader_codex, http, mcp, raw_sql, ...")
    parser.add_argument("seconds", type=int)
    parser.add_argument("--build-dir", default=os.path.join(SOURCE, "build-fuzz"))
    parser.add_argument("--seed", type=int, default=1, help="of the seeds that are made up")
    args = parser.parse_args()
    build(args.build_dir, args.target)
    corpus = os.path.join(args.build_dir, "corpus", args.target)
    os.makedirs(corpus, exist_ok=True)
    for number, seed in enumerate(SEEDS.get(args.target, lambda rng: [b"\0"])(random.Random(args.seed))):
        with open(os.path.join(corpus, f"seed-{number:04}"), "wb") as file:
            file.write(seed)
    program = os.path.join(args.build_dir, "tests", "fuzz", f"fuzz_{args.target}")
    done = subprocess.run([program, corpus, f"-max_total_time={args.seconds}", "-timeout=10", "-max_len=4096",
                           "-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={corpus}-failed-"])
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

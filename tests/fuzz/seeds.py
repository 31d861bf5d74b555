"""The seeds of all fuzz targets, made up at run time: SEEDS[target](random) is a list of inputs."""

import json
import os

from capture import forge, samples
from capture_store.enrich_sample import SAMPLE
from fuzz import browser_seeds, door_seeds, embed_seeds, frame_seeds, made_seeds, raw_sql_seeds, reader_seeds


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


def answer_seeds(_):
    """A byte that chooses who answers, then the answer."""
    entry = json.dumps({"summary": "s", "intent": "i", "outcome": "success", "embed_text": "e", "entities": {"tools": ["make"], "files": []}, "tags": ["t"],
                        "key_decisions": ["k"], "problems_encountered": [], "design_decisions": [{"considered": "a", "chosen": "b", "reason": "c"}]}).encode()
    reply = {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}}
    return [b"\0" + entry, b"\0```json\n" + entry + b"\n```", b"\0<think>x</think>" + entry, b"\1" + json.dumps(reply).encode(),
            b"\1" + json.dumps({"data": [{"id": "nomic-embed"}, {"id": "qwen"}]}).encode(), b"\2</data-x>\xe2\x80\xae"]


def question_seeds(_):
    return [b"When did Melanie go camping in June 2023?", b'Which book, "Charlotte\'s Web" or another?', b"deploy OR plan*", b"What may your dog eat?"]


SEEDS = {"answer": answer_seeds, "cron": cron_seeds, "enrich": enrich_seeds, "fernet": vault_seeds, "forge": forge_seeds,
         "question": question_seeds, "redact": redact_seeds,
         "totp": vault_seeds, "zone": zone_seeds, **browser_seeds.SEEDS, **door_seeds.SEEDS, **embed_seeds.SEEDS, **frame_seeds.SEEDS, **made_seeds.SEEDS,
         **raw_sql_seeds.SEEDS, **reader_seeds.SEEDS}


def write(target, directory, rng):
    """The seeds of a target as files of a directory; their paths."""
    paths = []
    for number, seed in enumerate(SEEDS.get(target, lambda _: [b"\0"])(rng)):
        paths.append(os.path.join(directory, f"seed-{number:04}"))
        with open(paths[-1], "wb") as file:
            file.write(seed)
    return paths

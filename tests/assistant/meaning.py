"""What the tests of finding by meaning share: the same searches, computed anew in Python."""

import math
import random
import re
import struct

DIMENSION = 3072
SOURCES = ("notes", "interactions", "read_later")
WORDS = "amber birch cedar delta ember fjord grove heath inlet jetty knoll lagoon marsh nook oasis".split()


def single(number):
    """The nearest 32-bit float."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def vectors(seed, count, dimension):
    """Random directions, as embeddings have them: numbers far below 1."""
    chance = random.Random(seed)
    return [[single(chance.gauss(0, 1) / math.sqrt(dimension)) for _ in range(dimension)] for _ in range(count)]


def cosine(a, b):
    return math.fsum(map(lambda x, y: x * y, a, b)) / math.sqrt(
        math.fsum(x * x for x in a) * math.fsum(x * x for x in b))


def rows(seed, count):
    """Rows of all sources: (source, id, created_at, the texts of its columns)."""
    chance = random.Random(seed)

    def text(most):
        return " ".join(chance.choices(WORDS, k=chance.randint(1, most)))
    made = []
    for number in range(count):
        source = SOURCES[number % 3]
        columns = [text(3), text(30)] if source == "notes" else [text(20), text(20)] if source == "interactions" else \
            [text(4), text(12), text(6), text(3)]
        made.append((source, f"{chance.randrange(10**6):06}-{number}",
                     f"2026-01-{1 + number % 28:02}T0{number % 10}:00:00.000000+00:00", columns))
    return made


def inserts(made):
    """The statements that keep them."""
    def quoted(text):
        return "'" + text.replace("'", "''") + "'"
    for source, name, created, columns in made:
        into = {"notes": "id, created_at, title, content",
                "interactions": "id, created_at, user_message, agent_response",
                "read_later": "id, added_at, url, title, summary, note, tags"}[source]
        extra = ["u"] if source == "read_later" else []
        yield f"INSERT INTO {source} ({into}) VALUES ({', '.join(map(quoted, [name, created, *extra, *columns]))});"


def nearest(made, embedded, wanted, most):
    """(source, id, cosine), best first; of equal ones the newest."""
    found = [(-cosine(embedded[row[1]], wanted), row) for row in made if row[1] in embedded]
    found.sort(key=lambda pair: pair[1][1])
    found.sort(key=lambda pair: pair[1][2], reverse=True)
    found.sort(key=lambda pair: pair[0])
    return [(row[0], row[1], -score) for score, row in found[:most]]


def by_words(made, query, most):
    """(source, id), best first by BM25 with all the words, or else some of them."""
    terms = query.split()
    told = [(row, re.findall(r"\w+", " ".join(row[3]))) for row in made]
    matching = [each for each in told if all(term in each[1] for term in terms)] or \
               [each for each in told if any(term in each[1] for term in terms)]
    average = sum(len(tokens) for _, tokens in told) / len(told)

    def score(tokens):
        total = 0
        for term in terms:
            having = sum(term in each[1] for each in told)
            idf = max(math.log((len(told) - having + 0.5) / (having + 0.5)), 0) or 1e-6
            times = tokens.count(term)
            total += idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * len(tokens) / average))
        return total
    scored = [(score(tokens), row) for row, tokens in matching]
    scored.sort(key=lambda pair: pair[1][1])
    scored.sort(key=lambda pair: pair[1][2], reverse=True)
    scored.sort(key=lambda pair: SOURCES.index(pair[1][0]))
    scored.sort(key=lambda pair: float(f"{pair[0]:.12e}"), reverse=True)
    return [(row[0], row[1]) for _, row in scored[:most]]


def fused(made, words, near, limit):
    """{(source, id): score} of the best, and their order."""
    created = {(row[0], row[1]): row[2] for row in made}
    scores = {}
    for found in (near, words):
        for rank, key in enumerate(found, 1):
            scores[key] = scores.get(key, 0) + 1 / (60 + rank)
    order = sorted(scores, key=lambda key: key[1])
    order.sort(key=lambda key: created[key], reverse=True)
    order.sort(key=lambda key: scores[key], reverse=True)
    return [(key[0], key[1], scores[key]) for key in order[:limit]]

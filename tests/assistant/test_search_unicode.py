#!/usr/bin/env python3
"""Searches of the assistant find what Python's str.casefold() finds, on both engines: characters whose case is folded
in every odd way, alone and in generated texts.  Prints TAP."""

import os
import random
import sys
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method.engines import on_each  # noqa: E402
from place import main, same  # noqa: E402

# Their case is folded to several characters, to ASCII, to upper case, beyond the first plane, in one direction only
# or not at all; or they mean something to LIKE, to JSON or to regular expressions.
TRICKY = ("abSsKkIiFfJj%_\\*?[]^$.'\"\t\n \x01\x7f" "ßẞſKÅİıÉéǅǆŉǰΐΰΣσςΆάᾳᾼᾈևﬀﬁﬃﬅﬓꭰᎠᏸᵹꙋϴθΩω𐐀𐐨𞤀𞤢"
          "е́é̀\u0301\u0307\u0345\u200d\u00ad\u3000\ufeff\ufffd\uffff한글日本ｱＡａ😀")


both = on_each("assistant")


def holds(text, query):
    return query.casefold() in text.casefold()


def some(chance, least, most):
    return "".join(chance.choice(TRICKY) for _ in range(chance.randint(least, most)))


def changed(chance, text):
    """The same in another case, as far as there is one."""
    return chance.choice((str, str.upper, str.lower, str.swapcase, str.casefold, str.title))(text)


def queries(chance, texts, count):
    """Pieces of the texts, mostly in another case, and texts that stand nowhere, perhaps."""
    for _ in range(count):
        text = chance.choice(texts)
        start = chance.randrange(len(text))
        piece = text[start:start + chance.randint(1, 5)]
        yield changed(chance, piece) if chance.random() < 0.8 else some(chance, 1, 2)


@both("every character that folding changes finds, and is found by, what it is folded to")
def _(call):
    folded = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000 and chr(c).casefold() != chr(c)
              and unicodedata.category(chr(c)) != "Cn"]
    texts = ["".join(folded[at:at + 16]) for at in range(0, len(folded), 16)]
    for number, text in enumerate(texts):
        call("create_task", id=f"{number:04}", title=f"<{text}>")
        call("create_task", id=f"{number:04}f", title=f"<{text.casefold()}>")
    for number, text in enumerate(texts[::3]):
        for query in (f"<{text}>", f"<{text.casefold()}>"):
            same((query, sorted(row["id"] for row in call("search_tasks", query=query))),
                 (query, [f"{number * 3:04}", f"{number * 3:04}f"]))


@both("generated texts are found as casefold() finds them, in either column and in order")
def _(call):
    chance = random.Random(8)
    notes = [(some(chance, 1, 12), some(chance, 0, 40)) for _ in range(150)]
    for number, (title, content) in enumerate(notes):
        call("save_note", id=f"{number:04}", title=title, content=content, created_at=1000 - number)
    for query in queries(chance, [text for note in notes for text in note if text], 400):
        wanted = [f"{number:04}" for number, note in enumerate(notes) if any(holds(text, query) for text in note)]
        same((query, [row["id"] for row in call("search_notes", query=query)]), (query, wanted))
        same((query, [row["id"] for row in call("search_notes", query=query, limit=2, offset=1)]), (query, wanted[1:3]))


@both("the other searches use the same rule")
def _(call):
    chance = random.Random(9)
    texts = [some(chance, 1, 20) for _ in range(60)]
    for number, text in enumerate(texts):
        other = texts[number - 1]
        call("save_interaction", id=f"{number:04}", user_message=text, agent_response=other, created_at=1000 - number)
        call("create_task", id=f"{number:04}", title=text, created_at=1000 - number)
        call("save_user_fact", id=f"{number:04}", key=f"{number:04}", value=text)
    for query in queries(chance, texts, 100):
        one = [number for number, text in enumerate(texts) if holds(text, query)]
        either = sorted({*one, *((number + 1) % len(texts) for number in one)})
        for method, wanted in (("search_tasks", one), ("search_interactions", either),
                               ("search_user_facts", sorted({*one, *(n for n in range(60) if query in f"{n:04}")}))):
            found = [int(row["id"]) for row in call(method, query=query, limit=-1)]
            same((method, query, found), (method, query, wanted))


@both("a long text takes no longer than its length, whatever is repeated in it")
def _(call):
    call("save_note", id="a", title="x", content="a" * 2_000_000 + "É")
    same([row["id"] for row in call("search_notes", query="A" * 50_000 + "b")], [])
    same([row["id"] for row in call("search_notes", query="A" * 50_000 + "é")], ["a"])


if __name__ == "__main__":
    sys.exit(main())

"""Seeds of the targets that take what Stele itself keeps or is configured with: JSON, queries, settings, vectors, damaged stores."""

import json
import struct


def json_seeds(_):
    texts = ['{"a":[1,-0,2.5e-3,true,false,null],"b":{"\\u00e9":"\\ud83d\\ude42"},"a":""}', '[[[]],{}]', ' "line\\nbreak" ', "-12345678901234567890",
             "1e400", "NaN", "[1,]", '{"a" 1}', '"\\ud800"', '"\\u0000"', "[" * 220 + "]" * 220, '{"a":-Infinity}', "\x01", '"tab\t"', "0.1e+05"]
    return [text.encode() for text in texts] + [b'"\xff\xfe"', b'{"\xed\xa0\x80":1}', b"\xef\xbb\xbf1"]


def query_seeds(_):
    queries = ["deploy plan", '"deploy plan" OR test*', "a NOT b AND c OR NOT d", "chat-send a/b.py it's", "天気 NOT 雨*", '"a b"*', "(x) content:y -z",
               "“a ” OR \"", "É e\u0301 Straße ﬁ", "AND OR NOT", "a" * 80 + "*", " ".join("abcdefgh" * 10)]
    texts = ["the deploy plan, tested twice", "a b c d", "chat-send it's a/b.py", "今日の天気は雨", "École STRASSE", "x y z", ""]
    return [f"{query}\n{text}".encode() for query in queries for text in texts]


def config_seeds(_):
    texts = ['home = "/tmp/x"\n', "# a comment\n[serve]\nport = 8080 # here\nhosts = [\"a\", 'b',\n]\n", "[[rule]]\nname='x'\n[[rule]]\n", "home = 'x'\r\n[serve]\r\n",
             "[serve]\n#port = 1\n", '"quoted key" = true', "a = 0x10", "a = 1.5", "a.b = 1", 'a = """x"""', "[a]\n[a]\n", "a = 1\na = 2\n", "a = [1, [2], 'x']",
             'a = "\\u00e9\\t\\""', "a = 2026-01-01", "home=1"]
    return [text.encode() for text in texts]


def vector_seeds(rng):
    """A byte that chooses the form, then the vector, the file, or how a good file is changed."""
    numbers = [rng.uniform(-1, 1) for _ in range(24)]
    seeds = [b"\0" + json.dumps(numbers).encode(), b"\0[1e-45,3.4e38,-0.0]", b"\0[1e39]", b"\1" + struct.pack("<24f", *numbers),
             b"\1" + struct.pack("<24e", *numbers), b"\1" + struct.pack("<24e", *[float("nan")] * 24), b"\2" + rng.randbytes(64), b"\3STCODES\0" + bytes(200), b"\3"]
    for _ in range(40):
        changes = b"".join(bytes([rng.randrange(6)]) + struct.pack("<H", rng.choice([rng.randrange(400), rng.randrange(65536)])) + rng.randbytes(1)
                           for _ in range(rng.randrange(1, 4)))
        seeds.append(b"\4" + bytes([rng.randrange(2)]) + changes)
    return seeds


def store_seeds(rng):
    """A byte that chooses the store and whether it is only salvaged, then steps of damage: file, what, page, where, values."""
    seeds = []
    for store in [*range(5), *range(130, 135)]:
        for kind in range(16):
            seeds += [bytes([store]) + b"".join(bytes([rng.randrange(4), kind]) + rng.randbytes(6) for _ in range(count)) for count in (1, 3)]
    return seeds


SEEDS = {"config": config_seeds, "json": json_seeds, "query": query_seeds, "store": store_seeds, "vectors": vector_seeds}

"""Seeds of what embedding reads: a byte that chooses what it is taken for, then the bytes."""

import json
import struct

BERT = {"normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"}}


def tensors(kind, size):
    header = json.dumps({"embeddings": {"dtype": kind, "shape": [2, 3], "data_offsets": [0, 6 * size]}}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(range(6 * size))


def embed_seeds(_rng):
    tokenizer = {**BERT, "model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "em": 1, "##bed": 2}, "max_input_chars_per_word": 100}}
    reply = {"data": [{"index": i, "embedding": [0.5, -1, 2e-3]} for i in range(3)]}
    return [bytes([1]) + bytes(range(30)),
            *(bytes([2]) + tensors(kind, size) for kind, size in (("F32", 4), ("F64", 8), ("F16", 2), ("BF16", 2), ("I8", 1), ("I64", 8))),
            bytes([3]) + json.dumps(tokenizer).encode(),
            bytes([4]) + b"3 2\nthe 1 2\ncat -0.5 1e-3\nnew york 1 1\n", bytes([4]) + b"caf\xc3\xa9 1 2 3\r\nthe 3 2 1 \r\n",
            bytes([5]) + json.dumps(reply).encode(), bytes([5]) + b'{"error":{"message":"no\\u0000 such"}}']


SEEDS = {"embed": embed_seeds}

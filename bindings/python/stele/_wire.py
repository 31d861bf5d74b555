"""Arguments to JSON and replies from JSON, as the library takes and gives them.

Most of what a call costs in Python is spent here, so that encoder and decoder are made once."""

import base64
import json
from datetime import date

_MARK = ":", ","


def _other(value):
    """What JSON has no form for: bytes are base64, times RFC 3339."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, date):  # and datetime
        return value.isoformat()
    raise TypeError(f"a value of type {type(value).__name__} cannot be sent")


def _make_encoder():
    if json.encoder.c_make_encoder is None:
        made = json.JSONEncoder(separators=(_MARK[1], _MARK[0]), default=_other, ensure_ascii=False)
        return lambda args: made.encode(args).encode("utf-8", "surrogatepass")
    # JSONEncoder.encode() makes this anew at each call, which takes as long as all the rest.
    chunks = json.encoder.c_make_encoder(None, _other, json.encoder.encode_basestring, None, *_MARK, False, False, True)
    return lambda args: "".join(chunks(args, 0)).encode("utf-8", "surrogatepass")  # the library refuses what is no UTF-8


encode = _make_encoder()
_read = json.JSONDecoder().scan_once


def decode(reply):
    return _read(reply.decode(), 0)[0]


def restore(rows, blobs):
    """Columns of bytes, which JSON has as base64."""
    for row in rows if isinstance(rows, list) else [rows] if rows else []:
        for name in blobs:
            if row[name] is not None:
                row[name] = base64.b64decode(row[name])
    return rows

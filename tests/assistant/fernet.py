"""Fernet as Python's cryptography has it, which the tests exchange tokens with.

The package is Debian's, and belongs to an interpreter that need not be the one that runs the tests: the first one on the
path that has it is asked, in a process of its own."""

import functools
import json
import os
import subprocess

_PROGRAM = """
import json, sys
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
asked = json.load(sys.stdin)
fernet = MultiFernet([Fernet(key) for key in asked["keys"]])
def decrypted(token):
    try:
        return fernet.decrypt(token.encode()).decode()
    except InvalidToken:
        return None
json.dump([fernet.encrypt(text.encode()).decode() for text in asked["texts"]] + [decrypted(token) for token in asked["tokens"]],
          sys.stdout)
"""


@functools.cache
def _interpreter():
    for directory in os.get_exec_path():
        path = os.path.join(directory, "python3")
        if os.access(path, os.X_OK) and subprocess.run([path, "-c", "import cryptography.fernet"],
                                                       stderr=subprocess.DEVNULL).returncode == 0:
            return path
    raise AssertionError("no python3 on the path has cryptography: tools/setup test installs it")


def _ask(keys, texts=(), tokens=()):
    asked = json.dumps({"keys": keys, "texts": list(texts), "tokens": list(tokens)})
    return json.loads(subprocess.run([_interpreter(), "-c", _PROGRAM], input=asked, stdout=subprocess.PIPE, text=True,
                                     check=True).stdout)


def encrypt(keys, *texts):
    """A token for each text."""
    return _ask(keys, texts=texts)


def decrypt(keys, *tokens):
    """The text of each token; None where it is refused."""
    return _ask(keys, tokens=tokens)

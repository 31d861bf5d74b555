"""include/stele.h, read: what a program that uses the library has to know.

The header is written in a plain style (one declaration after the other, typedefs before use), and only that is
understood here; anything else stops the build."""

import re
from dataclasses import dataclass, field

_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_STATUS = re.compile(r'X\((\w+), "([^"]*)", (\d+)\)')
_CONSTANT = re.compile(r"^#define (STELE_\w+) (\d+)u?[ \t]*$", re.M)
_VERSION = re.compile(r'^#define STELE_VERSION "([^"]+)"', re.M)
_OPAQUE = re.compile(r"^typedef struct (\w+) \1;", re.M)
_ENUM = re.compile(r"^typedef enum (\w+) \{(.*?)\} \1;", re.S | re.M)
_STRUCT = re.compile(r"^(?:typedef )?struct (\w+) \{(.*?)\n\}(?: \1)?;", re.S | re.M)
_FUNCTION = re.compile(r"^STELE_API ([^;{]*?)(\w+)\(([^;{]*)\);", re.S | re.M)
_POINTER_TO_FUNCTION = re.compile(r"(.+?)\(\*(\w+)\)\((.*)\)$", re.S)


class BadHeader(Exception):
    """A declaration that is not understood."""


@dataclass
class Declared:
    """A member of a struct, or a parameter: its type as it is written, without the name."""
    name: str
    type: str
    callback: list = None  # for a pointer to a function: the types of its parameters; type is what it answers


@dataclass
class Function:
    name: str
    result: str
    params: list


@dataclass
class Header:
    version: str
    statuses: list                                # (name, what it means, HTTP status)
    constants: dict                               # STELE_NULLABLE -> 1, and the values of the enums
    enums: list                                   # their names
    opaque: list = field(default_factory=list)    # types of which only pointers are seen
    structs: dict = field(default_factory=dict)   # name -> [Declared]
    functions: list = field(default_factory=list)


def read(text):
    text = _COMMENT.sub("", text)
    text = re.sub(r"[ \t]+$", "", text, flags=re.M)
    version = _VERSION.search(text)
    if not version:
        raise BadHeader("STELE_VERSION is missing")
    header = Header(version[1], [(name, meaning, int(http)) for name, meaning, http in _STATUS.findall(text)],
                    {name: int(value) for name, value in _CONSTANT.findall(text)}, ["stele_status"])
    header.constants.update((f"STELE_{name}", number) for number, (name, _, _) in enumerate(header.statuses))
    for name, body in _ENUM.findall(text):
        if name not in header.enums:
            header.enums.append(name)
            words = [word.strip() for word in body.split(",") if word.strip()]
            header.constants.update((word, number) for number, word in enumerate(words))
    for name, body in _STRUCT.findall(text):
        header.structs[name] = [member for line in body.split(";") if line.strip() for member in _members(line.strip())]
    header.opaque = [name for name in _OPAQUE.findall(text) if name not in header.structs]
    header.functions = [_function(*found) for found in _FUNCTION.findall(text)]
    if not header.functions or not header.statuses:
        raise BadHeader("no function or no status was found")
    return header


def _members(line):
    """`double min, max` are two."""
    pointer = _POINTER_TO_FUNCTION.match(line)
    if pointer:
        return [Declared(pointer[2], " ".join(pointer[1].replace("*", " * ").split()), [_declared(each).type for each in pointer[3].split(",")])]
    first, *others = line.split(",")
    member = _declared(first)
    return [member] + [Declared(name.strip(), member.type) for name in others]


def _declared(text):
    found = re.match(r"(.*?[\s*])(\w+)$", text.strip(), re.S)
    if not found:
        raise BadHeader(f"not understood: {text.strip()}")
    return Declared(found[2], " ".join(found[1].replace("*", " * ").split()))


def _function(result, name, params):
    kept = [] if params.strip() == "void" else [_declared(each) for each in params.split(",")]
    return Function(name, " ".join(result.replace("*", " * ").split()), kept)

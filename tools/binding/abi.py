"""The header as declarations for ctypes: the module stele/_abi.py."""

from .header import BadHeader

_PLAIN = {
    "int": "c_int", "unsigned": "c_uint", "size_t": "c_size_t", "int64_t": "c_int64", "double": "c_double", "void": "None",
    "const char *": "c_char_p",
}


def module(header):
    out = ['"""Written by tools/binding.py from include/stele.h.  Do not edit."""\n',
           "from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint,",
           "                    c_void_p)\n",
           f"VERSION = {header.version!r}\n", "# (name, what it means, HTTP status), by number", "STATUSES = ("]
    out += [f"    ({name!r}, {meaning!r}, {http})," for name, meaning, http in header.statuses] + [")\n"]
    out += [f"{name} = {value}" for name, value in header.constants.items()]
    known = set()  # the structs that have been written
    for name, members in header.structs.items():
        out.append(_struct(header, known, name, members))
        known.add(name)
    out += ["", "# name: (what it answers, its parameters)", "FUNCTIONS = {"]
    out += [f"    {each.name!r}: ({_type(header, known, each.result)}, "
            f"[{', '.join(_type(header, known, param.type) for param in each.params)}])," for each in header.functions]
    return "\n".join(out + ["}"]) + "\n"


def _struct(header, known, name, members):
    rows = "\n".join(f"        ({member.name!r}, {_member(header, known, member)})," for member in members)
    return f"\n\nclass {name}(Structure):\n    _fields_ = [\n{rows}\n    ]"


def _member(header, known, member):
    if member.callback is None:
        return _type(header, known, member.type)
    types = [_type(header, known, each) for each in [member.type, *member.callback]]
    return f"CFUNCTYPE({', '.join(types)})"


def _type(header, known, written):
    """Pointers to what has no fields here, and to pointers, are addresses."""
    if written in _PLAIN:
        return _PLAIN[written]
    if written in header.enums:
        return "c_int"
    target = written.removeprefix("const ").removesuffix(" *")
    if written.endswith("*"):
        return f"POINTER({target})" if target in known else "c_void_p"
    raise BadHeader(f"the type {written} is not known")

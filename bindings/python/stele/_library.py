"""libstele, found and loaded: every function of include/stele.h, declared as the header declares it.

ctypes.CDLL lets go of the interpreter's lock during each call, so that other threads run meanwhile."""

import ctypes
import os

from . import _abi

BESIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libstele.so")
SYSTEM = "libstele.so.0"  # where the system looks; the number is that of the interface


class LibraryNotFound(ImportError):
    """There is no libstele, or it is not the one this package was made for."""


def _load():
    """$STELE_LIBRARY, then beside the package, then where the system looks."""
    named = os.environ.get("STELE_LIBRARY")
    for path in [named] if named else [BESIDE] if os.path.exists(BESIDE) else [SYSTEM]:
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            raise LibraryNotFound(f"libstele cannot be loaded: {error}; install Stele, or name the library in $STELE_LIBRARY"
                                  ) from None


def function(name, result=None):
    """A function of the library; result: another reading of what it answers than the header's."""
    found = library[name]  # a new object each time, with declarations of its own
    declared, found.argtypes = _abi.FUNCTIONS[name]
    found.restype = result or declared
    return found


library, path = _load()
try:
    version = function("stele_version")().decode()
except AttributeError:
    raise LibraryNotFound(f"{path} is not libstele") from None
if version != _abi.VERSION:
    raise LibraryNotFound(f"{path} is version {version} of libstele, and this package was made for {_abi.VERSION}")

close = function("stele_close")
call = function("stele_call")
free = function("stele_free")
error = function("stele_error")
notes = function("stele_notes")
begin = function("stele_begin")
commit = function("stele_commit")
rollback = function("stele_rollback")
prepare = function("stele_prepare")
bind_json = function("stele_bind_json")
step = function("stele_step")
row_json = function("stele_row_json")
finalize = function("stele_finalize")
open_handle = function("stele_open")

"""Builds the wheel (PEP 517): the package as tools/binding.py makes it, with the library beside it.

The library is the one that $STELE_LIBRARY names; else the one of the build directory, which is brought up to date, or
made if there is none."""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
NAME = "stele"
METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: The durable state of AI agents
Requires-Python: >=3.10
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: stele\nRoot-Is-Purelib: false\nTag: {tag}\n"


def _version():
    header = (ROOT / "include" / "stele.h").read_text(encoding="utf-8")
    return re.search(r'#define STELE_VERSION "([^"]+)"', header)[1]


def _environment():
    """Without what pip put there for this program: Meson is a Python program too."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _library():
    named = os.environ.get("STELE_LIBRARY")
    if named:
        return Path(named)
    subprocess.run(["make", "-C", str(ROOT)], check=True, env=_environment(), stdout=sys.stderr)
    return ROOT / "build" / "libstele.so"


def _make_package(directory):
    subprocess.run([sys.executable, str(ROOT / "tools" / "binding.py"), "--out", str(directory), "--library", str(_library())],
                   check=True, env=_environment())


def _record(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version, tag = _version(), "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    info = f"{NAME}-{version}.dist-info"
    with tempfile.TemporaryDirectory() as directory:
        _make_package(directory)
        files = {str(path.relative_to(directory)): path.read_bytes() for path in sorted(Path(directory).rglob("*")) if path.is_file()}
    files[f"{info}/METADATA"] = METADATA.format(name=NAME, version=version).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    record = "".join(_record(name, data) for name, data in files.items()) + f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode()
    wheel = f"{NAME}-{version}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("there is no archive of the sources of this package alone: it is made from those of the library")

"""The machine that was measured, and the state of the tree."""

import os
import platform
import subprocess


def file_system(path):
    """The kind of file system a path is on, as the kernel names it."""
    path, found = os.path.realpath(path), ("", "unknown")
    with open("/proc/self/mounts") as mounts:
        for _, point, kind, *_ in map(str.split, mounts):
            inside = path == point or path.startswith(point.rstrip("/") + "/")
            if inside and len(point) >= len(found[0]):
                found = (point, kind)
    return found[1]


def _value(path, key):
    with open(path) as file:
        for line in file:
            name, _, value = line.partition(":")
            if name.strip() == key:
                return value.strip()
    return ""


def described(directory):
    """What a reader needs to place the figures."""
    memory = int(_value("/proc/meminfo", "MemTotal").split()[0]) / 1024 ** 2
    return {"processor": _value("/proc/cpuinfo", "model name") or platform.machine(), "processors": os.cpu_count(), "memory_gib": round(memory, 1),
            "kernel": platform.release(), "load": round(os.getloadavg()[0], 2), "file_system": file_system(directory)}


def sentence(machine):
    return (f"{machine['processor']}, {machine['processors']} processors, {machine['memory_gib']:.0f} GiB, Linux {machine['kernel']}, "
            f"{machine['file_system']}; load {machine['load']:.1f} at the start")


def commit():
    """The commit that was measured, with a + where the tree differs from it."""
    here = os.path.dirname(os.path.abspath(__file__))

    def git(*words):
        return subprocess.run(["git", "-C", here, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    name = git("rev-parse", "--short=10", "HEAD") or "unknown"
    return name + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")

"""Where files live in memory, if there is enough of it: the tests sync at every commit, and make thousands of tables."""

import os

PLACE = "/dev/shm"
ENOUGH = 8 << 30


def _available():
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable:"))


def directory():
    """A directory to make others in, or None: what is usual is to be used."""
    try:
        place = os.statvfs(PLACE)
        room = min(place.f_bavail * place.f_frsize, _available())
    except (OSError, StopIteration):
        return None
    return PLACE if room >= ENOUGH and not place.f_flag & os.ST_NOEXEC and os.access(PLACE, os.W_OK) else None

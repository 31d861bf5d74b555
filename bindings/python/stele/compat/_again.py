"""Transactions that meet.  PostgreSQL gives up one of two; the next attempt is made with what the other wrote."""

import random
import time

_PATIENCE = 20.0  # seconds: as long as a writer waits for its turn
_PAUSE, _LONGEST_PAUSE = 0.002, 0.2


def pauses():
    """Seconds to wait before each new attempt, longer and longer and of any length: those that met do not meet again.
    It ends when patience does: the conflict is then the caller's."""
    deadline, longest = time.monotonic() + _PATIENCE, _PAUSE
    while time.monotonic() < deadline:
        yield random.uniform(0, longest)
        longest = min(2 * longest, _LONGEST_PAUSE)

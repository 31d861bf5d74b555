"""One workload on several players: the first call that they answer differently.

A workload is a list of calls, (method, arguments); REOPEN as a method closes every store and opens it again.
"""

import math

REOPEN = "reopen"


def same(one, other):
    """Equal as JSON values; numbers by their value, not by how they are written."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other or math.isclose(one, other, rel_tol=1e-12)  # sums are not added up in the same order
    return one == other


def answers(players, calls):
    """What the players answer, call by call, until somebody wants no more."""
    begun = []
    try:
        for player in players:
            player.begin()
            begun.append(player)
        for method, args in calls:
            if method == REOPEN:
                for player in players:
                    player.reopen()
                yield [("ok", None) for _ in players]
            else:
                yield [player.call(method, args) for player in players]
    finally:
        for player in begun:
            player.end()


def first_difference(players, calls):
    """(number of the call, the answers to it), or None."""
    for number, said in enumerate(answers(players, calls)):
        if not all(same(said[0], each) for each in said[1:]):
            return number, said
    return None


def count_done(players, calls):
    """How many of the calls were not refused, by one player who stands for all."""
    return sum(said[0][0] == "ok" for said in answers(players[:1], calls))

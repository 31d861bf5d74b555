"""What the tests of workloads share: the registry, a workload's options, playing one and telling how it went."""

import time

from differential import case, compare, shrink
from differential.models.arguments import Unpredictable
from method import doors

SEED = 20260301


def read_options(parser, calls):
    """The arguments, with those that all have."""
    parser.add_argument("--seed", type=int, help="of the first workload; with --seconds the clock's, if none is named")
    parser.add_argument("--calls", type=int, default=calls, help="in one workload")
    parser.add_argument("--seconds", type=float, default=0, help="go on with other seeds for so long")
    args = parser.parse_args()
    if args.seed is None:
        args.seed = int(time.time()) if args.seconds else SEED
    return args


def declared():
    """Every method, as the registry declares it, and the names of the stores."""
    with doors.Sqlite() as places, doors.Player() as player:
        player.open(places.new())
        methods = player.must("call", "stele.methods", "{}")
        return methods, [status["store"] for status in player.must("call", "stele.status", "{}")]


def play(players, calls, title):
    """Whether all answered alike; prints a line, and what differed."""
    found = compare.first_difference(players, calls)
    print(("not ok - " if found else "ok - ") + f"{title} are answered alike by {', '.join(each.name for each in players)}", flush=True)
    if found:
        print("# as it was met, before it was shortened:")
        print(case.answers_to(players, calls, found))
        print("# shortened:")
        print(report(players, shorten(players, calls[:found[0] + 1])), flush=True)
    return not found


def kind(calls, found):
    """What kind of difference it is: the method, and who answered or refused in which way."""
    number, said = found
    return calls[number][0], [word if word == "ok" else (told["code"], told["field"]) for word, told in said]


def shorten(players, calls):
    """The fewest calls that end in a difference of the same kind."""
    wanted = kind(calls, compare.first_difference(players, calls))

    def differs(fewer):
        try:
            found = compare.first_difference(players, fewer)
        except Unpredictable:
            return None
        return found[0] if found and kind(fewer, found) == wanted else None

    return shrink.Shrinker(differs).shrink(calls)


def report(players, calls):
    found = compare.first_difference(players, calls)
    return case.report(players, calls, found) if found else "# what differed does so no more: it is by chance"

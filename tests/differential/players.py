"""Those who play a workload: Stele on an engine, or a model in memory.  Each answers a call ("ok", reply) or ("error", {code, field}).

A player is begun anew for every workload, reopened in between, and ended.  Numbers that an engine gives to rows may have gaps (a sequence
of PostgreSQL does not go back), and tokens are random; so a model that says which names hold such things is told them in the order in
which they were given: the first number is 1 for every player, the first token token-1.
"""

import json
import re

from method import doors

UNKNOWN = 1_000_000_000  # a number that was never given
TEXTS = {"token"}        # kinds that are no numbers


class Numbers:
    """The numbers and tokens that one player gave, by kind.  kinds: which names of arguments and results hold numbers, and what of; METHOD.NAME is
    the name in that method only.  given: by method, the results that may be new ones."""

    def __init__(self, kinds, given):
        self.kinds, self.given = kinds, given
        self.real = {kind: [] for kind in set(kinds.values())}

    def _map(self, method, value, change):
        """The value with every number in it changed: change(kind, number)."""
        if isinstance(value, list):
            return [self._map(method, each, change) for each in value]
        if not isinstance(value, dict):
            return value
        made = {}
        for name, each in value.items():
            kind = self.kinds.get(f"{method}.{name}", self.kinds.get(name))
            if kind and isinstance(each, list):
                made[name] = [change(kind, number) for number in each]
            else:
                made[name] = change(kind, each) if kind else self._map(method, each, change)
        return made

    def to_player(self, method, args):
        return self._map(method, args, self._real)

    def _real(self, kind, said):
        """What the player calls the n-th, of tokens also the newest (0); one that was never given is something that nobody gives."""
        known = self.real[kind]
        if kind in TEXTS:
            number = int(said[len(kind) + 1:]) if isinstance(said, str) and re.fullmatch(kind + r"-\d+", said) else len(known) + 1
            return known[number - 1] if known and number <= len(known) else said
        if not isinstance(said, int) or isinstance(said, bool) or said < 1:
            return said
        return known[said - 1] if said <= len(known) else UNKNOWN + said

    def from_player(self, method, reply):
        for name in self.given.get(method, ()):
            known = self.real[self.kinds.get(f"{method}.{name}", self.kinds.get(name))]
            for row in reply if isinstance(reply, list) else [reply]:
                told = row[name] if isinstance(row[name], list) else [row[name]]
                known += [each for each in told if each not in known]
        return self._map(method, reply, self._ordinal)

    def _ordinal(self, kind, told):
        known = self.real[kind]
        if told not in known:
            return told
        number = known.index(told) + 1
        return f"{kind}-{number}" if kind in TEXTS else number


class Engine:
    """Stele, through the player of tests/play, on a new place for every workload."""

    def __init__(self, name, places, player, first=(), numbered=({}, {}), hidden=None):
        self.name, self.places, self.player, self.first = name, places, player, first
        self.numbered, self.hidden = numbered, hidden or {}

    def begin(self):
        self.place = self.places.new()
        self.numbers = Numbers(*self.numbered)
        self.player.open(self.place)
        for method, args in self.first:
            self.player.must("call", method, json.dumps(args))

    def call(self, method, args):
        word, told = self.player.call(method, json.dumps(self.numbers.to_player(method, args)))
        if word == "ok":
            return word, self._shown(method, self.numbers.from_player(method, told))
        return word, {"code": told["code"], "field": told["field"]}  # the words may tell what the engine said

    def _shown(self, method, reply):
        if method not in self.hidden or not reply:
            return reply
        if isinstance(reply, list):
            return [self._shown(method, each) for each in reply]
        return {name: value for name, value in reply.items() if name not in self.hidden[method]}

    def reopen(self):
        self.player.close()
        self.player.open(self.place)

    def end(self):
        self.player.close()
        self.places.forget(self.place)


class Memory:
    """A model."""
    name = "model"

    def __init__(self, make):
        self.make = make

    def begin(self):
        self.model = self.make()

    def call(self, method, args):
        return self.model.call(method, args)

    def reopen(self):
        pass

    def end(self):
        del self.model


def engines(stack, stores, which=("sqlite", "postgres"), **options):
    """The engines as players, with the options of Engine; what they need is closed with the stack."""
    made = {"sqlite": doors.Sqlite, "postgres": lambda: doors.Postgres(stores)}
    return [Engine(name, stack.enter_context(made[name]()), stack.enter_context(doors.Player()), **options) for name in which]

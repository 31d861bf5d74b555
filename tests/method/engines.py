"""Tests of one store that are run on each engine.  Whoever uses it has tests/ and tests/cli/ on the path."""

from method import doors
from place import postgres_test, test


class Opened:
    """A new store of that name: opened(method, **arguments) calls it."""

    def __init__(self, places, place, player, store):
        self.places, self.place, self.player, self.store = places, place, player, store

    def __call__(self, method, **args):
        return self.player.must("call", f"{self.store}.{method}", doors.json.dumps(args))

    def methods(self):
        """What the registry declares of the store."""
        return [each for each in self.player.must("call", "stele.methods", "{}") if each["store"] == self.store]

    def sql(self, sql):
        """What another program does to it."""
        self.places.sql(self.place, self.store, sql)


def on_each(store):
    """A decorator like place.test(): the function is given a new store of that name, Opened."""
    def named(name):
        def keep(function):
            def on(entered):
                def run():
                    with entered() as places, doors.Player() as player:
                        place = places.new()
                        player.open(place)
                        function(Opened(places, place, player, store))
                return run
            test(f"sqlite: {name}")(on(doors.Sqlite))
            postgres_test(f"postgres: {name}")(on(lambda: doors.Postgres([store])))
            return function
        return keep
    return named

"""Tests of one store that are run on each engine.  Whoever uses it has tests/ and tests/cli/ on the path."""

from method import doors
from place import postgres_test, test


def on_each(store):
    """A decorator like place.test(): the function is given call(method, **arguments) of a new store of that name."""
    def named(name):
        def keep(function):
            def on(places):
                def run():
                    with places() as place, doors.Player() as player:
                        player.open(place.new())
                        function(lambda method, **args: player.must("call", f"{store}.{method}", doors.json.dumps(args)))
                return run
            test(f"sqlite: {name}")(on(doors.Sqlite))
            postgres_test(f"postgres: {name}")(on(lambda: doors.Postgres([store])))
            return function
        return keep
    return named

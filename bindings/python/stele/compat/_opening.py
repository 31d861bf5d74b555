"""Where an adapter keeps its state: in a database that is open already, or in one of its own."""

import time

from .. import Database, open as open_database
from ..errors import ConflictError
from ._again import pauses


class Opened:
    """The database of an adapter.  One that the adapter opened itself is closed with it."""

    def __init__(self, where, options):
        self._own = not isinstance(where, Database)
        if not self._own and options:
            raise TypeError("options are for a database that is opened here")
        self._db = open_database(where, **options) if self._own else where

    def _together(self, store, function):
        """function(), whose calls on the store are all done or none."""
        waits = pauses()
        while True:
            try:
                with self._db.transaction(store):
                    return function()
            except ConflictError:
                pause = next(waits, None)
                if pause is None:
                    raise
            time.sleep(pause)

    def close(self) -> None:
        """Close the database, if it was opened here."""
        if self._own:
            self._db.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

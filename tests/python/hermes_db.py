"""What the tests of stele.compat.hermes share: a database in the directory of a test, with a session s1."""

import os

from conversation import original
from python.tap import test
from stele.compat.hermes import SessionDB

SESSION_COLUMNS = [column.split()[0] for _, column in original.SESSIONS]
MESSAGE_COLUMNS = [column.split()[0] for _, column in original.MESSAGES]


class opened(SessionDB):
    """A SessionDB in the directory of a test, with a session s1; closed at the end of its `with`."""

    def __init__(self, place, name="state.db", session=True):
        super().__init__(os.path.join(place, name))
        if session:
            self.create_session("s1", "cli")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def say(self, *texts, session="s1", role="user", **more):
        return [self.append_message(session, role, text, **more) for text in texts]

    def ids(self, query, **more):
        return [row["id"] for row in self.search_messages(query, **more)]

    def start(self, session, at, **more):
        self.create_session(session, "cli", **more)
        self._conn.execute("UPDATE sessions SET started_at = ? WHERE id = ?", (at, session))


def hermes_test(name):
    """A test with an open database."""
    def keep(function):
        @test(name)
        def _(place):
            with opened(place) as db:
                function(db)
        return function
    return keep

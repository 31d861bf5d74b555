"""What the models of all stores share: a call finds the function of its method, gets its arguments checked, and changes all or nothing."""

import copy

from differential.models.arguments import Arguments, Refused


class Model:
    """A store in memory.  A subclass has a function for every method it knows, and its tables in self.rows."""
    store = ""    # its name
    time = ""     # the form of its times
    numbered = ({}, {})  # see players.Numbers
    hints = {}    # values for arguments, see method.workload
    weights = {}  # by method: how often it is called, see the same
    without = {}  # by method: arguments that are never sent
    always = {}   # by method: optional arguments that are always sent
    hidden = {}   # by method: results that engines may tell differently

    def __init__(self, declared):
        self.arguments = Arguments(declared, self.time)
        self.rows = self.tables()

    @classmethod
    def methods(cls):
        """The names of the methods that it knows: functions with a public name of their own."""
        from_here = set(dir(Model))
        return sorted(f"{cls.store}.{name}" for name in dir(cls) if not name.startswith("_") and name not in from_here and callable(getattr(cls, name)))

    @classmethod
    def records(cls, declared):
        """Declarations of records that the registry does not tell, since their methods are private."""
        return {}

    def tables(self):
        raise NotImplementedError

    def _add(self, table, row):
        """A row under the next number, which it is told as its id."""
        number = self.rows["last"][table] = self.rows["last"].get(table, 0) + 1
        self.rows[table][number] = {"id": number, **row}
        return number

    def _get(self, table, number, field):
        """The row of that number; without one the field is to blame."""
        if number not in self.rows[table]:
            raise Refused("NOTFOUND", field)
        return self.rows[table][number]

    def call(self, method, args):
        before = copy.deepcopy(self.rows)
        try:
            return "ok", getattr(self, method.partition(".")[2])(self.arguments.read(method, args))
        except Refused as refused:
            self.rows = before
            return "error", {"code": refused.code, "field": refused.field}


def newest(rows, *keys):
    """Rows by these columns, the greatest first."""
    return sorted(rows, key=lambda row: tuple(row[key] for key in keys), reverse=True)


def page(rows, args):
    """Those that limit and offset leave; a negative limit leaves all."""
    rows = rows[args["offset"]:]
    return rows if args["limit"] < 0 else rows[:args["limit"]]


def pick(row, names):
    return {name: row[name] for name in names.split()}

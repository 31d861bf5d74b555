"""When a schedule of cron fires, by Python's time zones: day after day, every local time of it is turned into UTC."""

import datetime
import itertools

UTC = datetime.timezone.utc
MINUTE = datetime.timedelta(minutes=1)
DAY = datetime.timedelta(days=1)

MONTHS = dict(zip("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(), range(1, 13)))
WEEKDAYS = dict(zip("SUN MON TUE WED THU FRI SAT".split(), range(7)))
FIELDS = ((0, 59, {}), (0, 23, {}), (1, 31, {}), (1, 12, MONTHS), (0, 7, WEEKDAYS))


def _values(text, low, high, names):
    """The values of a field that is known to be right."""
    found = set()
    for part in text.upper().split(","):
        part, _, step = part.partition("/")
        first, _, last = part.partition("-")
        if first == "*":
            start, stop = low, high
        else:
            start = names[first] if first in names else int(first)
            stop = (names[last] if last in names else int(last)) if last else high if step else start
        found.update(range(start, stop + 1, int(step or 1)))
    return found


def _first_after_gap(zone, wall):
    """The moment at which clocks are put forward over a local time."""
    low, high = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (1, 0))
    before = low.astimezone(zone).utcoffset()
    while high - low > datetime.timedelta(seconds=1):
        middle = low + (high - low) // 2
        middle = middle.replace(microsecond=0)
        low, high = (middle, high) if middle.astimezone(zone).utcoffset() == before else (low, middle)
    return high


def _moments(zone, wall, interval):
    """When clocks show a local time, as far as the schedule fires then."""
    shown = {moment for moment in (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
             if moment.astimezone(zone).replace(tzinfo=None) == wall}
    if interval:
        return shown
    return {min(shown)} if shown else {_first_after_gap(zone, wall)}


class Schedule:
    def __init__(self, text):
        fields = text.split()
        self.minutes, self.hours, self.days, self.months, weekdays = (
            _values(field, *bounds) for field, bounds in zip(fields, FIELDS))
        self.weekdays = {value % 7 for value in weekdays}
        self.interval = fields[1].startswith("*")
        self.either = not fields[2].startswith("*") and not fields[4].startswith("*")

    def _fits(self, date):
        by_date, by_weekday = date.day in self.days, date.isoweekday() % 7 in self.weekdays
        return date.month in self.months and (by_date or by_weekday if self.either else by_date and by_weekday)

    def _of_day(self, zone, date):
        if not self._fits(date):
            return set()
        return {moment for hour, minute in itertools.product(self.hours, self.minutes)
                for moment in _moments(zone, datetime.datetime(date.year, date.month, date.day, hour, minute), self.interval)}

    def after(self, zone, after, count, days):
        """The next moments, as many as there are within some days."""
        start, found = after.astimezone(zone).date(), set()
        for number in range(-2, days):
            found |= {moment for moment in self._of_day(zone, start + number * DAY) if moment > after}
            if len(found) >= count and start + (number - 2) * DAY > sorted(found)[count - 1].astimezone(zone).date():
                break
        return sorted(found)[:count]

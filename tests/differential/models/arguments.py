"""What a call's arguments become, by the declaration of its method: checked, in the store's form, with defaults; or Refused."""

import datetime
import json
import math
import re

TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?", re.IGNORECASE)
DAY = re.compile(r"\d{4}-\d\d-\d\d")
LENGTH = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")
UUID = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


class Refused(Exception):
    def __init__(self, code, field=""):
        super().__init__(code, field)
        self.code, self.field = code, field


class Unpredictable(Exception):
    """The answer would be by chance: of the time, or of an id that is made up."""


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def seconds(value):
    """A time as epoch seconds, exact to the microsecond; None if it is none."""
    if _is_number(value):
        return value
    if not isinstance(value, str) or not TIME.fullmatch(value):
        return None
    try:
        moment = datetime.datetime.fromisoformat(value)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)
    since = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return (since.days * 86400 * 1_000_000 + since.seconds * 1_000_000 + since.microseconds) / 1e6


def moment_of(epoch):
    return datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(microseconds=math.floor(epoch * 1e6 + 0.5))


FORMS = {
    "seconds": lambda epoch: epoch,
    "millis": lambda epoch: math.floor(round(epoch * 1e6) / 1000),
    "iso": lambda epoch: moment_of(epoch).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00"),
    "sql": lambda epoch: moment_of(epoch).strftime("%Y-%m-%d %H:%M:%S"),
}


class Arguments:
    """of: every method's declaration, as stele.methods tells it; form: of the store's times."""

    def __init__(self, of, form):
        self.of, self.form = of, form

    def read(self, method, args, prefix=""):
        """The arguments; what is absent and has no default is not in them."""
        params = {param["name"]: param for param in self.of[method]["params"]}
        made = {}
        for name, value in args.items():
            if name not in params:
                raise Refused("INVALID", prefix + name)
            made[name] = self._value(params[name], value, prefix)
        for name, param in params.items():
            if name in made:
                continue
            if param.get("default") in ("now", "new") and param["type"] in ("time", "date", "text", "uuid"):
                raise Unpredictable(f"{method} without {name}")
            if "default" in param:
                made[name] = self._value(param, param["default"], prefix)
            elif not param.get("optional"):
                raise Refused("INVALID", prefix + name)
        return made

    def _value(self, param, value, prefix):
        if value is None and param["type"] != "json":
            if param.get("nullable"):
                return None
            raise Refused("INVALID", prefix + param["name"])
        if not param.get("list"):
            return self._checked(param, value, prefix)
        if not isinstance(value, list):
            raise Refused("INVALID", prefix + param["name"])
        if param["type"] == "record":
            return [self._record(param, each, at) for at, each in enumerate(value)]
        return [self._checked(param, each, prefix) for each in value]

    def _record(self, param, value, at):
        if not isinstance(value, dict):
            raise Refused("INVALID", param["name"])
        return self.read(param["record"], value, f"{param['name']}[{at}].")

    def _checked(self, param, value, prefix):
        made = getattr(self, "_" + param["type"], self._text)(value)
        if made is None or ("choices" in param and made not in param["choices"]) or not self._in_range(param, made):
            raise Refused("INVALID", prefix + param["name"])
        return made

    @staticmethod
    def _in_range(param, value):
        if not _is_number(value):
            return True
        return param.get("min", -math.inf) <= value <= param.get("max", math.inf)

    @staticmethod
    def _text(value):
        return value if isinstance(value, str) else None

    @staticmethod
    def _uuid(value):
        return value if isinstance(value, str) and UUID.fullmatch(value) else None

    @staticmethod
    def _int(value):
        return int(value) if _is_number(value) and value == math.floor(value) else None

    @staticmethod
    def _real(value):
        return value if _is_number(value) else None

    @staticmethod
    def _bool(value):
        return bool(value) if isinstance(value, bool) or value in (0, 1) else None

    def _time(self, value):
        epoch = seconds(value)
        if epoch is None:
            return None
        if self.form == "millis" and _is_number(value):
            return math.floor(value)
        return FORMS[self.form](epoch)

    @staticmethod
    def _date(value):
        return value if isinstance(value, str) and DAY.fullmatch(value) and seconds(value) is not None else None

    @staticmethod
    def _duration(value):
        if _is_number(value):
            return value if value >= 0 else None
        found = LENGTH.fullmatch(value) if isinstance(value, str) else None
        return float(found[1]) * UNITS[found[2]] if found else None

    @staticmethod
    def _timezone(value):
        return value if isinstance(value, str) and not value.startswith("Nowhere") and not value.startswith("..") else None

    @staticmethod
    def _cron(value):
        return value if isinstance(value, str) and value not in ("bad", "61 * * * *") else None

    @staticmethod
    def _json(value):
        return Json(value)

    @staticmethod
    def _content(value):
        return Json(value)

    @staticmethod
    def _jsontext(value):
        if isinstance(value, (list, dict)):
            return json.dumps(value)
        try:
            json.loads(value)
        except (TypeError, ValueError):
            return None
        return value


class Json:
    """Any value, null too."""

    def __init__(self, value):
        self.value = value

"""What can go wrong: one class per status of the library, all of them StatusError."""

from ._errors import *  # noqa: F401,F403
from ._errors import BY_STATUS, __all__  # noqa: F401


def from_failure(failure):
    """The error that a stele_failure tells."""
    texts = [text.decode("utf-8", "replace") for text in (failure.message, failure.method, failure.field, failure.hint)]
    return BY_STATUS[failure.status](*texts)

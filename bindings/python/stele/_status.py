"""What every error of the library is."""


class StatusError(Exception):
    """A call that failed.

    code     the word of its status, such as INVALID
    method   the method, or "" when none was involved
    field    the parameter at fault, or ""
    message  what happened, in one line
    hint     what to do about it, or ""
    """
    code = ""

    def __init__(self, message, method="", field="", hint=""):
        super().__init__(f"{message} ({hint})" if hint else message)
        self.message, self.method, self.field, self.hint = message, method, field, hint

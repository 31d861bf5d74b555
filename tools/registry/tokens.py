"""SQL text to tokens: enough of the language to find parameters, names, comments and ends of
statements, and to leave everything else as it was."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"""
    (?P<space>    \s+)
  | (?P<comment>  --[^\n]*)
  | (?P<block>    /\*.*?\*/)
  | (?P<string>   '(?:[^']|'')*'  |  \$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$)
  | (?P<quoted>   "(?:[^"]|"")*")
  | (?P<open>     '|"|/\*)
  | (?P<number>   \d[\w.]*)
  | (?P<cast>     ::)
  | (?P<param>    :[^\W\d]\w*)
  | (?P<word>     [^\W\d]\w*)
  | (?P<sign>     .)
""", re.VERBOSE | re.DOTALL)

# A quotation that runs over a line like this one was never closed.
_DIRECTIVE = re.compile(r"^[ \t]*--[ \t]*@", re.MULTILINE)


@dataclass
class Token:
    kind: str  # a group of _TOKEN except space; "open" is a quotation or comment without an end
    text: str
    line: int
    gap: str  # what stood before it: "", " " or "\n" (also at the start of the text)

    @property
    def alone(self):
        """It begins its line."""
        return self.gap == "\n"

    @property
    def name(self):
        """Of a parameter or an identifier: its name as SQL compares it."""
        if self.kind == "quoted":
            return self.text[1:-1]
        return self.text.lstrip(":").lower()


def tokenize(text, line=1):
    """The tokens of a text whose first line has that number."""
    tokens, at, gap = [], 0, "\n"
    while at < len(text):
        match = _TOKEN.match(text, at)
        kind, found = match.lastgroup, match.group()
        if kind in ("string", "quoted", "block") and _DIRECTIVE.search(found):
            kind = "open"
        if kind == "open":
            stop = _DIRECTIVE.search(text, at)
            found = text[at:stop.start() if stop else len(text)]
        if kind == "space":
            gap = "\n" if "\n" in found or gap == "\n" else " "
        else:
            tokens.append(Token(kind, found, line, gap))
            gap = "\n" if found.endswith("\n") else ""
        at += len(found)
        line += found.count("\n")
    return tokens


def wider(one, other):
    """The wider of two gaps: the one to leave when what stood between them is dropped."""
    return max(one, other, key=["", " ", "\n"].index)

"""A terminal for the interactive program: what it writes is put on a screen as a terminal would, and only what we mean to send
is understood.  Anything else is an error, so that nothing of a text can be obeyed unseen."""

import base64
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unicodedata

from place import BIN

PATIENCE = 60  # seconds for what must come

SEQUENCE = re.compile(rb"\x1b\[(\??)([\d;]*)([A-Za-z])")
OSC = re.compile(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07")


def width_of(character):
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """What a terminal shows: cells with their style."""

    def __init__(self, rows, columns):
        self.modes, self.clipboard, self.styles_used = {"25"}, [], set()
        self.left, self.stale = b"", False
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.clear()

    def clear(self):
        self.cells = [[" "] * self.columns for _ in range(self.rows)]
        self.styles = [["0"] * self.columns for _ in range(self.rows)]
        self.row = self.column = 0
        self.style = "0"

    def feed(self, data):
        data = self.left + data
        at = 0
        if self.stale:
            at = data.find(b"\x1b[2J")
            if at < 0:
                self.left = data[-3:]
                return
            self.stale = False
        while at < len(data):
            step = self._step(data, at)
            if not step:
                break
            at += step
        self.left = data[at:]
        if len(self.left) > 200000:
            raise AssertionError(f"a sequence without an end: {self.left[:40]!r}")

    def _step(self, data, at):
        """Understand what is there; how long it is, 0 if it has not come whole."""
        if data[at] == 0x1b:
            return self._sequence(data, at)
        if "1049" not in self.modes:
            return 1  # the usual screen: what is printed there is looked at as bytes
        if data[at] < 0x20 or data[at] == 0x7f:
            raise AssertionError(f"a control character: {data[at:at + 20]!r}")
        length = 1 if data[at] < 0x80 else 2 if data[at] < 0xe0 else 3 if data[at] < 0xf0 else 4
        if at + length > len(data):
            return 0
        self._put(data[at:at + length].decode())
        return length

    def _sequence(self, data, at):
        if data[at + 1:at + 2] == b"]":
            end = data.find(b"\x07", at)
            if end < 0:
                return 0
            found = OSC.match(data, at)
            if not found:
                raise AssertionError(f"not a sequence of ours: {data[at:at + 40]!r}")
            self.clipboard.append(base64.b64decode(found[1]).decode())
            return len(found[0])
        found = SEQUENCE.match(data, at)
        if not found:
            if len(data) - at > 16:
                raise AssertionError(f"not a sequence of ours: {data[at:at + 40]!r}")
            return 0
        self._obey(found[1] == b"?", found[2].decode(), found[3].decode())
        return len(found[0])

    def _obey(self, private, numbers, letter):
        if private and letter in "hl" and numbers in ("25", "1049", "2004"):
            (self.modes.add if letter == "h" else self.modes.discard)(numbers)
            if numbers == "1049":
                self.clear()
        elif not private and letter == "H":
            self.row, self.column = (int(n) - 1 for n in numbers.split(";"))
            assert self.row < self.rows and self.column < self.columns, (numbers, self.rows, self.columns)
        elif not private and letter == "m":
            self.style = numbers
            self.styles_used.add(numbers)
        elif not private and letter == "J" and numbers == "2":
            cursor = self.row, self.column, self.style
            self.clear()
            self.row, self.column, self.style = cursor
        else:
            raise AssertionError(f"not a sequence of ours: {private} {numbers} {letter}")

    def _put(self, character):
        wide = width_of(character)
        assert not 0x80 <= ord(character) < 0xa0, repr(character)
        if wide == 0:
            self.cells[self.row][max(0, self.column - 1)] += character
            return
        assert self.column + wide <= self.columns, f"beyond the last column: {character!r}"
        for place, text in zip(range(self.column, self.column + wide), (character, "")):
            self.cells[self.row][place] = text
            self.styles[self.row][place] = self.style
        self.column += wide

    def lines(self):
        return ["".join(line).rstrip() for line in self.cells]

    def text(self):
        return "\n".join(self.lines())

    def styled(self, style):
        """What is in one of the styles, in the order of the screen."""
        return "".join(cell for line, styles in zip(self.cells, self.styles) for cell, is_in in zip(line, styles) if is_in in style)


# A shell that can do one thing: it runs a program in the foreground, and says when that stops or ends.
SHELL = """
import os, signal, sys
program = os.fork()
if not program:
    os.setpgid(0, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[2], sys.argv[2:])
say = lambda word: os.write(int(sys.argv[1]), (word + chr(10)).encode())
say(str(program))
status = None
while status is None or os.WIFSTOPPED(status):
    status = os.waitpid(program, os.WUNTRACED)[1]
    say("stopped" if os.WIFSTOPPED(status) else "ended")
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Session:
    """The program on a terminal of its own."""

    def __init__(self, place, *words, rows=24, columns=80, env={}):
        self.screen = Screen(rows, columns)
        self.said = b""
        self.master, self.slave = os.openpty()
        self._size(rows, columns)
        self.modes = termios.tcgetattr(self.slave)
        self.heard, heard = os.pipe()
        self.process = subprocess.Popen([sys.executable, "-c", SHELL, str(heard), BIN, *words], env=place.environment(env), cwd=place.path,
                                        stdin=self.slave, stdout=self.slave, stderr=self.slave, pass_fds=[heard], start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(heard)
        self.program = int(self.hears())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.kill(self.program, signal.SIGKILL)
            self.process.wait()
        os.close(self.heard)
        os.close(self.master)
        os.close(self.slave)

    def _size(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        """Another size.  What was drawn for the old one is not looked at: the program draws all of it anew."""
        self.screen.resize(rows, columns)
        self.screen.left, self.screen.stale = b"", True
        self._size(rows, columns)

    def type(self, text):
        os.write(self.master, text.encode())

    def _read(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        data = os.read(self.master, 65536)
        self.said += data
        self.screen.feed(data)
        return True

    def wait(self, true, what):
        """Until the screen is so."""
        end = time.monotonic() + PATIENCE
        while not true(self.screen):
            if not self._read(0.05) and self.process.poll() is not None and not self._read(0):
                raise AssertionError(f"it ended ({self.process.returncode}) before {what}:\n{self.screen.text()}\n{self.said[-500:]!r}")
            if time.monotonic() > end:
                raise AssertionError(f"{what}: did not come\n{self.screen.text()}")

    def sees(self, *parts):
        self.wait(lambda screen: all(part in screen.text() for part in parts), f"{parts} on the screen")

    def sees_no(self, *parts):
        self.wait(lambda screen: not any(part in screen.text() for part in parts), f"no {parts} on the screen")

    def chosen(self, part):
        """The chosen row of the list has this."""
        self.wait(lambda screen: any(line.startswith("> ") and part in line for line in screen.lines()[2:]), f"{part} chosen")

    def drain(self):
        """Take in what was written so far."""
        while self._read(0):
            pass

    def ends(self, status=0):
        """It ends so, and the terminal is as it was."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            self._read(0.05)
            if time.monotonic() > end:
                raise AssertionError(f"it does not end:\n{self.screen.text()}")
        self.drain()
        if self.process.returncode != status % 256:
            raise AssertionError(f"status {self.process.returncode}: {self.said[-300:]!r}")
        self.restored()

    def restored(self):
        if termios.tcgetattr(self.slave) != self.modes:
            raise AssertionError("the modes of the terminal are not as they were")
        if self.screen.modes - {"25"} or "25" not in self.screen.modes:
            raise AssertionError(f"modes that were left: {self.screen.modes}")

    def hears(self):
        """The next word of the shell."""
        word = b""
        while not word.endswith(b"\n"):
            if not select.select([self.heard], [], [], PATIENCE)[0]:
                raise AssertionError("the shell says nothing")
            word += os.read(self.heard, 1)
        return word.decode().strip()

    def signal(self, number):
        os.kill(self.program, number)

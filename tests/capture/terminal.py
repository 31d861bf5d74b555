"""A shell in a terminal of its own."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import threading
import time

STELE = os.environ.get("STELE_TEST_CLI", "")

# How each is started without the user's files, and made to load a hook.
SHELLS = {
    "zsh": (["zsh", "-f", "-i"], 'eval "$({} hook zsh)"'),
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'eval "$({} hook bash)"'),
    "fish": (["fish", "--no-config", "-i"], "{} hook fish | source"),
}


class Terminal:
    """Whatever it writes is kept in `said`."""

    def __init__(self, shell, directory, **environment):
        self.shell = shell
        self.said = b""
        variables = {"PATH": os.environ["PATH"], "HOME": directory, "TERM": "xterm", "LANG": "C.UTF-8", "HISTFILE": os.path.join(directory, "history"),
                     "XDG_CONFIG_HOME": os.path.join(directory, "config"), "XDG_DATA_HOME": os.path.join(directory, "data"),
                     "STELE_CONFIG": "/dev/null", **environment}
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(directory)
            os.execvpe(SHELLS[shell][0][0], SHELLS[shell][0], variables)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
        self.closing = False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        while not self.closing:
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    self.said += os.read(self.terminal, 65536)
                except OSError:
                    return

    def type(self, line):
        os.write(self.terminal, line.encode() + b"\r")

    def wait_for(self, text, after=0, seconds=60):
        """Where what it says after a place first holds this; fails if it never does."""
        end = time.monotonic() + seconds
        while self.said.find(text.encode(), after) < 0:
            if time.monotonic() > end:
                raise AssertionError(f"{self.shell} did not say {text!r}: {self.said[-2000:]!r}")
            time.sleep(0.01)
        return self.said.find(text.encode(), after)

    def hook(self, *options):
        """Load the hook, and know that it is there."""
        self.type(SHELLS[self.shell][1].format(" ".join([STELE, *options])) + "; echo is''there")
        self.wait_for("isthere")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        self.closing = True
        self.reader.join()
        os.close(self.terminal)

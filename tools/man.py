#!/usr/bin/env python3
"""Write the man pages of stele: one of the program, one of each command, one of all methods.

    tools/man.py STELE DIRECTORY

What they say is told by the program itself (stele help --man): this only names the files.  DIRECTORY/man1
and DIRECTORY/man7 are made anew."""

import json
import os
import shutil
import subprocess
import sys


def main(stele, directory):
    def say(*words):
        return subprocess.run([stele, *words], check=True, stdout=subprocess.PIPE).stdout

    pages = {"man1/stele.1": say("help", "--man"), "man7/stele-methods.7": say("methods", "--man")}
    for command in json.loads(say("help", "--json"))["commands"]:
        pages[f"man1/stele-{command['name']}.1"] = say("help", command["name"], "--man")
    for section in ("man1", "man7"):  # anew, so that a page of a command that is gone does not stay
        shutil.rmtree(os.path.join(directory, section), ignore_errors=True)
        os.makedirs(os.path.join(directory, section))
    for path, text in pages.items():
        with open(os.path.join(directory, path), "wb") as file:
            file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/env python3
"""Write files into C, so that the program needs none beside it.

    embed.py --header src/serve/web.h --c FILE --depfile FILE --directory web [--file NAME=PATH ...]
    embed.py --header src/cli/sample.h --c FILE --depfile FILE --text NAME=PATH

The first writes the table `sv_web_files` (src/serve/web.h): name, type, tag and bytes of each file, by name. The second
writes a text that ends in a NUL: `const char NAME[]`.
"""

import argparse
import hashlib
import os
import sys

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


def found(directory, named):
    """{name: path} of every file; what is no file of a known type stops the build."""
    files = {name: os.path.join(directory, name) for name in os.listdir(directory)
             if name != "meson.build" and os.path.isfile(os.path.join(directory, name))}
    files.update(pair.split("=", 1) for pair in named)
    for name in files:
        if os.path.splitext(name)[1] not in TYPES:
            sys.exit(f"{files[name]}: the type of {name} is not known to tools/embed.py")
    return dict(sorted(files.items()))


def rows(data):
    for at in range(0, len(data), 32):
        yield "  " + "".join(f"{byte}," for byte in data[at:at + 32]) + "\n"


def write(out, header, files):
    table = []
    out.write(f'/* Written by tools/embed.py. */\n#include "{header}"\n')
    for number, (name, path) in enumerate(files.items()):
        with open(path, "rb") as file:
            data = file.read()
        tag = hashlib.sha256(data).hexdigest()[:32]
        kind = TYPES[os.path.splitext(name)[1]]
        out.write(f"static const unsigned char file_{number}[] = {{\n")
        out.writelines(rows(data))
        out.write("};\n")
        table.append(f'  {{"{name}", "{kind}", "\\"{tag}\\"", file_{number}, sizeof file_{number}}},\n')
    out.write("const sv_web_file sv_web_files[] = {\n" + "".join(table) + "  {0, 0, 0, 0, 0},\n};\n")


def write_text(out, header, name, path):
    with open(path, "rb") as file:
        data = file.read() + b"\0"
    out.write(f'/* Written by tools/embed.py. */\n#include "{header}"\nconst char {name}[] = {{\n')
    out.writelines(rows([byte - 256 if byte > 127 else byte for byte in data]))  # char is signed here, or takes it as it is
    out.write("};\n")


def main():
    parser = argparse.ArgumentParser(description="Write files into a C table.")
    parser.add_argument("--header", required=True, help="what the table includes")
    parser.add_argument("--c", required=True, help="the file to write")
    parser.add_argument("--depfile", required=True)
    parser.add_argument("--directory", help="all files in it")
    parser.add_argument("--text", metavar="NAME=PATH", help="one text, instead of a table")
    parser.add_argument("--file", action="append", default=[], metavar="NAME=PATH", help="a file besides")
    args = parser.parse_args()
    header = os.path.abspath(args.header)
    with open(args.c, "w", encoding="ascii") as out:
        if args.text:
            name, path = args.text.split("=", 1)
            write_text(out, header, name, path)
            read = [path]
        else:
            files = found(args.directory, args.file)
            write(out, header, files)
            read = [args.directory, *files.values()]
    with open(args.depfile, "w", encoding="utf-8") as out:
        out.write(f"{args.c}: {' '.join(read)}\n")


if __name__ == "__main__":
    main()

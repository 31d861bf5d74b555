"""A disk at every moment of a record (disk.h), and what it may hold after the power went away then.

Of each file, what was there at its last sync is there.  Of what was written since, every sector is there or not, by itself: that is
writes lost, torn and in another order.  Names of a directory that were made, removed or changed since it was synced happened up to
some point, as file systems with a journal have it; a file that no name leads to is gone.
"""

import os
import struct
from dataclasses import dataclass, field

HEAD = struct.Struct("=QQQQ")
SECTORS = (512, 4096)


@dataclass
class Entry:
    """One thing that was asked of the disk."""
    what: str
    inode: int
    offset: int
    data: bytes
    end: int  # of the entry, in the record

    @property
    def paths(self):
        return self.data.decode().split("\0")

    def __str__(self):
        return f"{self.what} {self.inode} at {self.offset}, {len(self.data)} bytes" if self.what in "WTS" else f"{self.what} {self.paths}"


def read(path):
    """The entries of a record."""
    with open(path, "rb") as file:
        record = file.read()
    at, entries = 0, []
    while at < len(record):
        what, inode, offset, length = HEAD.unpack_from(record, at)
        at += HEAD.size + length
        entries.append(Entry(chr(what), inode, offset, record[at - length:at], at))
    return entries


def put(content, offset, data):
    content.extend(bytes(max(0, offset - len(content))))
    content[offset:offset + len(data)] = data


def cut(content, size):
    del content[size:]
    content.extend(bytes(size - len(content)))


@dataclass
class File:
    durable: bytearray = field(default_factory=bytearray)
    since: list = field(default_factory=list)  # writes and truncations since the last sync

    def sync(self):
        for entry in self.since:
            self.apply(self.durable, entry, entry.data)
        self.since = []

    def apply(self, content, entry, data, offset=None):
        if entry.what == "T":
            cut(content, entry.offset)
        else:
            put(content, entry.offset if offset is None else offset, data)

    def left(self, loss):
        """What may be left of it."""
        content = bytearray(self.durable)
        for n, entry in enumerate(self.since):
            if entry.what == "T":
                if loss.keeps(n, len(self.since)):
                    self.apply(content, entry, b"")
                continue
            for start, end in pieces(entry.offset, len(entry.data), loss.sector):
                if loss.keeps(n, len(self.since)):
                    put(content, start, entry.data[start - entry.offset:end - entry.offset])
        return bytes(content)


def pieces(offset, length, sector):
    """What a write does to each sector."""
    start, last = offset, offset + length
    while start < last:
        end = min(last, (start // sector + 1) * sector)
        yield start, end
        start = end


@dataclass
class Directory:
    durable: dict = field(default_factory=dict)  # name -> inode
    since: list = field(default_factory=list)    # {name: inode or None}, each happening at once

    def entries(self, many=None):
        found = dict(self.durable)
        for change in self.since[:many]:
            found.update(change)
        return {name: inode for name, inode in found.items() if inode is not None}

    def sync(self):
        self.durable, self.since = self.entries(), []


class Loss:
    """What becomes of what was not synced: all is lost, all is there, or chance decides."""

    def __init__(self, random, number):
        self.random = random
        self.share = {0: 0.0, 1: 1.0}.get(number, random.choice((0.05, 0.5, 0.95)))
        self.sector = random.choice(SECTORS)
        # Every sector by itself, or nothing after some moment.
        self.reach = random.random() if number > 1 and number % 2 else 1.0

    def keeps(self, n, of):
        return n < self.reach * of and self.random.random() < self.share

    def reaches(self, of):
        """How many of so many changes to names have happened."""
        return of if self.share == 1 else 0 if self.share == 0 else self.random.randint(0, of)


class Disk:
    """What is under a directory, as far as the record was followed."""

    def __init__(self, root):
        self.root = root
        self.files, self.directories = {}, {}
        for path, directories, files in os.walk(root):
            inodes = {name: os.stat(os.path.join(path, name)).st_ino for name in (*directories, *files)}
            self.directories[os.stat(path).st_ino] = Directory(inodes)
            for name in files:
                with open(os.path.join(path, name), "rb") as file:
                    self.files[inodes[name]] = File(bytearray(file.read()))
        self.top = os.stat(root).st_ino

    def find(self, path):
        """The directory a path is in and its name there; None: it is elsewhere."""
        if not path.startswith(self.root + "/"):
            return None
        *way, name = [part for part in path[len(self.root):].split("/") if part]
        directory = self.directories[self.top]
        for part in way:
            directory = self.directories[directory.entries()[part]]
        return directory, name

    def name(self, inodes):
        """From now on these paths, of one directory, stand for these inodes, or for nothing."""
        found = [(self.find(path), inode) for path, inode in inodes.items()]
        if not all(place for place, _ in found):
            return False
        directory = found[0][0][0]
        assert all(place[0] is directory for place, _ in found)
        directory.since.append({place[1]: inode for place, inode in found})
        return True

    def follow(self, entry):
        """True: the entry is of something under the directory."""
        if entry.what in "WTS":
            thing = self.files.get(entry.inode) or self.directories.get(entry.inode)
            if thing and entry.what == "S":
                thing.sync()
            elif thing:
                thing.since.append(entry)
            return bool(thing)
        if entry.what == "R":
            old, new = entry.paths
            return self.name({new: entry.inode, old: None})
        if entry.what in "UD":
            return self.name({entry.paths[0]: None})
        made = self.name({entry.paths[0]: entry.inode})
        if made and entry.what != "L":
            (self.files if entry.what == "C" else self.directories)[entry.inode] = File() if entry.what == "C" else Directory()
        return made

    def left(self, loss):
        """What may be left: {path below the root: bytes}; of a directory None."""
        found, ways = {}, [("", self.directories[self.top])]
        while ways:
            way, directory = ways.pop()
            for name, inode in sorted(directory.entries(loss.reaches(len(directory.since))).items()):
                path = os.path.join(way, name)
                if inode in self.directories:
                    ways.append((path, self.directories[inode]))
                    found[path] = None
                elif name.endswith("-shm"):  # memory that processes share: whatever the system had put there of it
                    found[path] = loss.random.randbytes(4096)
                else:
                    found[path] = self.files[inode].left(loss)
        return found


def write(image, root):
    """Put it there."""
    for path, content in sorted(image.items()):
        if content is None:
            os.makedirs(os.path.join(root, path), exist_ok=True)
        else:
            with open(os.path.join(root, path), "wb") as file:
                file.write(content)

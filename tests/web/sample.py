"""An invented developer's month with a coding agent: what the browser tests and the screenshots show.

`fill(server, directory)` writes transcripts, has the server's home take them in, and adds what transcripts do not
tell.  Every time, text and number is fixed, so that two runs show the same.
"""

import datetime
import json
import os
import random
import subprocess

from capture.homes import Transcript

NOW = datetime.datetime(2026, 3, 14, 16, 20, tzinfo=datetime.timezone.utc).timestamp()
HOUR, DAY = 3600, 86400

LOCKED = """`database is locked` comes from two writers that meet: the importer holds its transaction for the whole file, and the web worker gives up after five seconds.

Three things help, in this order:

1. keep write transactions short: one per batch of 500 rows
2. `BEGIN IMMEDIATE`, so that a writer waits at the start instead of failing at its end
3. a busy timeout above the longest batch

```python
def write_batch(db, rows):
    db.execute("BEGIN IMMEDIATE")
    db.executemany("INSERT INTO readings VALUES (?, ?, ?)", rows)
    db.commit()
```

I changed `importer.py` accordingly and ran both together for a minute: no failure."""

TIDES = """The test computes the next high tide from *now*, so it fails in the minute in which the tide turns. I gave it a fixed clock:

```python
@pytest.fixture
def clock():
    return FixedClock("2026-01-12T06:00:00Z")
```

It passed 500 times in a row."""

MIGRATION = """The migration is in three steps, each safe to run while the old version still serves:

1. add `station_id` without a constraint
2. fill it in batches, oldest first
3. set it NOT NULL once nothing is left

```sql
ALTER TABLE readings ADD COLUMN station_id BIGINT;
UPDATE readings SET station_id = s.id FROM stations AS s
 WHERE s.code = readings.code AND readings.id BETWEEN :first AND :last;
ALTER TABLE readings ALTER COLUMN station_id SET NOT NULL;
```"""

# title, project, branch, age, (question, [(tool, arguments, result)], answer)...
TOLD = [
    ("Why is the database locked?", "lighthouse", "fix/locked", 2 * HOUR, [
        ("The nightly import fails with `database is locked` as soon as somebody opens the dashboard. Why?",
         [("Grep", {"pattern": "BEGIN|commit", "path": "src/"}, "src/importer.py:41:    db.execute(\"BEGIN\")\nsrc/importer.py:97:    db.commit()"),
          ("Read", {"file_path": "src/importer.py"}, "def run(db, path):\n    db.execute(\"BEGIN\")\n    for line in open(path):\n        ...")],
         LOCKED),
        ("Good. Does the same happen with readers?",
         [("Bash", {"command": "pytest tests/test_readers.py -q"}, "12 passed in 1.84s")],
         "No. With a write-ahead log readers never wait for a writer, nor a writer for them; the twelve tests of readers pass "
         "while the import runs.")]),
    ("A flaky test of the tide tables", "lighthouse", "main", 26 * HOUR, [
        ("test_next_high_tide fails about once a day in CI. Find out why.",
         [("Bash", {"command": "pytest tests/test_tides.py -q --count 200"}, "1 failed, 199 passed in 9.30s")], TIDES)]),
    ("Stations get an id of their own", "atlas-api", "stations", 3 * DAY, [
        ("Readings name their station by its code. Plan a migration to ids without downtime.",
         [("Read", {"file_path": "schema/readings.sql"}, "CREATE TABLE readings (id BIGINT, code TEXT, at TIMESTAMPTZ, level REAL);")],
         MIGRATION)]),
    ("Faster start of the command line", "garden-cli", "lazy", 5 * DAY, [
        ("`garden --help` takes 900 ms. Make it quick.",
         [("Bash", {"command": "python -X importtime -m garden --help"}, "import time: 612034 | pandas")],
         "Nearly all of it is importing pandas, which only `garden plot` needs. Imported there, `--help` takes 70 ms.")]),
    ("Retry with jitter", "atlas-api", "main", 8 * DAY, [
        ("Clients hit the API at the same second after an outage. What can we do?", [],
         "Let every client wait a random part of its delay: full jitter spreads the load evenly. The locked database of last week "
         "had the same shape: everybody tried again at once.")]),
    ("Release notes for 2.4", "lighthouse", "release", 12 * DAY, [
        ("Write release notes from the commits since v2.3, for people, not for programmers.",
         [("Bash", {"command": "git log v2.3..HEAD --oneline"}, "a1f2 Tides: a fixed clock\nb7c9 Import in batches\nc03d Dark mode of the map")],
         "Lighthouse 2.4 imports faster, never locks you out while it does, and has a map for the night.")]),
]

FILLERS = ["Rename the settings file", "Colours of the legend", "A typo in the manual", "Sort stations by distance", "Cache the tiles",
           "Validate coordinates", "Split the parser", "Update the lock file", "Explain the query plan", "Empty state of the map"]


class Telling(Transcript):
    """A transcript that begins at a time, with what its requests took."""

    def __init__(self, number, start, **common):
        super().__init__(number, **common)
        self.clock = start

    def stamp(self, step=1):
        self.clock += step * 20
        return datetime.datetime.fromtimestamp(self.clock, datetime.timezone.utc).isoformat().replace("+00:00", "Z")

    def said(self, title, turns):
        for number, (question, calls, answer) in enumerate(turns):
            self.user(question)
            self.assistant({"type": "thinking", "thinking": f"What do they need? {title}: look before answering.", "signature": "c2ln"},
                           f"msg_{number}", output=60)
            for at, (tool, arguments, result) in enumerate(calls):
                call = f"toolu_{self.number}_{number}_{at}"
                self.tool(call, tool, arguments, f"msg_{number}", output=80)
                self.result(call, result)
            self.assistant({"type": "text", "text": answer}, f"msg_{number}_end", output=240, stop="end_turn")
        self.line(json.dumps({"type": "custom-title", "customTitle": title, "sessionId": self.id}))
        return self

    def assistant(self, part, message="msg_1", output=5, model="claude-opus-4", stop=None, **more):
        return super().assistant(part, message, output, model, stop, **more)


def transcripts():
    for number, (title, project, branch, age, turns) in enumerate(TOLD, start=1):
        yield Telling(number, NOW - age, cwd=f"/srv/{project}", gitBranch=branch).said(title, turns)
    dice = random.Random(7)
    for number in range(40):
        age = dice.uniform(0.6, 29) * DAY
        project = dice.choice(["lighthouse", "lighthouse", "atlas-api", "garden-cli"])
        title = FILLERS[number % len(FILLERS)] + (f", part {number // len(FILLERS) + 1}" if number >= len(FILLERS) else "")
        turns = [(f"{title}, please: step {turn + 1}.", [], "Done, and the tests pass.") for turn in range(dice.randint(1, 9))]
        yield Telling(100 + number, NOW - age, cwd=f"/srv/{project}", gitBranch="main").said(title, turns)


def write(directory):
    """The transcripts, as files that an agent would have left."""
    folder = os.path.join(directory, ".claude", "projects", "-srv-sample")
    os.makedirs(folder)
    written = list(transcripts())
    for transcript in written:
        with open(os.path.join(folder, f"{transcript.id}.jsonl"), "wb") as file:
            file.write(transcript.bytes())
    return written


def fill(server, directory):
    """Take everything in.  Answers the ids of the sessions, the newest first."""
    written = write(directory)
    subprocess.run([server.cli, "--home", server.home, "--quiet", "import", os.path.join(directory, ".claude")],
                   check=True, stdout=subprocess.DEVNULL)
    dice = random.Random(11)
    for transcript in written:  # what these transcripts do not tell: the many tokens of real work, and what they cost
        tokens = len(transcript.lines) * dice.randint(9_000, 42_000)
        server.call("conversation.update_token_counts", session_id=transcript.id, input_tokens=tokens // 9, cache_read_tokens=tokens,
                    output_tokens=tokens // 40, estimated_cost_usd=round(tokens / 400_000, 2))
    server.call("conversation.create_session", session_id="tea-2026", source="telegram", model="gpt-5", started_at=NOW - 4 * DAY)
    server.call("conversation.set_session_title", session_id="tea-2026", title="What to plant in March")
    for offset, (role, content) in enumerate([("user", "What can I sow outside in March?"),
                                              ("assistant", "Broad beans, peas and spinach, once the ground is no longer locked in frost.")]):
        server.call("conversation.append_message", session_id="tea-2026", role=role, content=content, token_count=18 + 20 * offset,
                    timestamp=NOW - 4 * DAY + offset * 30)
    server.call("conversation.create_session", session_id=f"{written[0].id}:review", source="claude-code", model="claude-haiku-4",
                parent_session_id=written[0].id, started_at=NOW - 1.9 * HOUR)
    server.call("conversation.set_session_title", session_id=f"{written[0].id}:review", title="Review of the importer")
    server.call("conversation.append_message", session_id=f"{written[0].id}:review", role="user", content="Review the change.",
                timestamp=NOW - 1.9 * HOUR)
    return [transcript.id for transcript in written]

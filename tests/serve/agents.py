"""A user's directory as a coding agent leaves it: many sessions of Claude Code.

    python3 tests/serve/agents.py DIRECTORY [SESSIONS]
"""

import json
import os
import sys

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(SOURCE, "bench", "capture"))
import transcripts  # noqa: E402

LINES = 60    # of a session
KINDS = 8     # of sessions; the others are copies of these under other names
PROJECTS = 7


def question(number):
    """What one session has and no other."""
    return f"why does widget{number} fail on tuesdays"


def claude(number, text):
    """A session as a file: (path below the user's directory, content)."""
    token = f"{number:08x}"
    text = text.replace(transcripts.COPY, token)
    first = json.loads(text.split("\n", 1)[0])
    asked = {"parentUuid": None, "isSidechain": False, "userType": "external", "cwd": f"/srv/project{number % PROJECTS}",
             "sessionId": first.get("sessionId", f"{token}-none"), "version": "2.1.42", "gitBranch": "main", "type": "user",
             "message": {"role": "user", "content": question(number)}, "uuid": f"{token}-ffff-4000-8000-000000000000",
             "timestamp": "2026-01-31T12:00:00.000Z"}
    name = asked["sessionId"] + ".jsonl"
    return (os.path.join(".claude", "projects", f"-srv-project{number % PROJECTS}", name),
            json.dumps(asked, separators=(",", ":")) + "\n" + text)


def make(home, sessions=200):
    """Write them below home."""
    kinds = ["\n".join(line for line in transcripts.Session(number, LINES).lines) + "\n" for number in range(KINDS)]
    for number in range(sessions):
        path, content = claude(number, kinds[number % KINDS])
        path = os.path.join(home, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        os.utime(path, (1_770_000_000 + number, 1_770_000_000 + number))


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200)

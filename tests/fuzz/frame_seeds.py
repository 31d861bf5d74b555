"""Seeds of what comes to the socket of events: a byte that chooses how it is read, then frames."""

import json
import struct

from capture import frames


def frame_seeds(_rng):
    texts = [frames.ingest(frames.envelope()), frames.ingest(frames.envelope(frames.shell(tool_name="Bash"), "AgenticToolCall")),
             frames.ingest(frames.envelope({"url": "https://example.org/", "domain": "example.org"}, "Browser")), frames.request("GetStatus")]
    encoded = [json.dumps(text).encode() for text in texts]
    seeds = [bytes([6]) + struct.pack(">I", len(text)) + text for text in encoded]
    seeds += [bytes([255]) + struct.pack("=I", len(text)) + text for text in encoded]
    return seeds + [bytes([0]) + b"".join(struct.pack(">I", len(text)) + text for text in encoded)]


SEEDS = {"frames": frame_seeds}

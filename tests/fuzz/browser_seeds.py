"""Seeds of what browsers tell: addresses, and messages in frames."""

import json
import struct

URLS = ["https://bob:pw@Docs.Example.org:8443/a/b?x=1&token=2;key=3#/c?a=4&d=5", "http://[2001:db8::1]/?next=https%3A%2F%2Fa%2F%3Ftoken%3D1",
        "https://a.example./?t%6fken=1&b[key]=2", "http://a\\@b/?%2523token=1", "https://www.google.com/search?q=two+words%21"]


def urls(_rng):
    return [url.encode() for url in URLS]


def messages(_rng):
    """A byte for the pieces, then frames."""
    seeds = []
    for number, url in enumerate(URLS):
        bodies = [json.dumps({"url": url, "timestamp": 1_800_000_000_000, "dwell_ms": 5000, "domains": ["example.org", "a"],
                              "title": "t", "referrer": URLS[-1], "extracted_text": "some text", "scroll_depth": 0.5}).encode(),
                  b'{"url":"https://probe.hippo.local/","timestamp":0,"probe_tag":"t"}']
        seeds.append(bytes([number * 50]) + b"".join(struct.pack("=I", len(body)) + body for body in bodies))
    return seeds


SEEDS = {"native": messages, "url": urls}

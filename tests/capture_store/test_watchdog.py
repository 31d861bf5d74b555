#!/usr/bin/env python3
"""Every promise of capturing is broken and mended: its alarm is raised, and resolved.  Prints TAP."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from method.engines import on_each  # noqa: E402
from place import main, same  # noqa: E402

both = on_each("capture")
SECOND = 1000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE
NOW = 1_000 * DAY


class Watched:
    """A store, and a clock that only goes when it is told to."""

    def __init__(self, store):
        self.store, self.now = store, NOW
        self("refresh_source_counts")  # makes the store

    def __call__(self, method, **args):
        return self.store(method, now=self.now, **args)

    def wait(self, time):
        self.now += time

    def look(self, **args):
        """What a look of the watchdog tells, as (promise, source, outcome); what was only counted is left out."""
        return [(each["invariant_id"], each["source"], each["outcome"])
                for each in self("run_watchdog", **args) if each["outcome"] != "counted"]

    def well(self):
        same(self.look(), [])

    def raised(self, promise, source):
        same(self.look(), [(promise, source, "raised")])
        self.wait(MINUTE)
        same(self.look(), [(promise, source, "standing")])
        same([each["state"] for each in self.alarms(invariant_id=promise, source=source)], ["active"])

    def resolved(self, promise, source):
        self.wait(MINUTE)
        same(self.look(), [])
        self.wait(MINUTE)
        same(self.look(), [(promise, source, "resolved")])
        same([each["state"] for each in self.alarms(invariant_id=promise, source=source)], ["resolved"])

    def alarms(self, **args):
        return self.store("list_alarms", **args)

    # What comes in.

    def command(self, **args):
        self("insert_event", **{"terminal": "t", "command": "make", "cwd": "/", "hostname": "h", "shell": "zsh",
                                "timestamp": self.now, **args})

    def page(self, **args):
        self("insert_browser_event", **{"url": "u", "domain": "d", "timestamp": self.now, **args})

    def segment(self, session="s", **args):
        self("upsert_segment", **{"session_id": session, "harness": "claude-code", "project_dir": "p", "cwd": "/", "summary_text": "x",
                                  "message_count": 3, "start_time": self.now, "end_time": self.now, **args})

    def fail(self, source, times):
        for _ in range(times):
            self("record_source_error", source=source, error="no route")

    def probe(self, source, ok=True):
        self("record_probe", source=source, ok=ok, lag_ms=5)

    def nodes(self, numbers):
        """Nodes that are not alike."""
        rows = ", ".join(f"({number}, 'u{number}', '{{}}', 'text {number}', {self.now}, {self.now})" for number in numbers)
        self.store.sql(f"INSERT INTO knowledge_nodes (id, uuid, content, embed_text, created_at, updated_at) VALUES {rows}")

    def node(self, number, text, segment):
        """A node with that text, which was learned from a segment."""
        self.nodes([number])
        self.store.sql(f"UPDATE knowledge_nodes SET embed_text = '{text}' WHERE id = {number}; "
                       f"INSERT INTO knowledge_node_agentic_sessions (knowledge_node_id, agentic_session_id) "
                       f"SELECT {number}, id FROM agentic_sessions WHERE session_id = '{segment}'")

    def vector(self, number):
        self.store.sql(f"INSERT INTO stele_embeddings (kind, id, dimension, model, vector, text_hash, origin) "
                       f"VALUES ('node', '{number}', 1, 'm', '0000', 0, 'caller')")


def watched(name):
    """A test that is given a Watched store."""
    def keep(function):
        both(name)(lambda store: function(Watched(store)))
        return function
    return keep


# ---- I-1 and I-4: a way in brings nothing though it should ----

WAYS = (("I-1", "shell", Watched.command, Watched.page), ("I-4", "browser", Watched.page, Watched.command))


@watched("I-1, I-4: silence alone is no alarm, however long")
def _(dog):
    for _, _, bring, _ in WAYS:
        bring(dog)
    dog.wait(400 * DAY)
    dog.well()


@watched("I-1, I-4: silence before a failure is one, and ends with what comes next")
def _(dog):
    for promise, source, bring, _ in WAYS:
        bring(dog)
        dog.wait(8 * MINUTE)
        dog.well()
        dog.fail(source, 1)
        dog.raised(promise, source)
        bring(dog)
        dog.resolved(promise, source)


@watched("I-1, I-4: a failure soon after something came is none")
def _(dog):
    for _, source, bring, _ in WAYS:
        bring(dog)
        dog.wait(5 * MINUTE)
        dog.fail(source, 1)
        dog.well()


@watched("I-1, I-4: a probe that left no row is one, and ends with a row")
def _(dog):
    for promise, source, bring, _ in WAYS:
        bring(dog)
        dog.wait(8 * MINUTE)
        dog.probe(source)
        dog.raised(promise, source)
        dog.probe(source)
        bring(dog, probe_tag="tag")
        dog.resolved(promise, source)


@watched("I-1, I-4: so is one of which another program said no more than that it came through")
def _(dog):
    for promise, source, bring, _ in WAYS:
        bring(dog)
        dog.store.sql(f"UPDATE source_health SET probe_ok = (1 = 1) WHERE source = '{source}'")
        dog.wait(8 * MINUTE)
        dog.raised(promise, source)
        bring(dog)
        dog.resolved(promise, source)
        dog.store.sql(f"UPDATE source_health SET probe_ok = NULL WHERE source = '{source}'")


@watched("I-1, I-4: a day in which only others brought something is one; a probe does not end it")
def _(dog):
    for promise, source, bring, other in WAYS:
        bring(dog)
        dog.wait(DAY)
        other(dog)
        dog.well()
        dog.wait(MINUTE)
        other(dog)
        dog.raised(promise, source)
        bring(dog, probe_tag="tag")
        dog.wait(MINUTE)
        same(dog.look(), [(promise, source, "standing")])
        bring(dog)
        dog.resolved(promise, source)


@watched("I-1, I-4: a probe is nothing that others brought")
def _(dog):
    for _, _, bring, other in WAYS:
        bring(dog)
        dog.wait(3 * DAY)
        other(dog, probe_tag="tag")
        dog.well()
        other(dog)
        bring(dog)


# ---- I-2, I-11, I-12, I-13, I-15: a way in fails again and again ----

FAILING = (("I-2", "agentic-session-claude", 3), ("I-11", "agentic-session-opencode", 3), ("I-12", "brain-preflight", 12),
           ("I-13", "agentic-session-codex", 3), ("I-15", "agentic-session-cursor", 3))

for PROMISE, SOURCE, STILL_WELL in FAILING:
    @watched(f"{PROMISE}: {SOURCE} fails more than {STILL_WELL} times in a row, and is well again")
    def _(dog, promise=PROMISE, source=SOURCE, still_well=STILL_WELL):
        dog.fail(source, still_well)
        dog.well()
        dog.fail(source, 1)
        dog.raised(promise, source)
        dog("record_source_success", source=source)
        dog.resolved(promise, source)


@watched("I-2: a probe does not end failures, a segment does")
def _(dog):
    dog.fail("agentic-session-claude", 4)
    dog.raised("I-2", "agentic-session-claude")
    dog.segment("probe", probe_tag="tag")
    dog.wait(MINUTE)
    same(dog.look(), [("I-2", "agentic-session-claude", "standing")])
    dog.segment()
    dog.resolved("I-2", "agentic-session-claude")


# ---- I-3: calls of tools ----

@watched("I-3: calls that segments tell of, and that do not come any more, are noted")
def _(dog):
    call = [{"name": "Bash", "summary": "make"}]
    dog.segment(tool_calls_json=call)
    dog.well()  # where no call ever came, none is missed
    dog.command(tool_name="Bash")
    dog.wait(2 * 60 * MINUTE)
    dog.command(tool_name="Bash", probe_tag="tag")
    dog.segment("t", tool_calls_json=call)
    same(dog.look(), [("I-3", "claude-tool", "noted")])
    same(dog.alarms(), [])
    dog.command(tool_name="Bash")
    dog.well()


# ---- I-5 and I-6: what is lost ----

@watched("I-5, I-6: more than one of a thousand lost in five minutes is an alarm, what is lost is counted for ever")
def _(dog):
    event = {"terminal": "t", "command": "make", "cwd": "/", "hostname": "h", "shell": "zsh", "timestamp": dog.now, "now": dog.now}
    dog.store("insert_events", events=[event] * 1998)
    dog("record_drops", source="shell", dropped=2, cause="full")
    dog.well()
    dog("record_drops", source="shell", dropped=1, cause="full")
    dog.raised("I-6", "shell")
    dog.wait(5 * MINUTE)
    dog.resolved("I-6", "shell")
    dog.wait(DAY)
    same([(each["invariant_id"], each["outcome"], each["details"]) for each in dog("run_watchdog")],
         [("I-5", "counted", "3 lost, 0 of them lately")])


@watched("I-6: probes are not counted as kept")
def _(dog):
    event = {"terminal": "t", "command": "make", "cwd": "/", "hostname": "h", "shell": "zsh", "probe_tag": "tag", "now": dog.now}
    dog.store("insert_events", events=[{**event, "timestamp": dog.now}] * 1998)
    dog("record_drops", source="shell", dropped=1)
    dog.raised("I-6", "shell")


# ---- I-8: probes ----

@watched("I-8: a probe that failed, and one that comes through")
def _(dog):
    for source in ("shell", "browser", "agentic-session-codex"):
        dog.probe(source, ok=False)
        dog.raised("I-8", source)
        dog.probe(source)
        dog.resolved("I-8", source)
        dog.store.sql("UPDATE source_health SET probe_last_run_ts = NULL")


@watched("I-8: a probe that is not made any more, and one that is")
def _(dog):
    dog.probe("agentic-session-codex")
    for _ in range(15):
        dog.well()
        dog.wait(MINUTE)
    dog.wait(SECOND)
    dog.raised("I-8", "agentic-session-codex")
    dog.probe("agentic-session-codex")
    dog.resolved("I-8", "agentic-session-codex")


@watched("I-8: the first look sees an old probe")
def _(dog):
    dog.probe("agentic-session-codex")
    dog.wait(16 * MINUTE)
    dog.raised("I-8", "agentic-session-codex")


@watched("I-8: a time in which nobody watched is not held against the probes, the time after it is")
def _(dog):
    dog.probe("agentic-session-codex")
    dog.well()
    dog.wait(8 * 60 * MINUTE)  # the machine was asleep
    for _ in range(15):
        dog.well()
        dog.wait(MINUTE)
    dog.wait(SECOND)
    dog.raised("I-8", "agentic-session-codex")


@watched("I-8: a probe that the store itself does not keep, and one that it does")
def _(dog):
    keeps_nothing = {
        "sqlite": ("CREATE TRIGGER broken BEFORE INSERT ON browser_events BEGIN SELECT RAISE(%s); END", "DROP TRIGGER broken"),
        "postgres": ("CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN %s; END $$; "
                     "CREATE TRIGGER broken BEFORE INSERT ON browser_events FOR EACH ROW EXECUTE FUNCTION broken()",
                     "DROP TRIGGER broken ON browser_events; DROP FUNCTION broken")}
    engine = dog.store.places.engine
    for how, why in (({"sqlite": "ABORT, 'no ink'", "postgres": "RAISE 'no ink'"}, "no ink"),
                     ({"sqlite": "IGNORE", "postgres": "RETURN NULL"}, "is not there")):
        dog.store.sql(keeps_nothing[engine][0] % how[engine])
        probe = dog("run_probe", source="browser")
        same((probe["ok"], why in probe["error"]), (False, True))
        dog.raised("I-8", "browser")
        dog.store.sql(keeps_nothing[engine][1])
        same(dog("run_probe", source="browser")["ok"], True)
        dog.wait(MINUTE)
        dog.well()
        dog.wait(MINUTE)
        same(dog.look(), [("I-8", "browser", "resolved")])
        dog("prune_alarms")


# ---- I-10 ----

@watched("I-10: capturing goes on while what is learned from fails, is stuck or does not run")
def _(dog):
    dog.command()
    dog("claim", queue="shell", worker="stuck", idle=0)
    dog.fail("brain-preflight", 20)
    for number in range(50):
        dog.wait(SECOND)
        dog.command(command=f"make {number}")
        dog.page(url=f"u{number}")
        dog.segment(f"s{number}")
    same(len(dog.store("get_events", limit=1000)), 51)
    same(len(dog.store("get_browser_events", limit=1000)), 50)
    same(len(dog.store("get_segments", limit=1000)), 50)
    health = {each["source"]: each for each in dog.store("list_source_health")}
    same({health[source]["consecutive_failures"] for source in ("shell", "browser", "agentic-session-claude")}, {0})
    same({health[source]["last_event_ts"] for source in ("shell", "browser", "agentic-session-claude")}, {dog.now})
    same(dog.look(), [("I-12", "brain-preflight", "raised")])


# ---- I-14 and I-16: knowledge ----

def make_vectors(dog):
    """The table of vectors, as the first node makes it."""
    dog.command()
    dog.wait(SECOND)
    ticket = dog("claim", queue="shell", worker="w", idle=0)[0]
    dog("write_knowledge_node", queue="shell", tickets=[ticket["id"]], token=ticket["token"],
        content={"summary": "s", "intent": "i"}, embed_text="first")


@watched("I-14: more than 25 nodes without a vector after fifteen minutes, and one less")
def _(dog):
    make_vectors(dog)
    dog.nodes(range(100, 126))
    dog.wait(16 * MINUTE)
    dog.well()  # nothing was ever embedded here
    dog.vector(100)
    dog.raised("I-14", "knowledge")
    dog.vector(101)
    dog.resolved("I-14", "knowledge")


@watched("I-14: nodes that are new may wait for their vectors")
def _(dog):
    make_vectors(dog)
    dog.vector(1)
    dog.nodes(range(100, 140))
    dog.wait(14 * MINUTE)
    dog.well()


@watched("I-14: where there is no table of vectors, none is missed")
def _(dog):
    dog.nodes(range(100, 140))
    dog.wait(16 * MINUTE)
    dog.well()


@watched("I-16: two nodes that say the same of one segment, and one")
def _(dog):
    dog.segment("a")
    dog.segment("b")
    dog.node(1, "same", "a")
    dog.node(2, "same", "b")
    dog.node(3, "other", "a")
    dog.well()
    dog.node(4, "same", "a")
    dog.raised("I-16", "knowledge")
    dog.store.sql("DELETE FROM knowledge_node_agentic_sessions WHERE knowledge_node_id = 4")
    dog.resolved("I-16", "knowledge")


# ---- Alarms ----

@watched("one alarm in an hour for the same promise and source; others have their own")
def _(dog):
    dog.probe("shell", ok=False)
    same(dog.look(), [("I-8", "shell", "raised")])
    dog.wait(MINUTE)
    dog.probe("browser", ok=False)
    dog.fail("agentic-session-codex", 4)
    same(dog.look(), [("I-8", "browser", "raised"), ("I-8", "shell", "standing"), ("I-13", "agentic-session-codex", "raised")])
    dog.wait(58 * MINUTE)
    same([outcome for _, _, outcome in dog.look()], ["standing"] * 3)
    dog.wait(MINUTE)
    same(dog.look(), [("I-8", "browser", "standing"), ("I-8", "shell", "raised"), ("I-13", "agentic-session-codex", "standing")])
    same(len(dog.alarms(source="shell")), 2)
    dog.probe("shell")
    dog.look()
    dog.wait(MINUTE)
    same([outcome for _, source, outcome in dog.look() if source == "shell"], ["resolved", "resolved"])


@watched("the rate limit can be set")
def _(dog):
    dog.fail("agentic-session-codex", 4)
    for _ in range(3):
        same(dog.look(alarm_rate_limit_minutes=0), [("I-13", "agentic-session-codex", "raised")])
        dog.wait(MINUTE)
    same(dog.look(alarm_rate_limit_minutes=2), [("I-13", "agentic-session-codex", "standing")])


@watched("what breaks again before the second clean look starts from anew")
def _(dog):
    dog.fail("agentic-session-codex", 4)
    dog.raised("I-13", "agentic-session-codex")
    dog("record_source_success", source="agentic-session-codex")
    dog.well()
    same([each["clean_ticks"] for each in dog.alarms()], [1])
    dog.fail("agentic-session-codex", 4)
    same(dog.look(), [("I-13", "agentic-session-codex", "standing")])
    same([each["clean_ticks"] for each in dog.alarms()], [0])


@watched("what breaks again after its alarm was resolved raises a new one at once")
def _(dog):
    for _ in range(2):
        dog.fail("agentic-session-codex", 4)
        same(dog.look(), [("I-13", "agentic-session-codex", "raised")])
        dog("record_source_success", source="agentic-session-codex")
        dog.well()
        same(dog.look(), [("I-13", "agentic-session-codex", "resolved")])


@watched("what was acknowledged and stays broken is raised again when the hour is over, not before")
def _(dog):
    dog.fail("agentic-session-codex", 4)
    dog.look()
    dog("ack_alarm", id=dog.alarms()[0]["id"])
    dog.wait(MINUTE)
    same(dog.look(), [("I-13", "agentic-session-codex", "standing")])
    same(dog.alarms(), [])
    dog.wait(60 * MINUTE)
    same(dog.look(), [("I-13", "agentic-session-codex", "raised")])


@watched("while capturing rests on purpose, its promises are not looked at, and their alarms stay")
def _(dog):
    resting = [("I-2", "agentic-session-claude"), ("I-11", "agentic-session-opencode"), ("I-13", "agentic-session-codex"),
               ("I-15", "agentic-session-cursor")]
    for _, source in resting:
        dog.fail(source, 4)
    dog.fail("brain-preflight", 13)
    dog.probe("claude-tool", ok=False)
    dog.page()
    dog.wait(8 * MINUTE)
    dog.fail("browser", 1)
    same(dog.look(paused=True), [("I-12", "brain-preflight", "raised")])
    same(sorted(promise for promise, _, _ in dog.look()), ["I-11", "I-12", "I-13", "I-15", "I-2", "I-4", "I-8"])
    for _, source in resting:
        dog("record_source_success", source=source)
    for _ in range(3):
        dog.look(paused=True)
    same({each["clean_ticks"] for each in dog.alarms()}, {0})


@watched("alarms that others wrote: one without a source stays, one of an unknown promise too")
def _(dog):
    dog.store.sql(f"INSERT INTO capture_alarms (invariant_id, raised_at, details_json) VALUES ('I-13', {dog.now}, 'broken'), "
                  f"('I-99', {dog.now}, '{{\"source\":\"shell\",\"since_ms\":1,\"details\":\"d\"}}'), ('I-13', {dog.now}, '{{}}')")
    for _ in range(3):
        dog.well()
    same([(each["state"], each["source"], each["details"]) for each in dog.alarms()],
         [("active", None, "broken"), ("active", "shell", "d"), ("active", None, "{}")])


@watched("a look is one transaction: if it cannot be finished, nothing of it is there")
def _(dog):
    dog.fail("agentic-session-codex", 4)
    dog.store.sql("ALTER TABLE knowledge_node_agentic_sessions RENAME TO elsewhere")
    word, _ = dog.store.player.call("capture.run_watchdog", f'{{"now":{dog.now}}}')
    dog.store.sql("ALTER TABLE elsewhere RENAME TO knowledge_node_agentic_sessions")
    assert word != "ok", word
    same(dog.alarms(), [])
    same(dog.store("list_source_health", source="watchdog"), [])


if __name__ == "__main__":
    sys.exit(main())

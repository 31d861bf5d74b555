#!/usr/bin/env python3
"""stele.compat.kiso does what the original does: facts, learnings, pending items.  Prints TAP."""

import logging
import os
import sqlite3
import sys
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.kiso_db import LONG_AGO, age, contents, kiso_test, values  # noqa: E402
from python.tap import main, raised, same  # noqa: E402
import stele  # noqa: E402
from stele.compat import kiso  # noqa: E402

FACT = ["id", "content", "source", "session", "category", "confidence", "last_used", "use_count", "created_at"]


async def some_facts(db):
    """Of every category, two of them of users."""
    for content, session, category in (("Flask project", "s1", "project"), ("Marco likes Flask", "s1", "user"),
                                       ("Ana likes Django", "s2", "user"), ("git is a tool", None, "tool"),
                                       ("the sky is blue", None, "general")):
        await kiso.save_fact(db, content, "curator", session=session, category=category)


async def found(db, query, **more):
    return [each["id"] for each in await kiso.search_facts(db, query, **more)]


# ---- Facts -------------------------------------------------------------------------------------

@kiso_test("facts are kept with their defaults, also twice, in any category")
async def _(db):
    same(await kiso.save_fact(db, "a", "manual"), 1)
    same(await kiso.save_fact(db, "a", "manual", "s1", "exotic", 0.5), 2)
    first, second = await kiso.get_facts(db)
    same((list(first), list(first.values())[:8]), (FACT, [1, "a", "manual", None, "general", 1.0, None, 0]))
    same((second["session"], second["category"], second["confidence"]), ("s1", "exotic", 0.5))
    await raised(sqlite3.IntegrityError, kiso.save_fact(db, None, "manual"))


@kiso_test("several facts are kept together or not at all")
async def _(db):
    second = {"content": "b", "source": "x", "session": "s", "category": "user", "confidence": 0.4}
    same(await kiso.save_facts_batch(db, [{"content": "a", "source": "x"}, second]), None)
    same([list(each.values())[1:6] for each in await kiso.get_facts(db)],
         [["a", "x", None, "general", 1.0], ["b", "x", "s", "user", 0.4]])
    await raised(sqlite3.IntegrityError, kiso.save_facts_batch(db, [second, {"content": None, "source": "x"}]))
    await kiso.save_facts_batch(db, [])
    same((len(await kiso.get_facts(db)), db.in_transaction), (2, False))


@kiso_test("user facts are seen in their session and by admins, and by all where no session is named")
async def _(db):
    await some_facts(db)
    for seen, args in (([1, 2, 4, 5], {"session": "s1"}), ([1, 3, 4, 5], {"session": "s2"}), ([1, 4, 5], {"session": "s3"}),
                       ([1, 2, 3, 4, 5], {"session": "s1", "is_admin": True}), ([1, 2, 3, 4, 5], {})):
        same([each["id"] for each in await kiso.get_facts(db, **args)], seen)


@kiso_test("a search finds facts that have all the words, the best first, of those that are visible")
async def _(db):
    await some_facts(db)
    same((await found(db, "django", session="s2"), await found(db, "FLASK!", session="s2")), ([3], [1]))
    same(sorted(await found(db, "flask", session="s1")), [1, 2])
    same((await found(db, "flask likes"), await found(db, "sky, blue?", session="s3")), ([2], [5]))
    same(len(await found(db, "likes", limit=1)), 1)
    await kiso.save_fact(db, "zebra and many more words that make this one less about it than the other", "x")
    best = await kiso.save_fact(db, "zebra zebra", "x")
    same((await found(db, "zebra"))[0], best)
    same(list((await kiso.search_facts(db, "zebra"))[0]), FACT)


@kiso_test("a search that finds nothing, or is no query, gives all visible facts without a limit")
async def _(db):
    await some_facts(db)
    for query in ("", "  ?!", "nothing has this", "please deploy the flask project", "AND", "NOT", "flask OR", "NEAR( AND",
                  "flask NOT"):
        same((query, await found(db, query, session="s3", limit=1)), (query, [1, 4, 5]))
    same(await found(db, "django", session="s1"), [1, 2, 4, 5])
    same(sorted(await found(db, "sky OR git")), [4, 5])
    await raised(TypeError, kiso.search_facts(db, None))


@kiso_test("a search that fails is noted for those who debug, and gives all visible facts")
async def _(db):
    await some_facts(db)
    execute = db.execute

    def broken(sql, *args):
        if "MATCH" in sql:
            raise sqlite3.OperationalError("broken")
        return execute(sql, *args)
    with mock.patch.object(db, "execute", broken), mock.patch.object(kiso.log, "debug") as noted:
        same(len(await kiso.search_facts(db, "flask")), 5)
    same(("broken" in str(noted.call_args), kiso.log is logging.getLogger("kiso.store")), (True, True))
    await db.execute("DROP TABLE kiso_facts_fts")
    same(len(await kiso.search_facts(db, "flask")), 5)


@kiso_test("the words of a fact are known until it is changed or deleted")
async def _(db):
    await some_facts(db)
    await db.execute("UPDATE facts SET content = 'yellow submarine' WHERE id = 5")
    await db.commit()
    same((await found(db, "submarine"), len(await found(db, "sky"))), ([5], 5))
    await kiso.delete_facts(db, [5])
    same(len(await found(db, "submarine")), 4)
    await db.execute("INSERT INTO kiso_facts_fts (kiso_facts_fts, rank) VALUES ('integrity-check', 1)")


@kiso_test("a use is counted, for those that are named")
async def _(db):
    await some_facts(db)
    same(await kiso.update_fact_usage(db, [1, 3, 999]), None)
    await kiso.update_fact_usage(db, [1])
    await kiso.update_fact_usage(db, [])
    told = await kiso.get_facts(db)
    same([each["use_count"] for each in told], [2, 0, 1, 0, 0])
    same([each["last_used"] is None for each in told], [False, True, False, True, True])
    same((len(told[0]["last_used"]), told[0]["last_used"][10], told[0]["confidence"]), (19, " ", 1.0))


@kiso_test("facts are deleted by their numbers; none is no error")
async def _(db):
    await some_facts(db)
    same(await kiso.delete_facts(db, [1, 2, 999]), None)
    await kiso.delete_facts(db, [])
    same([each["id"] for each in await kiso.get_facts(db)], [3, 4, 5])
    await kiso.delete_facts(db, range(100000))
    same(await kiso.get_facts(db), [])


@kiso_test("facts that nobody uses decay, step by step, and go when they are below the threshold")
async def _(db):
    await some_facts(db)
    same(await kiso.decay_facts(db), 0)
    await age(db, "facts", "created_at")
    await kiso.update_fact_usage(db, [1])
    same(await kiso.decay_facts(db), 4)
    same(await values(db, "SELECT confidence FROM facts ORDER BY id"), [1.0, 0.9, 0.9, 0.9, 0.9])
    for _ in range(6):
        await kiso.decay_facts(db, decay_days=7, decay_rate=0.1)
    same((await kiso.get_facts(db))[1]["confidence"], 0.30000000000000016)
    same(await kiso.archive_low_confidence_facts(db), 0)
    await kiso.decay_facts(db)
    same((await kiso.archive_low_confidence_facts(db), await kiso.archive_low_confidence_facts(db)), (4, 0))
    same([each["id"] for each in await kiso.get_facts(db)], [1])
    rows = [dict(row) for row in await db.execute_fetchall("SELECT * FROM facts_archive ORDER BY id")]
    same([(row["original_id"], row["content"], row["session"], row["category"], row["created_at"]) for row in rows[:2]],
         [(2, "Marco likes Flask", "s1", "user", LONG_AGO), (3, "Ana likes Django", "s2", "user", LONG_AGO)])
    same(abs(rows[0]["confidence"] - 0.2) < 1e-9 and rows[0]["archived_at"] > LONG_AGO, True)
    same(len(await found(db, "django")), 1)


@kiso_test("a confidence ends at 0; one that equals the threshold stays")
async def _(db):
    for confidence in (0.05, 0.3, 0.29):
        await kiso.save_fact(db, "x", "manual", confidence=confidence)
    await age(db, "facts", "last_used")
    same((await kiso.decay_facts(db, decay_days=36500), await kiso.archive_low_confidence_facts(db, 0.3)), (0, 2))
    same((await kiso.decay_facts(db, 1, 0.5), await values(db, "SELECT confidence FROM facts")), (1, [0.0]))
    same(await kiso.archive_low_confidence_facts(db, threshold=0.0), 0)


@kiso_test("consolidating facts is one step, with the rules of the library")
async def _(db):
    await some_facts(db)
    done = await kiso.consolidate_facts(db, keep=[1], delete=[2, 3], insert=[{"content": "new", "source": "consolidation"}])
    same((done["kept"], done["deleted"], done["inserted"]), (1, 2, 1))
    same(contents(await kiso.get_facts(db)), ["Flask project", "git is a tool", "the sky is blue", "new"])


# ---- Learnings ---------------------------------------------------------------------------------

@kiso_test("a learning is kept unless it is empty or holds a secret")
async def _(db):
    for content in ("", "  \n", "the password is x", "PASSWD=1", "a Token here", "key " + "aB" * 16, "x" + "0" * 40):
        same((content, await kiso.save_learning(db, content, "s1")), (content, 0))
    for number, content in enumerate(("uses Flask", "tokenizer and passwords", "a" * 31, " spaces stay "), start=1):
        same((content, await kiso.save_learning(db, content, "s1", user="marco")), (content, number))
    for content in (None, 5, b"x"):
        await raised(TypeError, kiso.save_learning(db, content, "s1"))
    same(contents(await kiso.get_pending_learnings(db))[3], " spaces stay ")


@kiso_test("learnings that wait are told oldest first, of all sessions")
async def _(db):
    for number in range(60):
        await kiso.save_learning(db, f"l{number}", f"s{number % 2}")
    told = await kiso.get_pending_learnings(db)
    same((len(told), list(told[0])), (50, ["id", "content", "session", "user", "status", "created_at"]))
    same(list(told[0].values())[:5], [1, "l0", "s0", None, "pending"])
    same(await kiso.update_learning(db, 1, "promoted"), None)
    await kiso.update_learning(db, 2, "exotic")
    await kiso.update_learning(db, 999, "promoted")
    same(contents(await kiso.get_pending_learnings(db, limit=2)), ["l2", "l3"])


@kiso_test("promoting a learning and asking about one are one step each")
async def _(db):
    for content in ("one", "two"):
        await kiso.save_learning(db, content, "s1")
    fact = await kiso.promote_learning(db, 1, "One.", "user")
    same([list(each.values())[:5] for each in await kiso.get_facts(db)], [[fact, "One.", "curator", "s1", "user"]])
    asked = await kiso.ask_learning(db, 2, "Two?")
    same([(each["id"], each["content"], each["scope"]) for each in await kiso.get_pending_items(db, "s1")], [(asked, "Two?", "s1")])
    same((await kiso.get_pending_learnings(db), db.in_transaction), ([], False))
    await raised(stele.StatusError, kiso.promote_learning(db, 1, "again"))


# ---- Pending -----------------------------------------------------------------------------------

@kiso_test("what is open for a session or for all, until it is resolved")
async def _(db):
    for scope in ("global", "s1", "s2"):
        await kiso.save_pending_item(db, f"ask {scope}", scope, "curator")
    told = await kiso.get_pending_items(db, "s1")
    same(list(told[0]), ["id", "content", "scope", "source", "status", "created_at"])
    same([list(each.values())[:5] for each in told],
         [[1, "ask global", "global", "curator", "open"], [2, "ask s1", "s1", "curator", "open"]])
    await db.execute("UPDATE pending SET status = 'resolved' WHERE id = 1")
    same(await kiso.resolve_pending(db, 2), None)
    same((await kiso.get_pending_items(db, "s1"), contents(await kiso.get_pending_items(db, "s2"))), ([], ["ask s2"]))


if __name__ == "__main__":
    main()

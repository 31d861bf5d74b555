#!/usr/bin/env python3
"""stele.compat.kwasi is the StoragePort that the original documents, on both engines.  Prints TAP."""

import asyncio
import inspect
import os
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402

interpreter.restart()
from python.kwasi_db import address, kwasi_test  # noqa: E402
from python.tap import main, raised, raises, same, test  # noqa: E402

import stele  # noqa: E402
from stele.compat import kwasi  # noqa: E402

T = datetime(2026, 3, 1, 12, 0, tzinfo=timezone.utc)
DAY = timedelta(days=1)

# The protocol as it is documented: each method with its parameters (= for those with a default).
PROTOCOL = """
save_interaction interaction / get_interactions limit= / get_interactions_by_user user_id limit= /
get_interactions_since since / get_interactions_by_ids ids / search_interactions query limit= /
get_context user_id / save_context context / save_note note / get_notes / search_notes query /
update_note note_id title content / delete_note note_id / create_task task / list_tasks status= / search_tasks query /
get_tasks_due / mark_task_notified task_id / update_task task_id title= due_date= / complete_task task_id /
delete_task task_id / create_reminder reminder / get_due_reminders / list_reminders user_id= /
update_reminder_status reminder_id status / cancel_reminder reminder_id / create_scheduled_task task /
list_scheduled_tasks / update_scheduled_task task_id **kwargs / delete_scheduled_task task_id /
update_scheduled_task_last_run task_id last_run / log_audit_entry entry / get_audit_log limit= / get_request_log limit= /
add_news_topic topic / remove_news_topic topic / list_news_topics / add_seen_story story / get_seen_urls /
cleanup_seen_stories days= / save_read_later item / list_read_later include_read= / mark_read_later_read item_id /
delete_read_later item_id / save_user_fact fact / get_user_fact key / get_all_user_facts / search_user_facts query /
delete_user_fact key / decay_user_facts / create_alert_rule rule / list_alert_rules enabled_only= /
update_alert_rule rule_id **kwargs / delete_alert_rule rule_id / update_alert_rule_last_fired rule_id fired_at /
create_intention intention / list_intentions status= / get_due_intentions / update_intention intention_id **kwargs /
count_followups_today / save_agent_learning learning / get_agent_learnings status= / delete_agent_learning learning_id /
save_pending_action action / get_pending_action action_id / update_pending_action action_id **kwargs /
list_expired_pending_actions / get_pending_actions_for_chat chat_id status= / delete_old_pending_actions days= /
delete_old_audit_entries days= / save_journal_entry entry / list_journal_entries days= / save_health_samples samples /
get_health_samples metric_type since until= limit= / get_health_freshness / save_delegation delegation /
get_delegation delegation_id / update_delegation delegation_id **kwargs / count_delegations_today /
list_running_delegations / save_vault_entry entry / get_vault_entry service / list_vault_services / list_vault_meta /
semantic_search embedding sources= limit= / hybrid_search query embedding= sources= limit= / raw_sql_query sql params= limit= /
raw_sql_execute sql params= / raw_sql_dryrun sql params= / describe_schema / close
"""


def written(parameter):
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return "**" + parameter.name
    return parameter.name + ("" if parameter.default is inspect.Parameter.empty else "=")


@test("every method of the protocol is there, awaited, with its parameters")
def _(_place):
    for line in PROTOCOL.replace("\n", " ").split("/"):
        name, *parameters = line.split()
        method = getattr(kwasi.StoragePort, name)
        same((name, inspect.iscoroutinefunction(method)), (name, True))
        same((name, [written(each) for each in list(inspect.signature(method).parameters.values())[1:]]), (name, parameters))


@test("the environment says where: STORAGE_BACKEND, DATABASE_URL, USER_TIMEZONE")
def _(place):
    async def use():
        storage = await kwasi.open_storage()
        await storage.save_note(kwasi.Note("a", "b"))
        await storage.close()
        return storage._timezone
    before = os.getcwd()
    os.environ.update(USER_TIMEZONE="Europe/Berlin")
    for name in ("STORAGE_BACKEND", "DATABASE_URL"):
        os.environ.pop(name, None)
    try:
        os.chdir(place)
        same(asyncio.run(use()), "Europe/Berlin")
        same(os.path.exists(os.path.join(place, "kwasi.db")), True)
        os.environ["STORAGE_BACKEND"] = "oracle"
        raises(ValueError, lambda: asyncio.run(use()), says="must be sqlite or postgres")
        os.environ["STORAGE_BACKEND"] = "postgres"
        raises(ValueError, lambda: asyncio.run(use()), says="DATABASE_URL is not set")
        os.environ["DATABASE_URL"] = address("postgres", place)
        same(asyncio.run(use()), "Europe/Berlin")
    finally:
        os.chdir(before)
        for name in ("STORAGE_BACKEND", "DATABASE_URL", "USER_TIMEZONE"):
            os.environ.pop(name, None)


@kwasi_test("exchanges come back as they were sent")
async def _(db):
    said = [kwasi.Interaction(f"ask {n}", f"answer {n}", [{"tool": "x", "n": n}], "cli", "u1" if n % 2 else None, f"i{n}", T + n * DAY)
            for n in range(5)]
    for each in said:
        await db.save_interaction(each)
    same(await db.get_interactions(2), [said[4], said[3]])
    same(await db.get_interactions_by_user("u1"), [said[3], said[1]])
    same(await db.get_interactions_since(T + 2 * DAY), said[2:])
    same(await db.get_interactions_by_ids(["i3", "nope", "i0"]), [said[3], said[0]])
    same([each.id for each in await db.search_interactions("ANSWER 1")], ["i1"])


@kwasi_test("notes: kept, found in any case, changed, deleted")
async def _(db):
    note = kwasi.Note("École", "100% sûr", "n1", T)
    await db.save_note(note)
    same(await db.get_notes(), [note])
    same(await db.search_notes("ÉCOLE"), [note])
    same(await db.search_notes("100%"), [note])
    same(await db.search_notes("1_0"), [])
    same(await db.update_note("n1", "School", "sure"), True)
    same(await db.update_note("none", "School", "sure"), False)
    same((await db.delete_note("n1"), await db.delete_note("n1"), await db.get_notes()), (True, False, []))


@kwasi_test("tasks and reminders", timezone="Asia/Tokyo")
async def _(db):
    task = kwasi.Task("call", due_date="2020-01-01", id="t1", created_at=T)
    await db.create_task(task)
    await db.create_task(kwasi.Task("later", due_date="2999-01-01", id="t2", created_at=T))
    same(await db.get_tasks_due(), [task])
    await db.mark_task_notified("t1")
    same(await db.get_tasks_due(), [])
    same(await db.update_task("t1", "call again", None), True)
    same([(each.title, each.due_date) for each in await db.search_tasks("AGAIN")], [("call again", "2020-01-01")])
    same((await db.complete_task("t1"), await db.complete_task("none")), (True, False))
    same([each.id for each in await db.list_tasks("done")], ["t1"])
    same((await db.delete_task("t1"), len(await db.list_tasks())), (True, 1))
    reminder = kwasi.Reminder("u", "c", "drink", T, id="r1", created_at=T)
    await db.create_reminder(reminder)
    same(await db.get_due_reminders(), [reminder])
    await db.update_reminder_status("r1", "sent")
    same((await db.cancel_reminder("r1"), await db.get_due_reminders()), (False, []))
    same([each.status for each in await db.list_reminders("u")], ["sent"])


@kwasi_test("context: empty is absent, markers are set once, overrides come back")
async def _(db):
    same(await db.get_context("global"), None)
    await db.save_context(kwasi.UserContext("global", "# Profile", T))
    same((await db.get_context("global")).content, "# Profile")
    await db.save_context(kwasi.UserContext("global", ""))
    same(await db.get_context("global"), None)
    await db.set_runtime_config("model_name", "anthropic:claude-sonnet-4-6")
    same(await db.load_overrides(), {"model_name": "anthropic:claude-sonnet-4-6"})
    same((await db.mark_once("system:meeting_prep:e1"), await db.mark_once("system:meeting_prep:e1")), (True, False))
    await db.save_context(kwasi.UserContext("system:pending_self_redeploy", "{}"))
    same((await db.consume_context("system:pending_self_redeploy"), await db.consume_context("system:pending_self_redeploy")), ("{}", None))
    await db.record_heartbeat("briefing", "ok", "3_processed")
    same([each["status"] for each in await db.list_heartbeats()], ["ok"])


@kwasi_test("facts: an upsert keeps id and birth; learnings are promoted when they recur")
async def _(db):
    await db.save_user_fact(kwasi.UserFact("home", "Paris", "location", id="f1", created_at=T, updated_at=T))
    await db.save_user_fact(kwasi.UserFact("home", "Lyon", "location", id="f2", created_at=T + DAY, updated_at=T + DAY))
    kept = await db.get_user_fact("home")
    same((kept.id, kept.value, kept.created_at, kept.updated_at), ("f1", "Lyon", T, T + DAY))
    same([each.key for each in await db.search_user_facts("LYON")], ["home"])
    same((await db.delete_user_fact("home"), await db.get_user_fact("home"), await db.get_all_user_facts()), (True, None, []))
    for _ in range(2):
        await db.save_agent_learning(kwasi.AgentLearning("Always  confirm", "tone"))
    learned = await db.get_agent_learnings("active")
    same([(each.rule, each.recurrence_count) for each in learned], [("always confirm", 2)])
    same(await db.delete_agent_learning(learned[0].id), True)


@kwasi_test("an action is confirmed once")
async def _(db):
    action = kwasi.PendingAction("create_task", "task", '{"title": "x"}', "Create x?", "c1", id="a1")
    same(action.expires_at - action.created_at, timedelta(minutes=30))
    await db.save_pending_action(action)
    same((await db.get_pending_action("a1")).payload, '{"title": "x"}')
    same(await db.update_pending_action("a1", message_id=7), True)
    same([each.message_id for each in await db.get_pending_actions_for_chat("c1")], [7])
    done = await asyncio.gather(*(db.claim_pending_action("a1") for _ in range(8)), return_exceptions=True)
    same(sorted(type(each).__name__ for each in done)[-1:] + [sum(isinstance(each, kwasi.PendingAction) for each in done)],
         ["PendingAction", 1])
    same((await db.get_pending_action("a1")).status, "confirmed")
    await raised(stele.InvalidError, db.update_pending_action("a1", **{"status = 'x' --": 1}))
    old = kwasi.PendingAction("t", "note", "{}", "p", "c1", id="a2", created_at=T)
    await db.save_pending_action(old)
    same([each.id for each in await db.list_expired_pending_actions()], ["a2"])
    await db.update_pending_action("a2", status="expired")
    same(await db.delete_old_pending_actions(), 1)


@kwasi_test("schedules, alerts, intentions")
async def _(db):
    same(sorted(each.trigger_type for each in await db.list_alert_rules()), ["task_due_today", "task_overdue"])
    for each in await db.list_alert_rules():
        same(await db.delete_alert_rule(each.id), True)
    rule = kwasi.AlertRule("r", "task_overdue", '{"fire_hour": 11}', id="r1", created_at=T)
    await db.create_alert_rule(rule)
    same((await db.list_alert_rules(True))[0].conditions.replace(" ", ""), '{"fire_hour":11}')
    same(await db.update_alert_rule("r1", enabled=False), True)
    await db.update_alert_rule_last_fired("r1", T)
    same((await db.list_alert_rules(), await db.list_alert_rules(True))[0][0].last_fired, T)
    await db.create_scheduled_task(kwasi.ScheduledTask("n", "p", "0 9 * * 1", id="s1", created_at=T))
    same([(each.timezone, each.last_run) for each in await db.list_scheduled_tasks()], [("UTC", None)])
    same([each.id for each in await db.get_due_scheduled_tasks()], ["s1"])
    await db.update_scheduled_task_last_run("s1", datetime.now(timezone.utc))
    same(await db.get_due_scheduled_tasks(), [])
    same((await db.update_scheduled_task("s1", enabled=False), await db.delete_scheduled_task("s1")), (True, True))
    await db.create_intention(kwasi.PendingIntention("call doctor", T, id="p1", created_at=T))
    same([each.follow_up_at for each in await db.get_due_intentions()], [T + 3 * DAY])
    same(await db.update_intention("p1", status="snoozed", last_follow_up_at=datetime.now(timezone.utc)), True)
    same((await db.count_followups_today(), [each.id for each in await db.list_intentions("snoozed")]), (1, ["p1"]))


@kwasi_test("audit, delegations, gaps, skills, health, journal, news, reading")
async def _(db):
    await db.log_audit_entry(kwasi.AuditEntry("mail", {"to": "a", "api_Key": "s3cret", "in": [{"password": "p"}]}, "x" * 300, id="l1"))
    entry = (await db.get_audit_log())[0]
    same((entry.arguments.replace(" ", ""), len(entry.result_summary)), ('{"to":"a","api_Key":"***","in":[{"password":"***"}]}', 200))
    await db.save_delegation(kwasi.Delegation("do", "running", id="d1", estimated_cost_usd=0.25))
    same([each.id for each in await db.list_running_delegations()], ["d1"])
    same((await db.update_delegation("d1", status="completed", output_tokens=5), await db.count_delegations_today()), (True, 1))
    same((await db.get_delegation("d1")).estimated_cost_usd, 0.25)
    await db.save_capability_gap(kwasi.CapabilityGap("ask", "no", "gap", id="g1"))
    same((await db.update_capability_gap("g1", status="resolved"), (await db.get_capability_gap("g1")).status), (True, "resolved"))
    await db.save_proposed_skill(kwasi.ProposedSkill("linkedin_summary", "d", "code", id="k1"))
    same([each.name for each in await db.list_proposed_skills("draft")], ["linkedin_summary"])
    sample = {"metric_type": "heart_rate", "start_time": T, "value": {"bpm": 62}}
    same(await db.save_health_samples([sample, sample, {**sample, "start_time": T + DAY}]), (2, 1))
    same(await db.save_health_samples([sample]), (0, 1))
    same([each["value"] for each in await db.get_health_samples("heart_rate", T)], [{"bpm": 62}] * 2)
    await db.save_journal_entry(kwasi.JournalEntry("dear diary", id="j1"))
    same([each.content for each in await db.list_journal_entries(7)], ["dear diary"])
    await db.add_news_topic(kwasi.NewsTopic("AI"))
    await db.add_news_topic(kwasi.NewsTopic("ai"))
    same([each.topic for each in await db.list_news_topics()], ["ai"])
    same((await db.remove_news_topic("AI"), await db.remove_news_topic("ai")), (True, False))
    await db.add_seen_story(kwasi.SeenStory("http://x", "t", T))
    same(await db.get_seen_urls(), {"http://x"})
    await db.cleanup_seen_stories()
    same(await db.get_seen_urls(), set())
    await db.save_read_later(kwasi.ReadLaterItem("http://a", "A", id="abcdef-1"))
    await db.save_read_later(kwasi.ReadLaterItem("http://b", "B", id="abcdef-2"))
    await raised(stele.StatusError, db.delete_read_later("abcdef"))
    same((await db.mark_read_later_read("abcdef-1"), [each.id for each in await db.list_read_later()]), (True, ["abcdef-2"]))
    await db.delete_read_later("abcdef-1")
    same([each.id for each in await db.list_read_later(include_read=True)], ["abcdef-2"])


@kwasi_test("finding by meaning and by words; SQL; the vault is not seen")
async def _(db):
    same(await db.semantic_search([1.0, 0.0, 0.0]), [])
    await db.save_note(kwasi.Note("Tea", "sencha", "n1", T, [1.0, 0.0, 0.0]))
    await db.save_note(kwasi.Note("Rain", "umbrella", "n2", T, [0.0, 1.0, 0.0]))
    found = await db.semantic_search([0.9, 0.1, 0.0], limit=1)
    same([(each.source, each.id, each.title, each.snippet, round(each.similarity, 2)) for each in found], [("notes", "n1", "Tea", "sencha", 0.99)])
    same([each.id for each in await db.hybrid_search("umbrella")], ["n2"])
    same([each.id for each in await db.hybrid_search("umbrella", [1.0, 0.0, 0.0])][:2], ["n2", "n1"])
    same(await db.raw_sql_query("SELECT count(*) AS n FROM notes"), [{"n": 2}])
    same(await db.raw_sql_dryrun("DELETE FROM notes"), 2)
    same(await db.raw_sql_execute("DELETE FROM notes WHERE id = 'n1'"), 1)
    same("notes" in await db.describe_schema(), True)
    same("vault" in await db.describe_schema(), False)
    await db.save_vault_entry(kwasi.VaultEntry("navette", "gAAA-user", "gAAA-word", "navette.example", id="v1"))
    same((await db.get_vault_entry("navette")).password_enc, "gAAA-word")
    same((await db.list_vault_services(), "password_enc" in (await db.list_vault_meta())[0]), (["navette"], False))
    await raised(stele.StatusError, db.raw_sql_query("SELECT * FROM vault_credentials"))


def psql(sql):
    done = subprocess.run(["psql", "--no-psqlrc", "-qtA", "-v", "ON_ERROR_STOP=1", "-c", sql, os.environ["STELE_TEST_POSTGRES"]],
                          capture_output=True, text=True, check=True, env=interpreter.of_others())
    return done.stdout.split()


@test("postgres: no more than ten connections, and lost ones are made anew")
def _(place):
    name = f"kwasi {os.getpid()}"
    mine = f"FROM pg_stat_activity WHERE application_name = '{name}'"

    async def use():
        storage = await kwasi.open_storage("postgres", address("postgres", place) + f"&application_name={quote(name)}")
        await asyncio.gather(*(storage.save_note(kwasi.Note(str(n), "x")) for n in range(100)))
        open_now = int(psql(f"SELECT count(*) {mine}")[0])
        same((1 < open_now <= 10, open_now), (True, open_now))
        psql(f"SELECT pg_terminate_backend(pid) {mine}")
        same(len(await storage.get_notes()), 100)
        await storage.save_note(kwasi.Note("again", "x"))
        await storage.close()
    asyncio.run(use())


main()

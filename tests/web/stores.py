"""What stands in the other stores of the invented developer: an assistant's notes and approvals, a planner's plans, what
was captured and learned, and how the programs ran.  `fill(server, directory)` adds it to the month of sample.py."""

import datetime
import math
import random

from web import sample
from web.sample import DAY, HOUR, NOW

FAR = "2100-01-01T00:00:00Z"


def at(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def ago(seconds):
    return at(NOW - seconds)


def assistant(call):
    for id_, tool, kind, text in (("mail", "send_email", "email", "Send the tide tables to Ada?"),
                                  ("plant", "create_task", "task", "Create the task “Sow the beans”?"),
                                  ("drop", "run_sql", "database", "Delete the readings of 2019?")):
        call("assistant.save_pending_action", id=id_, tool_name=tool, action_type=kind, payload={"id": id_, "to": "ada@example.org"},
             preview_text=text, chat_id="telegram:7", created_at=ago(HOUR), expires_at=FAR, original_user_message="Please see to it")
    call("assistant.save_note", id="tides", title="Tide tables", content="The harbour master sends them on the first of the month.", created_at=ago(2 * DAY))
    call("assistant.save_note", id="frost", title="Frost", content="The ground is locked in frost until March.", created_at=ago(40 * DAY))
    call("assistant.create_task", id="beans", title="Sow the beans", due_date="2026-03-21", created_at=ago(DAY))
    call("assistant.create_task", id="lens", title="Clean the lens", status="done", created_at=ago(3 * DAY))
    call("assistant.create_reminder", id="ferry", user_id="u", chat_id="telegram:7", message="The ferry leaves at six", remind_at=FAR, created_at=ago(HOUR))
    call("assistant.create_scheduled_task", id="morning", name="Morning report", prompt="What does today bring?", cron_expression="0 7 * * *",
         timezone="Europe/Lisbon", created_at=ago(9 * DAY))


def planner(call):
    call("planner.create_session", session="harbour", description="Harbour works", now=ago(3 * DAY))
    first = call("planner.receive_message", session="harbour", content="Deploy the map", timestamp=ago(5 * HOUR))["id"]
    plan = call("planner.create_plan", session="harbour", message_id=first, goal="Deploy the map", model="claude-opus-4", now=ago(5 * HOUR), tasks=[
        {"type": "exec", "detail": "run the tests", "expect": "exit code 0"}, {"type": "msg", "detail": "tell the crew"}])
    call("planner.update_task", id=plan["task_ids"][0], status="done", output="412 passed")
    again = call("planner.supersede_plan", id=plan["id"], goal="Deploy the map, after the migration", now=ago(4 * HOUR), tasks=[
        {"type": "exec", "detail": "migrate the stations", "expect": "no station without an id"}, {"type": "msg", "detail": "tell the crew"}])
    call("planner.update_task", id=again["task_ids"][0], status="running")
    for text, category, confidence in (("Deploys run at night", "project", 0.9), ("The lens is cleaned on Fridays", "general", 0.4)):
        call("planner.save_fact", content=text, source="curator", category=category, confidence=confidence, now=ago(2 * DAY))
    for text in ("The tests need a database", "Ada answers within an hour"):
        call("planner.save_learning", content=text, session="harbour", user="ada", now=ago(3 * HOUR))
    call("planner.save_pending_item", content="Which port does the map use?", scope="harbour", source="planner", now=ago(2 * HOUR))
    call("planner.save_pending_item", content="May the readings of 2019 go?", scope="global", source="curator", now=ago(DAY))


def captured(call):
    shell = {"terminal": "t1", "cwd": "/srv/lighthouse", "git_repo": "/srv/lighthouse", "git_branch": "main", "hostname": "buoy", "shell": "zsh"}
    for number, (command, code, age) in enumerate([("pytest tests/test_tides.py", 1, 20 * HOUR), ("pytest tests/test_tides.py", 0, 19 * HOUR),
                                                   ("git push origin main", 0, 3 * HOUR), ("make deploy", 2, 2.5 * HOUR), ("ls", 0, 20 * DAY)]):
        call("capture.insert_event", command=command, exit_code=code, duration_ms=900 + number, timestamp=ago(age), now=ago(age), **shell)
    call("capture.insert_event", command="grep -rn BEGIN src", exit_code=0, tool_name="Bash", timestamp=ago(2 * HOUR), now=ago(2 * HOUR),
         **{**shell, "terminal": "a1"})
    call("capture.upsert_segment", session_id="a1", harness="claude-code", project_dir="/srv/lighthouse", cwd="/srv/lighthouse", git_branch="fix/locked",
         title="Why is the database locked?", summary_text="Found two writers that meet, and kept transactions short", start_time=ago(2 * HOUR),
         end_time=ago(1.9 * HOUR), message_count=8, now=ago(1.8 * HOUR))
    call("capture.insert_browser_event", url="https://docs.example/wal", title="Write-ahead logging", domain="docs.example", dwell_ms=94000,
         extracted_text="Readers never wait for a writer", timestamp=ago(2.2 * HOUR), now=ago(2.2 * HOUR))
    call("capture.upsert_workflow_run", id=70, repo="ada/lighthouse", head_sha="abcdef0123", head_branch="main", event="push", status="completed",
         conclusion="failure", started_at=ago(2.9 * HOUR), completed_at=ago(2.8 * HOUR), html_url="https://forge.example/70", raw_json={"name": "checks"},
         now=ago(2.8 * HOUR))
    call("capture.heartbeat", source="shell", now=ago(60))
    call("capture.record_source_success", source="shell", brought=6, now=ago(60))


def learned(call):
    nodes = [("Tests of the tides failed as the tide turned; a fixed clock mends them", "failure", [("tool", "pytest"), ("file", "tests/test_tides.py"), ("project", "lighthouse")]),
             ("Deploying needs the migration first", "partial", [("tool", "make"), ("project", "lighthouse"), ("service", "map")])]
    for text, outcome, names in nodes:
        ticket = call("capture.claim", queue="shell", worker="sample", limit=1, now=ago(HOUR))[0]
        call("capture.write_knowledge_node", queue="shell", tickets=[ticket["id"]], token=ticket["token"], content={"summary": text, "intent": "work", "outcome": outcome},
             embed_text=text, outcome=outcome, tags=["lighthouse"], entities=[{"type": kind, "name": name} for kind, name in names], now=ago(HOUR))
    for age in (5, 4, 3):
        call("capture.record_lesson", repo="ada/lighthouse", tool="ruff", rule_id="E501", path="src/web/page.py", fix_hint="Shorter lines", now=ago(age * DAY))


def alarms(call):
    for source in ("shell", "browser"):
        call("capture.record_drops", source=source, dropped=3, cause="full", now=ago(HOUR))
    call("capture.run_watchdog", now=ago(HOUR))


def telemetry(call):
    session = None
    for age in (3 * DAY, 30 * HOUR):
        session = call("telemetry.create_session", now=ago(age))["session_id"]
        if age > 2 * DAY:
            call("telemetry.finalize_session", session_id=session, had_error=True, now=ago(31 * HOUR))
    listeners = [call("telemetry.register_listener", app_key="lighthouse", instance_index=0, handler_method=name, topic=topic, source_location="lamp.py:1",
                      last_registered_at=ago(30 * HOUR))["listener_id"] for name, topic in (("on_dusk", "sun"), ("on_fog", "weather"))]
    dice = random.Random(5)
    calls = []
    for number in range(600):
        age = number * 180.0
        slow = 1 + 3 * math.exp(-((age - 6 * HOUR) / HOUR) ** 2)
        calls.append({"listener_id": listeners[number % 2], "session_id": session, "execution_start_dtme": NOW - age - 1,
                      "duration_ms": round(dice.lognormvariate(2.5, 0.6) * slow, 3), "status": "error" if dice.random() < 0.04 * slow else "success"})
    call("telemetry.persist_batch", invocations=calls)


def fill(server, directory):
    """Everything.  Answers what sample.fill does."""
    sessions = sample.fill(server, directory)
    for add in (assistant, planner, captured, learned, alarms, telemetry):
        add(server.call)
    return sessions

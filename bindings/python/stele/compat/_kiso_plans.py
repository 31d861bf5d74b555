"""Plans and their tasks.  Any word is a status; an update of what is not there does nothing."""

import json

from ._kiso_access import call, change, insert, row, rows, write

_KEEP_LLM_CALLS = object()  # leave them as they are; an empty list or None erases them


def _calls(llm_calls):
    """What a SET says of them, and its values."""
    if llm_calls is _KEEP_LLM_CALLS:
        return "", ()
    return ", llm_calls = ?", (json.dumps(llm_calls) if llm_calls else None,)


# ---- Plans ----

async def create_plan(db, session, message_id, goal, parent_id=None):
    return await insert(db, "INSERT INTO plans (session, message_id, goal, parent_id) VALUES (?, ?, ?, ?)",
                        session, message_id, goal, parent_id)


async def update_plan_status(db, plan_id, status):
    await change(db, "UPDATE plans SET status = ? WHERE id = ?", status, plan_id)


async def update_plan_usage(db, plan_id, input_tokens, output_tokens, model=None, llm_calls=_KEEP_LLM_CALLS):
    """Totals, not increments; the model is replaced too."""
    also, calls = _calls(llm_calls)
    await change(db, f"UPDATE plans SET total_input_tokens = ?, total_output_tokens = ?, model = ?{also} WHERE id = ?",
                 input_tokens, output_tokens, model, *calls, plan_id)


async def get_plan_for_session(db, session):
    """The latest one, or None."""
    return await row(db, "SELECT * FROM plans WHERE session = ? ORDER BY id DESC LIMIT 1", session)


# ---- Tasks ----

async def create_task(db, plan_id, session, type, detail, skill=None, args=None, expect=None):
    return await insert(db, "INSERT INTO tasks (plan_id, session, type, detail, skill, args, expect) VALUES (?, ?, ?, ?, ?, ?, ?)",
                        plan_id, session, type, detail, skill, args, expect)


async def _update_task(db, task_id, assignments, *values):
    await change(db, f"UPDATE tasks SET {assignments} WHERE id = ?", *values, task_id)


async def update_task(db, task_id, status, output=None, stderr=None):
    """Output and stderr are replaced too: None erases them."""
    await _update_task(db, task_id, "status = ?, output = ?, stderr = ?, updated_at = CURRENT_TIMESTAMP", status, output, stderr)


async def update_task_review(db, task_id, verdict, reason=None, learning=None):
    await _update_task(db, task_id, "review_verdict = ?, review_reason = ?, review_learning = ?, updated_at = CURRENT_TIMESTAMP",
                       verdict, reason, learning)


async def update_task_substatus(db, task_id, substatus):
    await _update_task(db, task_id, "substatus = ?, updated_at = CURRENT_TIMESTAMP", substatus)


async def update_task_retry_count(db, task_id, retry_count):
    await _update_task(db, task_id, "retry_count = ?, updated_at = CURRENT_TIMESTAMP", retry_count)


async def update_task_command(db, task_id, command):
    await _update_task(db, task_id, "command = ?", command)


async def update_task_usage(db, task_id, input_tokens, output_tokens, llm_calls=_KEEP_LLM_CALLS):
    also, calls = _calls(llm_calls)
    await _update_task(db, task_id, f"input_tokens = ?, output_tokens = ?{also}", input_tokens, output_tokens, *calls)


async def append_task_llm_call(db, task_id, call_data):
    """One statement, so that calls that come together are all kept.  What is there and no JSON is replaced."""
    kept = "CASE WHEN json_valid(llm_calls) THEN llm_calls ELSE '[]' END"
    await _update_task(db, task_id, f"llm_calls = json_insert({kept}, '$[#]', json(?))", json.dumps(call_data))


async def get_tasks_for_plan(db, plan_id):
    return await rows(db, "SELECT * FROM tasks WHERE plan_id = ? ORDER BY id", plan_id)


async def get_tasks_for_session(db, session, after=0):
    """Those numbered above `after`."""
    return await rows(db, "SELECT * FROM tasks WHERE session = ? AND id > ? ORDER BY id", session, after)


# ---- After a crash ----

async def recover_stale_running(db):
    """What was running has failed: (plans, tasks).  Tasks that had not begun and plans being replanned are left alone."""
    def work(connection):
        plans = connection.execute("UPDATE plans SET status = 'failed' WHERE status = 'running'").rowcount
        tasks = connection.execute("UPDATE tasks SET status = 'failed', output = 'Server restarted', "
                                   "updated_at = CURRENT_TIMESTAMP WHERE status = 'running'").rowcount
        return plans, tasks
    return await write(db, work)


# ---- What the original does in several steps: the library's methods, with their rules ----

async def cancel_plan(db, plan_id):
    """Cancel a plan and its tasks that have not begun: how many."""
    return (await call(db, "planner.cancel_plan", id=plan_id))["cancelled"]


async def supersede_plan(db, plan_id, goal, **more):
    """End a plan, fail what it has not finished, and begin the next: its number.  More: as in planner.supersede_plan."""
    return (await call(db, "planner.supersede_plan", id=plan_id, goal=goal, **more))["id"]

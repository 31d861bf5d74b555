"""StoragePort: schedules, alerts, audit, approvals, delegations, what is missing, and health."""

from ._kwasi_access import Access
from ._kwasi_models import (
    AlertRule, AuditEntry, CapabilityGap, Delegation, PendingAction, ProposedSkill, ScheduledTask)
from ._kwasi_rows import arguments, utc


class Work(Access):
    # Schedules

    async def create_scheduled_task(self, task: ScheduledTask) -> None:
        if task.timezone is None:
            task.timezone = self._timezone
        await self._save("create_scheduled_task", task)

    async def list_scheduled_tasks(self) -> list[ScheduledTask]:
        return await self._every(ScheduledTask, "list_scheduled_tasks")

    async def get_due_scheduled_tasks(self) -> list[ScheduledTask]:
        return await self._every(ScheduledTask, "get_due_scheduled_tasks")

    async def update_scheduled_task(self, task_id: str, **kwargs) -> bool:
        return await self._change("update_scheduled_task", id=task_id, **kwargs)

    async def delete_scheduled_task(self, task_id: str) -> bool:
        return await self._change("delete_scheduled_task", id=task_id)

    async def update_scheduled_task_last_run(self, task_id: str, last_run) -> None:
        await self._change("update_scheduled_task_last_run", id=task_id, last_run=last_run)

    # Alerts

    async def create_alert_rule(self, rule: AlertRule) -> None:
        await self._save("create_alert_rule", rule)

    async def list_alert_rules(self, enabled_only: bool = False) -> list[AlertRule]:
        return await self._every(AlertRule, "list_alert_rules", enabled_only=enabled_only)

    async def update_alert_rule(self, rule_id: str, **kwargs) -> bool:
        return await self._change("update_alert_rule", id=rule_id, **kwargs)

    async def delete_alert_rule(self, rule_id: str) -> bool:
        return await self._change("delete_alert_rule", id=rule_id)

    async def update_alert_rule_last_fired(self, rule_id: str, fired_at) -> None:
        await self._change("update_alert_rule_last_fired", id=rule_id, last_fired=fired_at)

    # Audit

    async def log_audit_entry(self, entry: AuditEntry) -> None:
        await self._save("log_audit_entry", entry)

    async def get_audit_log(self, limit: int = 50) -> list[AuditEntry]:
        return await self._every(AuditEntry, "get_audit_log", limit=limit)

    async def get_request_log(self, limit: int = 50) -> list[AuditEntry]:
        return await self._every(AuditEntry, "get_request_log", limit=limit)

    async def delete_old_audit_entries(self, days: int = 90) -> int:
        return (await self._store.delete_old_audit_entries(days=days))["deleted"]

    # Approvals

    async def save_pending_action(self, action: PendingAction) -> None:
        await self._save("save_pending_action", action)

    async def get_pending_action(self, action_id: str) -> PendingAction | None:
        return await self._one(PendingAction, "get_pending_action", id=action_id)

    async def claim_pending_action(self, action_id: str) -> PendingAction:
        """The action, confirmed: to the first who asks, before it expires.  Others get an exception that says why."""
        return await self._one(PendingAction, "claim_pending_action", id=action_id)

    async def update_pending_action(self, action_id: str, **kwargs) -> bool:
        return await self._change("update_pending_action", id=action_id, **kwargs)

    async def list_expired_pending_actions(self) -> list[PendingAction]:
        return await self._every(PendingAction, "list_expired_pending_actions")

    async def get_pending_actions_for_chat(self, chat_id: str, status: str = "pending") -> list[PendingAction]:
        return await self._every(PendingAction, "get_pending_actions_for_chat", chat_id=chat_id, status=status)

    async def delete_old_pending_actions(self, days: int = 7) -> int:
        return (await self._store.delete_old_pending_actions(days=days))["deleted"]

    # Delegations

    async def save_delegation(self, delegation: Delegation) -> None:
        await self._save("save_delegation", delegation)

    async def get_delegation(self, delegation_id: str) -> Delegation | None:
        return await self._one(Delegation, "get_delegation", id=delegation_id)

    async def update_delegation(self, delegation_id: str, **kwargs) -> bool:
        return await self._change("update_delegation", id=delegation_id, **kwargs)

    async def count_delegations_today(self) -> int:
        return (await self._store.count_delegations_today(timezone=self._timezone))["delegations"]

    async def list_running_delegations(self) -> list[Delegation]:
        return await self._every(Delegation, "list_running_delegations")

    # What is missing

    async def save_capability_gap(self, gap: CapabilityGap) -> None:
        await self._save("save_capability_gap", gap)

    async def get_capability_gap(self, gap_id: str) -> CapabilityGap | None:
        return await self._one(CapabilityGap, "get_capability_gap", id=gap_id)

    async def list_capability_gaps(self, status: str | None = None) -> list[CapabilityGap]:
        return await self._every(CapabilityGap, "list_capability_gaps", status=status)

    async def update_capability_gap(self, gap_id: str, **kwargs) -> bool:
        return await self._change("update_capability_gap", id=gap_id, **kwargs)

    async def save_proposed_skill(self, skill: ProposedSkill) -> None:
        await self._save("save_proposed_skill", skill)

    async def get_proposed_skill(self, skill_id: str) -> ProposedSkill | None:
        return await self._one(ProposedSkill, "get_proposed_skill", id=skill_id)

    async def list_proposed_skills(self, status: str | None = None) -> list[ProposedSkill]:
        return await self._every(ProposedSkill, "list_proposed_skills", status=status)

    async def update_proposed_skill(self, skill_id: str, **kwargs) -> bool:
        return await self._change("update_proposed_skill", id=skill_id, **kwargs)

    # Health

    async def save_health_samples(self, samples: list[dict]) -> tuple[int, int]:
        """How many were new, and how many were there already."""
        told = await self._store.save_health_samples(samples=[arguments(each) for each in samples])
        return told["accepted"], told["duplicates"]

    async def get_health_samples(self, metric_type: str, since, until=None, limit: int = 5000) -> list[dict]:
        given = {} if until is None else {"until": utc(until)}
        return await self._store.get_health_samples(metric_type=metric_type, since=utc(since), limit=limit, **given)

    async def get_health_freshness(self) -> dict:
        return {row["metric_type"]: row["start_time"] for row in await self._store.get_health_freshness()}

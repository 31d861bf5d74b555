"""What goes through the StoragePort: one dataclass per table, with its columns; what has a default comes last.

Times are aware datetimes in UTC.  What the table keeps as JSON is told as the values it stands for, except where the
original hands the text on unread (payload, conditions, arguments)."""

import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone


def _id():
    return str(uuid.uuid4())


def now():
    return datetime.now(timezone.utc)


def _new_id():
    return field(default_factory=_id)


def _now():
    return field(default_factory=now)


@dataclass
class Interaction:
    user_message: str
    agent_response: str
    tools_used: list = field(default_factory=list)
    channel: str = "telegram"
    user_id: str | None = None
    id: str = _new_id()
    created_at: datetime = _now()
    embedding: list[float] | None = None


@dataclass
class Note:
    title: str
    content: str
    id: str = _new_id()
    created_at: datetime = _now()
    embedding: list[float] | None = None


@dataclass
class Task:
    title: str
    status: str = "todo"
    due_date: str | None = None
    notified: bool = False
    id: str = _new_id()
    created_at: datetime = _now()


@dataclass
class Reminder:
    user_id: str
    chat_id: str
    message: str
    remind_at: datetime
    status: str = "pending"
    channel: str = "telegram"
    id: str = _new_id()
    created_at: datetime = _now()


@dataclass
class UserContext:
    user_id: str
    content: str
    last_updated: datetime = _now()


@dataclass
class UserFact:
    key: str
    value: str
    category: str = "general"
    source: str = "agent"
    id: str = _new_id()
    created_at: datetime = _now()
    updated_at: datetime = _now()


@dataclass
class NewsTopic:
    topic: str
    id: str = _new_id()
    created_at: datetime = _now()


@dataclass
class SeenStory:
    url: str
    title: str | None = None
    seen_at: datetime = _now()


@dataclass
class ScheduledTask:
    name: str
    prompt: str
    cron_expression: str
    timezone: str | None = None  # None: that of the user
    enabled: bool = True
    created_by: str = "user"
    last_run: datetime | None = None
    id: str = _new_id()
    created_at: datetime = _now()


@dataclass
class AuditEntry:
    tool_name: str
    arguments: str | dict = "{}"
    result_summary: str = ""
    channel: str | None = None
    user_id: str | None = None
    duration_ms: int | None = None
    tokens_used: int | None = None
    id: str = _new_id()
    timestamp: datetime = _now()


@dataclass
class ReadLaterItem:
    url: str
    title: str | None = None
    summary: str | None = None
    note: str | None = None
    tags: str | None = None
    id: str = _new_id()
    added_at: datetime = _now()
    read_at: datetime | None = None
    embedding: list[float] | None = None


@dataclass
class AlertRule:
    name: str
    trigger_type: str
    conditions: str | dict = "{}"
    cooldown_hours: int = 24
    enabled: bool = True
    created_by: str = "user"
    last_fired: datetime | None = None
    id: str = _new_id()
    created_at: datetime = _now()


@dataclass
class AgentLearning:
    rule: str
    category: str
    recurrence_count: int = 1
    status: str = "candidate"
    id: str = _new_id()
    first_seen: datetime = _now()
    last_seen: datetime = _now()


@dataclass
class PendingAction:
    tool_name: str
    action_type: str
    payload: str | dict
    preview_text: str
    chat_id: str
    message_id: int | None = None
    status: str = "pending"
    notified: bool = False
    edit_count: int = 0
    original_user_message: str | None = None
    trace_id: str | None = None
    id: str = _new_id()
    created_at: datetime = _now()
    expires_at: datetime | None = None

    def __post_init__(self):
        if self.expires_at is None:
            self.expires_at = self.created_at + timedelta(minutes=30)


@dataclass
class PendingIntention:
    text: str
    mentioned_at: datetime = _now()
    follow_up_days: int = 3
    follow_up_at: datetime | None = None
    status: str = "pending"
    last_follow_up_at: datetime | None = None
    id: str = _new_id()
    created_at: datetime = _now()

    def __post_init__(self):
        if self.follow_up_at is None:
            self.follow_up_at = self.mentioned_at + timedelta(days=self.follow_up_days)


@dataclass
class JournalEntry:
    content: str
    title: str | None = None
    source: str = "voice"
    id: str = _new_id()
    created_at: datetime = _now()


@dataclass
class CapabilityGap:
    user_message: str
    agent_response: str
    classification: str = "unknown"
    suspected_capability: str | None = None
    classifier_reason: str | None = None
    grep_evidence: str | None = None
    status: str = "open"
    id: str = _new_id()
    created_at: datetime = _now()
    resolved_at: datetime | None = None


@dataclass
class ProposedSkill:
    name: str
    description: str
    code: str
    gap_id: str | None = None
    validation_status: str = "pending"
    validation_output: str | None = None
    status: str = "draft"
    id: str = _new_id()
    created_at: datetime = _now()
    activated_at: datetime | None = None


@dataclass
class Delegation:
    task_description: str
    status: str = "queued"
    backend: str = "opencode"
    chat_id: str | None = None
    session_id: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    result_summary: str = ""
    files_summary: str = ""
    duration_seconds: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    estimated_cost_usd: float | None = None
    error: str | None = None
    credential: str | None = None
    id: str = _new_id()
    created_at: datetime = _now()


@dataclass
class VaultEntry:
    service: str
    username_enc: str
    password_enc: str
    domains: str = ""
    totp_seed_enc: str | None = None
    id: str = _new_id()
    created_at: datetime = _now()
    updated_at: datetime = _now()


@dataclass
class SemanticSearchResult:
    source: str  # "notes" | "interactions" | "read_later"
    id: str
    title: str
    snippet: str
    similarity: float
    created_at: datetime | None

"""Models of the stores: what each method promises, in plain Python, with dicts and lists for tables."""

from differential.models.assistant import Assistant
from differential.models.capture import Capture
from differential.models.conversation import Conversation
from differential.models.planner import Planner
from differential.models.telemetry import Telemetry

ALL = {model.store: model for model in (Assistant, Capture, Conversation, Planner, Telemetry)}

"""Items of the Responses API as messages of a conversation, and back.

A message holds the item itself, to the letter, in codex_message_items.  What stands in its other fields is there to be
searched, listed and shown like every other message."""

import json

_TEXTS = ("text", "refusal", "transcript")


def to_message(item):
    """The fields of conversation.append_message for an item of whatever kind."""
    return {**_shown(item, str(item.get("type") or "message")), "codex_message_items": [item]}


def _shown(item, kind):
    if kind.endswith("_output"):
        return {"role": "tool", "tool_call_id": _text_or_none(item.get("call_id")), "content": _text(item.get("output"))}
    if kind.endswith("_call"):
        return {"role": "assistant", "tool_calls": [_call(item, kind)]}
    if kind == "reasoning":
        return {"role": "assistant", "reasoning": _text(item.get("summary") or item.get("content"))}
    return {"role": str(item.get("role") or "assistant"), "content": _text(item.get("content"))}


def _call(item, kind):
    arguments = item.get("arguments")
    if not isinstance(arguments, str):
        arguments = json.dumps(item.get("action") or {}, ensure_ascii=False)
    return {"id": item.get("call_id") or item.get("id"), "type": "function",
            "function": {"name": item.get("name") or kind, "arguments": arguments}}


def _text_or_none(value):
    return value if isinstance(value, str) else None


def _text(content):
    """What can be read of a content: a text, or parts, of which those without a text are named."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(_part, content))) or None
    return json.dumps(content, ensure_ascii=False)


def _part(part):
    if not isinstance(part, dict):
        return str(part)
    for name in _TEXTS:
        if isinstance(part.get(name), str):
            return part[name]
    return f"[{part.get('type', 'part')}]"


def to_items(message):
    """The items that a message stands for.  One that was not written as an item is put into their form."""
    kept = message["codex_message_items"]
    if not isinstance(kept, list):
        kept = []
    items = [] if kept else _spoken(message)
    calls = [] if any(_is_call(item) for item in kept) else message["tool_calls"] or []
    before = message["codex_reasoning_items"] or []
    return [*(before if isinstance(before, list) else []), *kept, *items, *map(_called, calls)]


def _is_call(item):
    return isinstance(item, dict) and str(item.get("type")).endswith("_call")


def _spoken(message):
    if message["role"] == "tool":
        return [{"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"] or ""}]
    if message["content"] in (None, ""):
        return []
    return [{"role": message["role"], "content": message["content"]}]


def _called(call):
    function = call.get("function") or {}
    return {"type": "function_call", "call_id": call.get("id"), "name": function.get("name"),
            "arguments": function.get("arguments") or "{}"}

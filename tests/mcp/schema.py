"""The part of JSON Schema (2020-12) that tools use: is a schema one, and does a value fit it?"""

TYPES = {"string": str, "object": dict, "array": list, "boolean": bool, "null": type(None)}
WORDS = {"type", "enum", "properties", "required", "items", "additionalProperties", "minimum", "maximum", "default",
         "description", "anyOf"}


def problems(schema, where="schema"):
    """What is wrong with a schema."""
    if not isinstance(schema, dict):
        yield f"{where} is no object"
        return
    for word in schema.keys() - WORDS:
        yield f"{where} has {word}"
    for branch in schema.get("anyOf", []):
        yield from problems(branch, f"{where}|")
    if "type" in schema and schema["type"] not in (*TYPES, "integer", "number"):
        yield f"{where} has the type {schema['type']}"
    if "properties" in schema:
        for name, inner in schema["properties"].items():
            yield from problems(inner, f"{where}.{name}")
        for name in schema.get("required", []):
            if name not in schema["properties"]:
                yield f"{where} requires {name}, which it has not"
    if "items" in schema:
        yield from problems(schema["items"], f"{where}[]")
    if "default" in schema:
        yield from misfits(schema["default"], schema, f"{where} default")


def _is(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def misfits(value, schema, where="value"):
    """Where a value does not fit."""
    if "type" in schema and not _is(value, schema["type"]):
        yield f"{where} is {value!r:.80}, not {schema['type']}"
        return
    if "anyOf" in schema and all(list(misfits(value, branch)) for branch in schema["anyOf"]):
        yield f"{where} is {value!r:.80}, none of {schema['anyOf']}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is {value!r}, none of {schema['enum']}"
    if _is(value, "number"):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            yield f"{where} is {value}, out of range"
    if isinstance(value, dict):
        inside = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value:
                yield f"{where} lacks {name}"
        for name, inner in value.items():
            if name in inside:
                yield from misfits(inner, inside[name], f"{where}.{name}")
            elif schema.get("additionalProperties", True) is False:
                yield f"{where} has {name}"
    if isinstance(value, list) and "items" in schema:
        for number, inner in enumerate(value):
            yield from misfits(inner, schema["items"], f"{where}[{number}]")

"""The rules that need all methods, or a method and its statements together."""

import re
from itertools import zip_longest

from .model import ENGINES, LIBRARIES, LIBRARY
from .problems import did_you_mean

_NOT_FOR_ELSE = ("OK", "ROW", "DONE")


def statuses(sources, header):
    """The names of the statuses, from the list in stele.h."""
    macro = re.search(r"#define STELE_STATUSES\(X\)(?:.*\\\n)+.*", sources.text(header))
    return re.findall(r"X\((\w+),", macro[0]) if macro else []


def registry(table, status_names, problems):
    names = _check_unique(table, problems)
    for store in table.stores:
        if len(store.features) > 31:
            problems.add(store.place, store.name, "more than 31 features: they are kept in bits")
    for method in table.methods:
        if method.broken:
            continue

        def complain(place, text, method=method):
            problems.add(place, method.name, text)
        _check_records(method, table, names, complain)
        _check_reply(method, complain)
        _check_else(method, status_names, complain)
        if method.queue:
            _check_queue(method, table, names, complain)
        _check_features(method, table, complain)
        if method.http:
            _check_http(method, complain)
        if method.secret:
            _check_secret(method, complain)
        _check_doctor(method, table, complain)
        _check_upkeep(method, table, complain)
    _check_addresses(table, problems)
    _check_identifiers(table, problems)


def _check_secret(method, complain):
    """What is secret is told to whoever may do everything, once, and kept nowhere."""
    for result in method.results:
        if result.secret and method.access != "admin":
            complain(result.place, f"{result.name}: only a method of access admin replies something secret")
    for word, kept in (("idempotent", method.idempotent), ("queue", method.queue), ("http", method.http)):
        if kept:
            complain(kept[0], f"@{word}: a method with something secret has none")


def _check_http(method, complain):
    """A resource is read, and what stands in its path are parameters."""
    place, _, path = method.http
    if method.access != "read" or method.private:
        complain(place, "@http: only a public method that reads is a resource")
    for name in re.findall(r"\{(\w+)\}", path):
        param = method.param(name)
        if not param:
            near = did_you_mean(name, [each.name for each in method.params])
            complain(place, f"@http: {{{name}}} is not declared{near}")
        elif param.list or param.type not in ("text", "int", "uuid"):
            complain(place, f"@http: {name} cannot stand in a path: it is not a text, int or uuid")


def _check_doctor(method, table, complain):
    """What adds lines to the checkup has the results of stele.doctor, and is run by it alone."""
    model = table.method(f"{LIBRARY}.doctor")
    if not model or method is model or not re.fullmatch(r"\w+\.doctor(_\w+)?", method.name):
        return
    if method.shape != "many" or method.access != "read" or not method.private:
        complain(method.place, f"it adds lines to {model.name}, and must be: many read private")
    needed = [each.name for each in method.params if not each.optional and each.default is None]
    if needed:
        complain(method.place, f"{model.name} calls it without {needed[0]}")

    _check_results(method, model, model.results, complain)


def _check_upkeep(method, table, complain):
    """A chore is called by stele.upkeep without a word of its own, and replies what that tells of it."""
    model = table.method(f"{LIBRARY}.upkeep")
    if not model or not re.fullmatch(r"\w+\.upkeep_\w+", method.name):
        return
    if method.shape != "many" or method.access != "write" or method.private:
        complain(method.place, f"it is a chore of {model.name}, and must be: many write")
    for param in method.params:
        said = model.param(param.name)
        if not said:
            complain(param.place, f"{param.name}: {model.name} has no such parameter to say it")
        elif said.written != param.written:
            complain(param.place, f"{param.name}: it must be what it is in {model.name}: {said.written}")
        elif not param.optional and param.default is None:
            complain(param.place, f"{param.name}: a parameter of a chore has a default")
    if not method.param("dry_run"):
        complain(method.place, "a chore has a parameter dry_run")
    _check_results(method, model, model.results[2:], complain)  # after the store and the chore


def _check_results(method, model, wanted, complain):
    """Its results are those that another method tells."""
    def columns(results):
        return [(each.name, each.written, each.nullable) for each in results]
    for should, found in zip_longest(columns(wanted), columns(method.results)):
        if should != found:
            complain(method.place, f"its results must be those of {model.name}: "
                                   f"{found[0] if found else 'nothing'} stands where {should[0] if should else 'nothing'} should")
            return


def _check_addresses(table, problems):
    """No two resources answer to the same path; a store's methods have their own."""
    seen = {}
    stores = {store.name for store in table.stores} | set(LIBRARIES)
    for method in table.methods:
        if not method.http:
            continue
        place, _, path = method.http
        other = seen.setdefault(re.sub(r"\{\w+\}", "{}", path), method)
        if other is not method:
            problems.add(place, method.name, f"@http: {path} is the address of {other.name} already")
        words = path.split("/")[2:]
        if len(words) == 2 and words[0] in stores:
            problems.add(place, method.name, f"@http: /v1/{words[0]}/... is where its methods are called")


def _check_features(method, table, complain):
    store = next((each for each in table.stores if each.name == method.store), None)
    for place, name in method.features:
        if not store or store.feature_index(name) < 0:
            known = [each.name for each in store.features] if store else []
            complain(place, f"no feature {name}{did_you_mean(name, known)}")


def _check_unique(table, problems):
    """All names.  Two of one name in one file were told when it was read; here, in two files."""
    seen = {}
    for method in table.methods:
        other = seen.setdefault(method.name, method)
        if other.place.path != method.place.path:
            problems.add(method.place, method.name,
                         f"this method is declared in {other.place.path} already")
    return list(seen)


def _check_records(method, table, names, complain):
    for field in method.params + method.results:
        if field.type != "record":
            continue
        if field.record not in names:
            near = did_you_mean(field.record, names)
            complain(field.place, f"{field.name}: no method is named {field.record}{near}")
        elif _reaches(table, field.record, method.name, set()):
            complain(field.place, f"{field.name}: the record {field.record} contains itself")


def _reaches(table, name, target, seen):
    """The parameters of that method hold a record of the target, directly or not."""
    if name == target:
        return True
    method = table.method(name)
    if not method or name in seen:
        return False
    seen.add(name)
    return any(_reaches(table, each.record, target, seen) for each in method.params if each.record)


def _check_reply(method, complain):
    columns = [result for result in method.results if not result.changed]
    if method.native:
        for result in method.results:
            if result.changed:
                complain(result.place, f"{result.name}: a native method has no statements to count")
        return
    if method.shape in ("one", "many") and not method.results:
        complain(method.place, f"the shape is {method.shape}, but there is no @result")
    for result in columns:
        if method.shape == "none":
            complain(result.place, f"{result.name}: a method of shape none replies no column")
        elif result.type in ("record", "vector"):
            complain(result.place, f"{result.name}: only a native method can reply a {result.type}")


def _check_else(method, status_names, complain):
    allowed = [name for name in status_names if name not in _NOT_FOR_ELSE]
    for engine in ENGINES:
        for statement in method.statements.get(engine, []):
            if statement.else_place and statement.else_status not in allowed:
                near = did_you_mean(statement.else_status, allowed)
                complain(statement.else_place,
                         f"@else needs a status and perhaps a parameter; "
                         f"unknown status {statement.else_status}{near}")


def _check_queue(method, table, names, complain):
    place, name, param_name = method.queue
    target = table.method(name)
    if not target:
        complain(place, f"@queue: no method is named {name}{did_you_mean(name, names)}")
        return
    param = target.param(param_name)
    if not param:
        near = did_you_mean(param_name, [each.name for each in target.params])
        complain(place, f"@queue: {name} has no parameter {param_name}{near}")
    elif param.record != method.name or not param.list:
        complain(place, f"@queue: {param_name} of {name} is not a {method.name}[]")
    for other in target.params:
        if param and other is not param and not other.optional and other.default is None:
            complain(place, f"@queue: {name} also needs {other.name}, which a queue cannot give")


def identifier(*words):
    """The C constant of a method, or of a field of it."""
    return "_".join(words).replace(".", "_").upper()


def _check_identifiers(table, problems):
    """a.b with c_d and a.b_c with d are the same constant in registry_ids.h."""
    seen = {}
    for method in table.methods:
        names = [(method.place, identifier("STELE_M", method.name))]
        for prefix, fields in (("ST_P", method.params), ("ST_R", method.results)):
            names += [(each.place, identifier(prefix, method.name, each.name)) for each in fields]
        for place, name in names:
            other = seen.setdefault(name, method)
            if other.name != method.name:
                problems.add(place, method.name, f"{name} is the constant of {other.name} too")

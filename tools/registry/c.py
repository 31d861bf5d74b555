"""The registry as C: the table that src/engine/registry.h declares, and the ids."""

from math import inf

from .check import identifier
from .documents import noted_by
from .forget import forgotten
from .model import ENGINES
from .partitions import feature_of
from .schema import derived
from .tables import seeded

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def string(text, indent="    "):
    """A C string literal, one line of C for each line of text; NULL for None."""
    if text is None:
        return "NULL"
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    if len(lines) < 2:
        return _quote(text)
    return "".join("\n" + indent + _quote(line) for line in lines)


def _quote(text):
    out, before = [], ""
    for character in text:
        if character == "?" and before == "?":
            out.append("\\?")  # no trigraphs
        elif character in _ESCAPES:
            out.append(_ESCAPES[character])
        elif " " <= character <= "~":
            out.append(character)
        else:  # three digits each, so that a digit after it is not swallowed
            out.extend(f"\\{byte:03o}" for byte in character.encode("utf-8"))
        before = character
    return '"' + "".join(out) + '"'


def _number(value):
    if value in (inf, -inf):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(float(value))


def _bool(value):
    return "true" if value else "false"


def _array(type_and_name, rows):
    lines = "".join(f"  {row},\n" for row in rows)
    return f"static const {type_and_name}[] = {{\n{lines}}};\n"


# ---- The table ----------------------------------------------------------------------------


def table(registry):
    natives = sorted({method.native for method in registry.methods if method.native})
    ids = {method.name: index for index, method in enumerate(registry.methods)}
    out = ["/* Written by tools/registry.py from sql/.  Do not edit. */\n",
           '#include "engine/registry.h"\n',
           "#include <math.h>\n",
           "#include <stddef.h>\n",
           "/* The schemas are long; every compiler in use takes them. */\n"
           '#pragma GCC diagnostic ignored "-Woverlength-strings"\n']
    out += [f"void {native}(st_call *call);" for native in natives]
    if registry.methods:
        out.append(f"\nstatic const st_method methods[{len(registry.methods)}];\n")
    for index, method in enumerate(registry.methods):
        out.append(_method_parts(method, f"m{index}", ids))
    if registry.methods:
        names = [store.name for store in registry.stores]
        rows = [_method(method, index, names, ids, registry)
                for index, method in enumerate(registry.methods)]
        out.append(f"static const st_method methods[{len(rows)}] = {{\n" + "".join(rows) + "};\n")
    for index, store in enumerate(registry.stores):
        out.append(_store_parts(store, f"s{index}") + _found_parts(store, f"s{index}", ids, registry.shared))
    if registry.stores:
        rows = [_store(store, f"s{index}") for index, store in enumerate(registry.stores)]
        out.append("static const st_store stores[] = {\n" + "".join(rows) + "};\n")
    out.append("const st_registry_table st_registry = {"
               f"{'stores' if registry.stores else 'NULL'}, {len(registry.stores)}, "
               f"{'methods' if registry.methods else 'NULL'}, {len(registry.methods)}}};")
    return "\n".join(out) + "\n"


def _method_parts(method, prefix, ids):
    """The arrays that a method points to."""
    out = [f"/* {method.name} */\n"]
    for kind, fields in (("params", method.params), ("results", method.results)):
        for index, field in enumerate(fields):
            if field.choices:
                words = ", ".join(map(_quote, field.choices))
                out.append(f"static const char *const {prefix}_{kind}_{index}[] = "
                           f"{{{words}, NULL}};\n")
        if fields:
            rows = [_field(field, f"{prefix}_{kind}_{index}", ids)
                    for index, field in enumerate(fields)]
            out.append(_array(f"stele_field {prefix}_{kind}", rows))
    if method.results:
        counts = ", ".join(str(result.changed) for result in method.results)
        out.append(f"static const int8_t {prefix}_changed[] = {{{counts}}};\n")
    for engine in ENGINES:
        statements = method.statements.get(engine, [])
        for index, statement in enumerate(statements):
            rows = [f"{{{string(piece.sql)}, {piece.param}, {piece.column}, {piece.when}, {piece.has}}}"
                    for piece in statement.pieces]
            out.append(_array(f"st_piece {prefix}_{engine}_{index}", rows))
        if statements:
            rows = [f"{{{prefix}_{engine}_{index}, {len(each.pieces)}, "
                    f"{_bool(each.readonly)}, STELE_{each.else_status}, {each.else_param}}}"
                    for index, each in enumerate(statements)]
            out.append(_array(f"st_statement {prefix}_{engine}", rows))
    return "".join(out)


def _field(field, choices, ids):
    flags = [name for name, is_set in (("STELE_NULLABLE", field.nullable),
                                       ("STELE_OPTIONAL", field.optional),
                                       ("STELE_LIST", field.list),
                                       ("STELE_SECRET", field.secret)) if is_set]
    record = f"&methods[{ids[field.record]}].public" if field.record else "NULL"
    return (f"{{{_quote(field.name)}, STELE_TYPE_{field.type.upper()}, {' | '.join(flags) or '0'}, "
            f"{string(field.default)}, {choices if field.choices else 'NULL'}, "
            f"{_number(field.min)}, {_number(field.max)}, {record}, {string(field.doc)}}}")


def _method(method, index, store_names, ids, registry):
    prefix = f"m{index}"
    store = store_names.index(method.store) if method.store in store_names else -1
    statements = [method.statements.get(engine, []) for engine in ENGINES]
    pointers = [f"{prefix}_{engine}" if found else "NULL"
                for engine, found in zip(ENGINES, statements)]
    batch_method = batch_param = -1
    if method.queue:
        batch_method = ids[method.queue[1]]
        batch_param = registry.methods[batch_method].param_index(method.queue[2])
    features = 0
    for _, name in method.features:
        features |= 1 << registry.stores[store].feature_index(name)
    idempotent = method.param_index(method.idempotent[1]) if method.idempotent else -1
    flags = [name for name, is_set in (("STELE_METHOD_OUTSIDE", method.outside),
                                       ("STELE_METHOD_SECRET", method.secret),
                                       ("STELE_METHOD_LIBRARY", store < 0)) if is_set]
    params = f"{prefix}_params" if method.params else "NULL"
    results = f"{prefix}_results" if method.results else "NULL"
    changed = f"{prefix}_changed" if method.results else "NULL"
    return (f"  {{.public = {{{_quote(method.name)}, {_quote(method.store)}, "
            f"{_quote(method.shape)}, {_quote(method.access)},\n    {string(method.doc)},\n"
            f"    {params}, {len(method.params)}, {results}, {len(method.results)},\n"
            f"    {' | '.join(flags) or '0'}, "
            f"{string(method.idempotent[1] if method.idempotent else None)}, "
            f"{string(' '.join(method.http[1:]) if method.http else None)}}},\n"
            f"   .id = {index}, .store = {store}, .shape = ST_SHAPE_{method.shape.upper()}, "
            f".access = ST_ACCESS_{method.access.upper()}, "
            f".private = {_bool(method.private)},\n"
            f"   .statements = {{{', '.join(pointers)}}}, "
            f".nstatements = {{{', '.join(str(len(found)) for found in statements)}}},\n"
            f"   .native = {method.native or 'NULL'}, "
            f".outside = {_bool(method.outside)}, .changed = {changed}, "
            f".batch_method = {batch_method}, .batch_param = {batch_param},\n"
            f"   .features = {features}u, .idempotent = {idempotent}}},\n")


def _enough(feature):
    """The statement that has a row where methods need it; None: they always do."""
    return f"SELECT 1 FROM {feature.many[1]} LIMIT 1 OFFSET {feature.many[0] - 1}" if feature.many else None


def _store_parts(store, prefix):
    """The arrays that a store points to."""
    out = [f"/* {store.name} */\n",
           f"static const char *const {prefix}_pragmas[] = "
           f"{{{''.join(_quote(pragma) + ', ' for pragma in store.pragmas)}NULL}};\n"]
    for step in store.steps:
        for engine, parts in step.parts.items():
            if parts:
                out.append(_array(f"st_part {prefix}_step{step.version}_{engine}", [
                    f"{{{string(table)}, {string(column)}, {string(sql)}}}" for table, column, sql in parts]))
    if store.steps:
        out.append(_array(f"st_step {prefix}_steps", [_step(step, prefix) for step in store.steps]))
    if store.renamed:
        out.append(_array(f"st_renamed {prefix}_renamed", [
            f"{{{_quote(each.table)}, {_quote(each.name)}, {_quote(each.also)}}}"
            for each in store.renamed]))
    if store.refusals:
        out.append(_array(f"st_refusal {prefix}_refusals", [
            f"{{{_quote(each.table)}, {_quote(each.column)}, {string(each.advice)}}}"
            for each in store.refusals]))
    if store.shape:
        out.append(_array(f"st_shape_column {prefix}_shape", [
            f"{{{_quote(table)}, {_quote(column)}, {{{', '.join(string(declared[engine]) for engine in ENGINES)}}}}}"
            for table, column, declared in store.shape]))
    for engine in ENGINES:
        if store.seeds[engine]:
            out.append(_array(f"st_seed {prefix}_seeds_{engine}", [
                f"{{{string(table)}, {string(seeded(sql))}, {string(sql)}}}" for table, sql in store.seeds[engine]]))
        names = ''.join(_quote(name) + ', ' for name in store.objects.get(engine, []))
        out.append(f"static const char *const {prefix}_objects_{engine}[] = {{{names}NULL}};\n")
    if store.features:
        out.append(_array(f"st_feature {prefix}_features", [
            f"{{{_quote(each.name)}, {_quote(each.table)}, {string(each.column)}, "
            f"{{{', '.join(string(each.sql.get(engine)) for engine in ENGINES)}}}, "
            f"{{{', '.join(string(each.undo.get(engine)) for engine in ENGINES)}}}, "
            f"{{{''.join(_quote(table) + ', ' for table in each.replaces)}NULL}}, {_bool(each.derived)}, {string(_enough(each))}}}"
            for each in store.features]))
    if derived(store):
        out.append(_array(f"st_derived {prefix}_derived", [
            f"{{{_quote(table)}, {string(column)}}}" for table, column in derived(store)]))
    return "".join(out)


def _found_parts(store, prefix, ids, shared):
    """Of a store with sources: they, and the numbers of what it shares with the others."""
    if not store.sources:
        return ""
    out = _array(f"st_findable {prefix}_sources", [
        f"{{{_quote(each.kind)}, {_quote(each.doc)}, {ids[f'{store.name}.source_page_{each.kind}']}, "
        f"{ids[f'{store.name}.source_rows_{each.kind}']}, {ids[f'{store.name}.source_count_{each.kind}']}, {store.feature_index(each.needs)}, "
        f"{store.feature_index(noted_by(each))}, "
        f"{_bool(each.key_type == 'int')}, {_bool(each.numbered)}, {_quote(each.mark) if each.mark else 'NULL'}}}"
        for each in store.sources])
    out += _array(f"st_forgettable {prefix}_forgets", [
        f"{{{_quote(each.table)}, {{{''.join(_quote(kind) + ', ' for kind in each.kinds)}NULL}}, "
        f"{{{''.join(_quote(name) + ', ' for name in each.rebuild)}NULL}}, "
        + "".join(f"{ids.get(f'{store.name}.forget_{verb}_{each.table}', -1)}, " for verb in ("choose", "follow", "redact", "delete", "held", "release"))
        + f"{store.feature_index(each.feature)}}}" for each in forgotten(store)]) if forgotten(store) else ""
    kinds = "".join(_quote(each.kind) + ", " for each in store.held)
    out += f"static const char *const {prefix}_held[] = {{{kinds}NULL}};\n"
    if store.rules:
        out += _array(f"st_rule {prefix}_rules", [
            f"{{{_quote(each.topic)}, {_quote(each.doc)}, {each.keep}, {each.every}, {_bool(each.off)}, "
            f"{', '.join(str(ids[f'{store.name}.retain_{name}_{each.topic}']) for name in ('due', 'page', 'rows'))}, "
            f"{string(each.table if each.partitioned else None)}, {store.feature_index(feature_of(each))}, "
            f"{', '.join(str(ids.get(f'{store.name}.retain_{name}_{each.topic}', -1)) for name in ('part', 'note'))}}}"
            for each in store.rules])
    numbers = {"methods": [ids.get(f"{store.name}.{name}", -1) for name in shared.methods],
               "features": [store.feature_index(name) for name in shared.features]}
    for kind, each in numbers.items():
        out += f"static const int16_t {prefix}_shared_{kind}[] = {{{''.join(f'{number}, ' for number in each)}-1}};\n"
    return out


def _step(step, prefix):
    parts = [step.parts.get(engine, []) for engine in ENGINES]
    names = [f"{prefix}_step{step.version}_{engine}" if found else "NULL" for engine, found in zip(ENGINES, parts)]
    return (f"{{{step.version}, {_quote(step.why)}, {{{', '.join(names)}}}, "
            f"{{{', '.join(str(len(found)) for found in parts)}}}}}")


def _store(store, prefix):
    def pair(name, items):
        return f".{name} = {f'{prefix}_{name}' if items else 'NULL'}, .n{name} = {len(items)}"

    def shared(kind):
        return f"{prefix}_shared_{kind}" if store.sources else "NULL"
    schema = ", ".join(string(store.schema[engine]) for engine in ENGINES)
    seeds = ", ".join(f"{prefix}_seeds_{engine}" if store.seeds[engine] else "NULL" for engine in ENGINES)
    return (f"  {{.name = {_quote(store.name)}, .file = {_quote(store.name + '.db')},\n"
            f"   .doc = {string(store.doc)},\n"
            f"   .version = {store.version}, .mark = ST_MARK_{store.mark.upper()}, "
            f".mark_table = {string(store.mark_table)}, "
            f".mark_column = {string(store.mark_column)},\n"
            f"   .time_form = ST_TIME_{store.time_form.upper()}, "
            f".full = {_bool(store.durability == 'full')}, "
            f".pragmas = {prefix}_pragmas,\n"
            f"   .schema = {{{schema}}},\n"
            f"   {pair('steps', store.steps)}, {pair('renamed', store.renamed)},\n"
            f"   {pair('refusals', store.refusals)}, {pair('shape', store.shape)},\n"
            f"   .accepts = {max(store.accepts, store.version)}, .reconcile = {_bool(store.reconcile)}, "
            f".complete = {_bool(store.complete)}, "
            f".quarantine = {_bool(store.quarantine)},\n"
            f"   .seeds = {{{seeds}}}, .nseeds = {{{', '.join(str(len(store.seeds[each])) for each in ENGINES)}}}, "
            f".objects = {{{', '.join(f'{prefix}_objects_{each}' for each in ENGINES)}}},\n"
            f"   {pair('features', store.features)}, {pair('sources', store.sources)}, {pair('forgets', forgotten(store))},"
            f"   {pair('derived', derived(store))},\n"
            f"   .held = {f'{prefix}_held' if store.sources else 'NULL'}, {pair('rules', store.rules if store.sources else [])},\n"
            f"   .shared_methods = {shared('methods')}, .shared_features = {shared('features')}}},\n")


# ---- The ids ------------------------------------------------------------------------------


def ids(registry):
    """The constants with which C code names methods, parameters, results and features."""
    out = ["/* Written by tools/registry.py from sql/.  Do not edit. */\n"
           "#ifndef ST_REGISTRY_IDS_H\n#define ST_REGISTRY_IDS_H\n",
           "/* Indexes into st_registry.methods. */",
           _enum(identifier("STELE_M", method.name) for method in registry.methods),
           "/* Per method: indexes of its parameters, then of its results. */"]
    for method in registry.methods:
        for prefix, fields in (("ST_P", method.params), ("ST_R", method.results)):
            out.append(_enum(identifier(prefix, method.name, field.name) for field in fields))
    out.append("/* Per store: indexes of its features. */")
    out += [_enum(identifier("ST_F", store.name, feature.name) for feature in store.features)
            for store in registry.stores]
    out.append("/* What stores with sources share: st_shared() and st_shared_feature() give its number in a store. */")
    out.append(_enum(identifier("ST_T", name) for name in registry.shared.methods))
    for name, method in registry.shared.methods.items():
        for prefix, fields in (("ST_P_SHARED", method.params), ("ST_R_SHARED", method.results)):
            out.append(_enum(identifier(prefix, name, field.name) for field in fields))
    out.append(_enum(identifier("ST_TF", name) for name in registry.shared.features))
    return "\n".join(part for part in out if part) + "\n#endif\n"


def _enum(names):
    rows = "".join(f"  {name} = {index},\n" for index, name in enumerate(names))
    return f"enum {{\n{rows}}};\n" if rows else ""

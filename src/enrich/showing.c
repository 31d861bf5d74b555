/* showing.c - see showing.h. */
#include "enrich/showing.h"

#include <string.h>

#include "base/json.h"

static void begin(st_str *out) { st_str_addc(out, out->length ? ',' : '['); }

static void add_member(st_str *out, const char *name, st_text text) {
  st_str_addf(out, ",\"%s\":", name);
  st_json_add_string(out, text.bytes, text.length);
}

void st_show_skipped(st_str *out, const char *queue, int64_t ticket, const char *reason) {
  begin(out);
  st_str_addf(out, "{\"queue\":\"%s\",\"ticket\":%lld", queue, (long long)ticket);
  add_member(out, "skipped", st_text_of(reason));
  st_str_addc(out, '}');
}

static void begin_bundle(st_str *out, const st_bundle *bundle) {
  begin(out);
  st_str_addz(out, "{\"bundle\":");
  st_bundle_write(bundle, out);
}

void st_show_problem(st_str *out, const st_bundle *bundle, const char *problem) {
  begin_bundle(out, bundle);
  add_member(out, "problem", st_text_of(problem));
  st_str_addc(out, '}');
}

void st_show_prompt(st_str *out, const st_bundle *bundle, const st_enricher *by) {
  begin_bundle(out, bundle);
  st_str_addz(out, ",\"prompt\":");
  if (!by->show(by->user, bundle, out)) out->failed = true;
  st_str_addc(out, '}');
}

/* All of them, also those that content has no list for. */
static void add_names(st_str *out, const st_names *names) {
  bool some = false;
  st_str_addz(out, ",\"entities\":[");
  for (int type = 0; type < ST_NAMES; type++)
    for (size_t i = 0; i < names->count[type]; i++, some = true) {
      st_str_addf(out, "%s{\"type\":\"%s\"", some ? "," : "", st_name_entity((st_name_type)type));
      add_member(out, "name", names->of[type][i]);
      st_str_addc(out, '}');
    }
  st_str_addc(out, ']');
}

void st_show_learned(st_str *out, const st_enricher *by, const st_bundle *bundle, const st_learned *learned) {
  begin_bundle(out, bundle);
  st_str_addf(out, ",\"node\":{\"enrichment_model\":\"%s\",\"enrichment_version\":%d,\"content\":", by->model, by->version);
  st_str_add(out, learned->content.bytes, learned->content.length);
  add_member(out, "embed_text", learned->embed_text);
  add_member(out, "commands", learned->commands);
  add_names(out, &learned->names);
  st_str_addz(out, "}}");
}

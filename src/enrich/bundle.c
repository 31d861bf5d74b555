/* bundle.c - a bundle as JSON, for whoever wants to see what would be learned from. */
#include "enrich/bundle.h"

#include "base/json.h"

static void add_member(st_str *out, const char *name, st_text text) {
  if (text.length == 0) return;
  st_str_addf(out, ",\"%s\":", name);
  st_json_add_string(out, text.bytes, text.length);
}

static void add_item(st_str *out, const st_item *item) {
  static const char *const kinds[ST_ITEM_KINDS] = {"command", "prompt", "call", "answer", "commit", "page", "job", "finding", "log"};
  st_str_addf(out, "{\"kind\":\"%s\"", kinds[item->kind]);
  add_member(out, "text", item->text);
  add_member(out, "name", item->name);
  add_member(out, "output", item->output);
  add_member(out, "errors", item->errors);
  add_member(out, "place", item->place);
  add_member(out, "rule", item->rule);
  add_member(out, "verdict", item->verdict);
  if (item->numbered) st_str_addf(out, ",\"number\":%lld", (long long)item->number);
  st_str_addc(out, '}');
}

void st_bundle_write(const st_bundle *bundle, st_str *out) {
  st_str_addf(out, "{\"queue\":\"%s\",\"tickets\":[", bundle->queue);
  for (size_t i = 0; i < bundle->ticket_count; i++) st_str_addf(out, "%s%lld", i ? "," : "", (long long)bundle->tickets[i]);
  st_str_addc(out, ']');
  add_member(out, "cwd", bundle->cwd);
  add_member(out, "repo", bundle->repo);
  add_member(out, "branch", bundle->branch);
  add_member(out, "about", bundle->about);
  add_member(out, "agent", bundle->agent);
  add_member(out, "commit", bundle->commit);
  add_member(out, "verdict", bundle->verdict);
  st_str_addz(out, ",\"items\":[");
  for (size_t i = 0; i < bundle->count; i++) {
    if (i) st_str_addc(out, ',');
    add_item(out, &bundle->items[i]);
  }
  st_str_addz(out, "]}");
}

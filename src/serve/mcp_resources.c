/* mcp_resources.c - resources: what can be read by its address.  Listed are the fixed ones and the sessions that
** were active last; the templates say how to reach the rest. */
#include <stdlib.h>
#include <string.h>

#include "mcp_core.h"
#include "mcp_page.h"
#include "mcp_profile.h"

#define LIST_TTL_MS 3600000

static bool way_allowed(const mcp_request *r, const mcp_way *way) {
  const stele_method *method;
  for (size_t step = 0; (method = mcp_step_method(way, step)) != NULL; step++)
    if (!mcp_may(r, method)) return false;
  return true;
}

static void put_entry(sv_text *out, const char *address, const mcp_resource *resource) {
  sv_addf(out, "{\"%s\":\"%s\"", address, resource->uri);
  sv_add_member(out, "name", resource->name);
  sv_add_member(out, "title", resource->title);
  sv_add_member(out, "description", resource->description);
  sv_addz(out, ",\"mimeType\":\"application/json\"}");
}

static void put_entries(mcp_page *page, bool templates) {
  for (const mcp_resource *at = mcp_resource_list; at->uri; at++)
    if ((at->argument != NULL) == templates && way_allowed(page->r, &at->way) && mcp_page_takes(page, at->uri))
      put_entry(&page->r->result, templates ? "uriTemplate" : "uri", at);
}

/* A session as a resource: its address with whatever is no plain character of one in %xx. */
static void put_session(sv_text *out, json session) {
  char *id = json_text(json_member(session, "id")), *title = json_text(json_member(session, "title"));
  sv_addz(out, "{\"uri\":\"stele://session/");
  for (const char *at = id; at && *at; at++) {
    bool plain =
        (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || strchr("-._~", *at);
    sv_addf(out, plain ? "%c" : "%%%02X", (unsigned char)*at);
  }
  sv_addz(out, "\"");
  sv_add_member(out, "name", id ? id : "");
  if (title) sv_add_member(out, "title", title);
  sv_addz(out, ",\"mimeType\":\"application/json\"}");
  free(title);
  free(id);
}

static void end_list(mcp_request *r, const stele_failure *failure) {
  json sessions = {NULL, 0}, session = {NULL, 0};
  sv_text whole = {0};
  if (failure) {
    mcp_fail(r, MCP_INTERNAL, "%s", failure->message);
    return;
  }
  sv_addf(&whole, "{%s}", r->run.body.bytes + 1);
  if (!whole.failed) sessions = json_member(json_read(whole.bytes, whole.length), "sessions");
  while (json_next(sessions, &session)) {
    if (r->result.bytes[r->result.length - 1] != '[') sv_addz(&r->result, ",");
    put_session(&r->result, session);
  }
  sv_addz(&r->result, "]");
  r->result.failed |= whole.failed;
  sv_text_free(&whole);
  mcp_cacheable(r, 0, false);
}

/* One page: who looks for an older session searches for it. */
static const mcp_way recent_sessions = {.steps = {{"conversation.list_sessions_rich",
                                                   "sessions",
                                                   "id title",
                                                   {{NULL, "order_by_last_active", "true"}, {NULL, "limit", "40"}}}}};

void mcp_resources_list(mcp_request *r) {
  mcp_page page;
  if (!mcp_page_begin(&page, r, "resources")) return;
  put_entries(&page, false);
  mcp_page_extras(&page);
  if (page.found && !page.after[0] && way_allowed(r, &recent_sessions)) {
    mcp_way_begin(r, &recent_sessions, (json){NULL, 0}, end_list);
    return;
  }
  mcp_page_end(&page);
  mcp_cacheable(r, 0, false);
}

void mcp_resources_templates(mcp_request *r) {
  mcp_page page;
  if (!mcp_page_begin(&page, r, "resourceTemplates")) return;
  put_entries(&page, true);
  mcp_page_extras(&page);
  mcp_page_end(&page);
  mcp_cacheable(r, LIST_TTL_MS, !r->caller->may);
}

/* ---- Reading ---- */

static void not_found(mcp_request *r, const char *why) {
  mcp_fail(r, r->modern ? MCP_BAD_PARAMS : MCP_NO_RESOURCE, "%s", why);
  sv_addz(&r->data, "{\"uri\":");
  json uri = json_member(r->params, "uri");
  sv_add(&r->data, uri.text, uri.length);
  sv_addz(&r->data, "}");
}

static void finish(mcp_request *r, const stele_failure *failure) {
  sv_text body = {0};
  json uri = json_member(r->params, "uri");
  if (failure && (failure->status == STELE_NOTFOUND || failure->status == STELE_INVALID)) {
    not_found(r, failure->message);
    return;
  }
  if (failure) {
    mcp_fail(r, MCP_INTERNAL, "%s", failure->message);
    return;
  }
  mcp_way_tell(r, &body);
  sv_addz(&r->result, ",\"contents\":[{\"uri\":");
  sv_add(&r->result, uri.text, uri.length);
  sv_addz(&r->result, ",\"mimeType\":\"application/json\",\"text\":");
  sv_add_quoted(&r->result, body.failed ? "" : body.bytes);
  sv_addz(&r->result, "}]");
  r->result.failed |= body.failed;
  sv_text_free(&body);
  mcp_cacheable(r, 0, false);
}

/* The argument in the address, as a JSON object. */
static json argument_of(mcp_request *r, const mcp_resource *resource, const char *said) {
  sv_text *out = &r->said;
  char *value = sv_decode(said, strlen(said), false);
  bool good =
      value && *value && (!resource->number || (strspn(value, "0123456789") == strlen(value) && strlen(value) < 16));
  if (good && resource->number) sv_addf(out, "{\"%s\":%s}", resource->argument, value);
  if (good && !resource->number) {
    sv_addf(out, "{\"%s\":", resource->argument);
    sv_add_quoted(out, value);
    sv_addz(out, "}");
  }
  free(value);
  return good && !out->failed ? json_read(out->bytes, out->length) : (json){NULL, 0};
}

static const mcp_resource *resource_find(const char *uri, const char **said) {
  for (const mcp_resource *at = mcp_resource_list; at->uri; at++) {
    size_t fixed = strcspn(at->uri, "{");
    *said = uri + fixed;
    if (strncmp(uri, at->uri, fixed) == 0 && (at->argument ? **said != '\0' : **said == '\0')) return at;
  }
  return NULL;
}

static void read_uri(mcp_request *r, const char *uri) {
  const char *said;
  const mcp_resource *resource = resource_find(uri, &said);
  const mcp_extra *extra = mcp_extra_find(r, "resources", uri);
  if (!extra) extra = mcp_extra_find(r, "resourceTemplates", uri);
  if (extra) {
    extra->run(r);
    return;
  }
  json arguments = {NULL, 0};
  if (resource && resource->argument) arguments = argument_of(r, resource, said);
  if (!resource || (resource->argument && !arguments.text))
    not_found(r, "there is no such resource");
  else
    mcp_way_begin(r, &resource->way, arguments, finish);
}

void mcp_resources_read(mcp_request *r) {
  char *uri = mcp_need_text(r, r->params, "uri");
  if (uri) read_uri(r, uri);
  free(uri);
}

/* mcp_prompts.c - prompts/list and prompts/get: texts with places for arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp_core.h"
#include "mcp_page.h"
#include "mcp_profile.h"

#define LIST_TTL_MS 3600000
#define ARGUMENTS (sizeof(((mcp_prompt *)0)->arguments) / sizeof(((mcp_prompt *)0)->arguments[0]))

static void put_prompt(sv_text *out, const mcp_prompt *prompt) {
  sv_addf(out, "{\"name\":\"%s\"", prompt->name);
  sv_add_member(out, "title", prompt->title);
  sv_add_member(out, "description", prompt->description);
  sv_addz(out, ",\"arguments\":[");
  for (size_t i = 0; i < ARGUMENTS && prompt->arguments[i].name; i++) {
    sv_addf(out, "%s{\"name\":\"%s\"", i ? "," : "", prompt->arguments[i].name);
    sv_add_member(out, "description", prompt->arguments[i].doc);
    sv_addf(out, ",\"required\":%s}", prompt->arguments[i].required ? "true" : "false");
  }
  sv_addz(out, "]}");
}

void mcp_prompts_list(mcp_request *r) {
  mcp_page page;
  if (!mcp_page_begin(&page, r, "prompts")) return;
  for (const mcp_prompt *prompt = mcp_prompt_list; prompt->name; prompt++)
    if (mcp_page_takes(&page, prompt->name)) put_prompt(&r->result, prompt);
  mcp_page_extras(&page);
  mcp_page_end(&page);
  mcp_cacheable(r, LIST_TTL_MS, true);
}

/* Every argument is a text of the prompt, and what it needs is there. */
static bool check(mcp_request *r, const mcp_prompt *prompt, json said) {
  json name = {NULL, 0}, value;
  for (size_t i = 0; i < ARGUMENTS && prompt->arguments[i].name; i++) {
    json given = json_member(said, prompt->arguments[i].name);
    if (prompt->arguments[i].required && !given.text)
      mcp_fail(r, MCP_BAD_PARAMS, "%s needs %s", prompt->name, prompt->arguments[i].name);
  }
  while (json_next_member(said, &name, &value)) {
    bool known = false;
    for (size_t i = 0; i < ARGUMENTS && prompt->arguments[i].name; i++)
      known |= json_is(name, prompt->arguments[i].name);
    if (!known || json_kind(value) != '"')
      mcp_fail(r, MCP_BAD_PARAMS, "%s: %.*s is no argument, or no text", prompt->name,
               (int)(name.length < 100 ? name.length : 100), name.text);
  }
  return !r->code;
}

/* The text with what was said in the places of the arguments. */
static void fill(sv_text *out, const char *text, json said) {
  for (const char *open; (open = strchr(text, '{')) != NULL;) {
    char name[40];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(open + 1, "}"), open + 1);
    char *value = json_text(json_member(said, name));
    sv_add(out, text, (size_t)(open - text));
    sv_addz(out, value ? value : "-");
    free(value);
    text = open + strlen(name) + 2;
  }
  sv_addz(out, text);
}

static void get(mcp_request *r, const mcp_prompt *prompt) {
  json said = json_member(r->params, "arguments");
  sv_text text = {0};
  if (!check(r, prompt, said)) return;
  fill(&text, prompt->text, said);
  sv_add_member(&r->result, "description", prompt->description);
  sv_addz(&r->result, ",\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
  sv_add_quoted(&r->result, text.failed ? "" : text.bytes);
  sv_addz(&r->result, "}}]");
  r->result.failed |= text.failed;
  sv_text_free(&text);
}

static void get_named(mcp_request *r, const char *name) {
  const mcp_extra *extra = mcp_extra_find(r, "prompts", name);
  const mcp_prompt *prompt = mcp_prompt_list;
  while (prompt->name && strcmp(prompt->name, name) != 0) prompt++;
  if (extra)
    extra->run(r);
  else if (prompt->name)
    get(r, prompt);
  else
    mcp_fail(r, MCP_BAD_PARAMS, "there is no prompt %.200s", name);
}

void mcp_prompts_get(mcp_request *r) {
  json said = json_member(r->params, "arguments");
  char *name = mcp_need_text(r, r->params, "name");
  if (name && said.text && json_kind(said) != '{')
    mcp_fail(r, MCP_BAD_PARAMS, "arguments must be an object");
  else if (name)
    get_named(r, name);
  free(name);
}

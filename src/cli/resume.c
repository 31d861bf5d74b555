/* resume.c - stele resume: the command that goes on with a session in its own agent. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "../door/json.h"
#include "resolve.h"
#include "text.h"

/* A member of a reply as a text, in new memory; NULL: null, or none. */
static char *member(json reply, const char *name) {
  json value = json_member(reply, name);
  return json_kind(value) == '"' ? json_text(value) : NULL;
}

/* How a harness goes on with a session, in new memory; NULL: it cannot.  *program: its name for people. */
static char *how(cli *c, const char *harness, char **program) {
  char *reply = NULL, *found = NULL;
  *program = NULL;
  if (stele_call(c->db, "conversation.list_harnesses", NULL, &reply) != STELE_OK) return NULL;
  json list = json_read(reply, strlen(reply)), one = {0};
  while (!*program && json_next(list, &one)) {
    char *name = member(one, "harness");
    if (name && strcmp(name, harness) == 0) {
      *program = member(one, "program");
      found = member(one, "resume");
    }
    free(name);
  }
  stele_free(reply);
  return found;
}

static int refuse(cli *c, const char *message, const char *hint) {
  return out_failure(&c->out, &(stele_failure){STELE_UNSUPPORTED, "", "", message, hint});
}

/* The command, with the id as a word of the shell wherever {id} stands. */
static char *put_id(const char *words, const char *id) {
  const char *at = strstr(words, "{id}");
  char *quoted = text_shell(id);
  char *line = at ? text_format("%.*s%s%s", (int)(at - words), words, quoted, at + strlen("{id}"))
                  : text_format("%s", words);
  free(quoted);
  return line;
}

static void print(cli *c, const char *words, const char *cwd) {
  char *quoted = cwd ? text_shell(cwd) : NULL;
  char *line = cwd ? text_format("cd %s && %s", quoted, words) : text_format("%s", words);
  if (c->options.json) {
    char *text = text_quote(line);
    out_format(&c->out, "{\"command\":%s}\n", text ? text : "null");
    free(text);
  } else {
    out_format(&c->out, "%s\n", line);
  }
  free(line);
  free(quoted);
}

static int tell(cli *c, json origin) {
  char *harness = member(origin, "harness"), *id = member(origin, "native_id"), *cwd = member(origin, "cwd");
  char *link = member(origin, "link"), *parent = member(origin, "parent_session_id");
  char *program = NULL, *words = harness ? how(c, harness, &program) : NULL;
  int status = 0;
  if (!harness) {
    status = refuse(c, "this session did not come from a transcript", "only the agent it was with can go on with it");
  } else if (link && strcmp(link, "subagent") == 0) {
    char *hint = parent ? text_format("`stele resume %s` goes on with the session that sent it off", parent) : NULL;
    status = refuse(c, "this is the session of a sub-agent, which cannot be resumed by itself", hint ? hint : "");
    free(hint);
  } else if (!words) {
    char *message = text_format("%s cannot resume a session", program ? program : harness);
    status = refuse(c, message, "");
    free(message);
  } else {
    char *line = put_id(words, id);
    print(c, line, cwd);
    free(line);
  }
  char *const all[] = {harness, id, cwd, link, parent, program, words};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  return status;
}

static int run(cli *c) {
  int status = 0;
  char *id = resolve_session(c, command_argument(c, 1), &status), *reply = NULL;
  if (!id) return status;
  char *quoted = text_quote(id);
  char *request = request_json((argument[]){{"session_id", quoted}, {NULL, NULL}});
  if (stele_call(c->db, "conversation.get_origin", request, &reply) == STELE_OK)
    status = tell(c, json_read(reply, strlen(reply)));
  else
    status = command_failed(c);
  stele_free(reply);
  free(request);
  free(quoted);
  free(id);
  return status;
}

const command resume_command = {
    .name = "resume",
    .group = GROUP_WORK,
    .usage = "SESSION",
    .summary = "print the command that goes on with a session in its own agent",
    .examples = "stele resume 3f2a9c1e\n"
                "eval \"$(stele resume 3f2a9c1e)\"",
    .details = RESOLVE_WORDS,
    .least = 1,
    .most = 1,
    .opens = true,
    .run = run,
};

/* resume.c - stele resume: the command that goes on with a session in its own agent. */
#include "resume.h"

#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "resolve.h"
#include "text.h"

/* A member of a reply as a text, in new memory; NULL: null, or none. */
static char *member(json reply, const char *name) {
  json value = json_member(reply, name);
  return json_kind(value) == '"' ? json_text(value) : NULL;
}

/* How a harness goes on with a session, in new memory; NULL: it cannot.  *program: its name for people. */
static char *how(stele_db *db, const char *harness, char **program) {
  char *reply = NULL, *found = NULL;
  *program = NULL;
  if (stele_call(db, "conversation.list_harnesses", NULL, &reply) != STELE_OK) return NULL;
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

/* The command, with the id as a word of the shell wherever {id} stands. */
static char *put_id(const char *words, const char *id) {
  const char *at = strstr(words, "{id}");
  char *quoted = text_shell(id);
  char *line = at ? text_format("%.*s%s%s", (int)(at - words), words, quoted, at + strlen("{id}"))
                  : text_format("%s", words);
  free(quoted);
  return line;
}

/* The command, in the directory that it is for. */
static char *line_of(const char *words, const char *id, const char *cwd) {
  char *resuming = put_id(words, id), *quoted = cwd ? text_shell(cwd) : NULL;
  char *line = cwd ? text_format("cd %s && %s", quoted, resuming) : text_format("%s", resuming);
  free(quoted);
  free(resuming);
  return line;
}

static char *line_for(stele_db *db, json origin, resume_refusal *no) {
  char *harness = member(origin, "harness"), *id = member(origin, "native_id"), *cwd = member(origin, "cwd");
  char *link = member(origin, "link"), *parent = member(origin, "parent_session_id");
  char *program = NULL, *words = harness ? how(db, harness, &program) : NULL, *line = NULL;
  if (!harness) {
    no->message = text_format("this session did not come from a transcript");
    no->hint = text_format("only the agent it was with can go on with it");
  } else if (link && strcmp(link, "subagent") == 0) {
    no->message = text_format("this is the session of a sub-agent, which cannot be resumed by itself");
    if (parent) no->hint = text_format("`stele resume %s` goes on with the session that sent it off", parent);
  } else if (!words) {
    no->message = text_format("%s cannot resume a session", program ? program : harness);
  } else {
    line = line_of(words, id, cwd);
  }
  char *const all[] = {harness, id, cwd, link, parent, program, words};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  return line;
}

char *resume_line(stele_db *db, const char *session, resume_refusal *no) {
  char *quoted = text_quote(session), *reply = NULL, *line = NULL;
  char *request = request_json((argument[]){{"session_id", quoted}, {NULL, NULL}});
  *no = (resume_refusal){NULL, NULL};
  if (stele_call(db, "conversation.get_origin", request, &reply) == STELE_OK)
    line = line_for(db, json_read(reply, strlen(reply)), no);
  stele_free(reply);
  free(request);
  free(quoted);
  return line;
}

void resume_refusal_free(resume_refusal *no) {
  free(no->message);
  free(no->hint);
}

static int run(cli *c) {
  int status = 0;
  resume_refusal no = {NULL, NULL};
  char *id = resolve_session(c, command_argument(c, 1), &status), *line = id ? resume_line(c->db, id, &no) : NULL;
  if (line && c->options.json) {
    char *text = text_quote(line);
    out_format(&c->out, "{\"command\":%s}\n", text ? text : "null");
    free(text);
  } else if (line) {
    out_format(&c->out, "%s\n", line);
  } else if (no.message) {
    status = out_failure(&c->out, &(stele_failure){STELE_UNSUPPORTED, "", "", no.message, no.hint ? no.hint : ""});
  } else if (id) {
    status = command_failed(c);
  }
  resume_refusal_free(&no);
  free(line);
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

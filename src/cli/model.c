/* model.c - stele model: the static model that texts are embedded with. */
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "command.h"
#include "progress.h"
#include "said.h"
#include "text.h"

static const column COLUMNS[] = {{"model", "MODEL", 0}, {"dimension", "DIMENSION", 0}, {"tokens", "TOKENS", 0},
                                 {"bytes", "BYTES", 0}, {"path", "PATH", 0},           {NULL, NULL, 0}};

/* A path as JSON; - is standard input.  NULL: it cannot be told, which is. */
static char *quoted_path(cli *c, const char *path, int *status) {
  char *quoted = path ? text_quote(strcmp(path, "-") == 0 ? "/dev/stdin" : path) : NULL;
  if (path && !quoted) *status = out_bad(&c->out, NULL, "the path is not UTF-8");
  return quoted;
}

static int run_import(cli *c) {
  int status = 0;
  const char *source = command_argument(c, 2);
  if (!source) return out_bad(&c->out, "stele model import FILE", "import needs a file or a directory");
  argument arguments[] = {{"source", quoted_path(c, source, &status)},
                          {"to", quoted_path(c, c->options.to, &status)},
                          {"name", said_text(c, OPTION_NAME, &status)},
                          {NULL, NULL}};
  progress_begin();
  if (!status) status = command_reply(c, "stele.import_model", arguments, COLUMNS, "");
  request_free(arguments);
  return status;
}

/* Tell what is known of a model; a problem is a failure. */
static int run_info(cli *c, const char *check) {
  static const char method[] = "stele.embedding_model";
  int status = 0;
  char *path = quoted_path(c, command_argument(c, 2), &status);
  const argument arguments[] = {{"path", path}, {"check", check}, {NULL, NULL}};
  char *row = status ? NULL : command_ask(c, method, arguments, &status);
  json problem = json_member(json_read(row ? row : "{}", row ? strlen(row) : 2), "problem");
  char *why = json_kind(problem) == '"' ? json_text(problem) : NULL;
  if (row && c->options.json) out_format(&c->out, "%s\n", row);
  else if (row && !why) status = command_reply(c, method, arguments, COLUMNS, "");
  if (why && !c->options.json) out_bad(&c->out, NULL, why);
  if (why) status = 1;
  free(why);
  stele_free(row);
  free(path);
  return status;
}

static int run(cli *c) {
  const char *what = command_argument(c, 1);
  bool plain = !c->options.to && !c->options.local[OPTION_NAME];
  if (strcmp(what, "import") == 0) return run_import(c);
  if (strcmp(what, "info") == 0 && plain) return run_info(c, "false");
  if (strcmp(what, "check") == 0 && plain) return run_info(c, "true");
  return command_verb(c, &model_command, what);
}

const command model_command = {
    .name = "model",
    .group = GROUP_STORES,
    .usage = "import SOURCE | info [FILE] | check [FILE]",
    .summary = "the static model that texts are embedded with",
    .examples = "stele model import glove.6B.100d.txt\n"
                "stele model import potion-base-8M --to potion.model\n"
                "xzcat vectors.txt.xz | stele model import - --name mine\n"
                "stele model info\n"
                "stele model check --json",
    .details = "import makes a model of word vectors (a text file of GloVe's or word2vec's form) or of a directory of model2vec's\n"
               "(model.safetensors, tokenizer.json).  The one in the home, embedding.model, is used if embed.model names no\n"
               "other.  check reads it all and compares it with its checksum.",
    .least = 1,
    .most = 2,
    .opens = true,
    .takes = (const command_option[]){{OPTION_NAME, "import: what it is called; else as its source is"},
                                      {OPTION_TO, "import: the new file; else embedding.model, in the home"},
                                      {0, NULL}},
    .run = run,
};

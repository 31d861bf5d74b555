/* complete.c - see complete.h. */
#include "complete.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config.h"
#include "home.h"
#include "text.h"

typedef struct completing {
  cli *c;
  char **words;
  size_t count;
  const char *partial; /* the word to go on with */
  bool files;          /* they have been asked for */
  const char *before;  /* what stands before each answer: "--sort=", or "" */
} completing;

static void offer(completing *k, const char *word, const char *doc) {
  if (strncasecmp(word, k->partial, strlen(k->partial)) != 0) return;
  char *clean = text_clean(doc ? doc : "");
  out_format(&k->c->out, "%s%s\t%s\n", k->before, word, clean);
  free(clean);
}

/* ---- Kinds of things ---- */

static void offer_commands(completing *k) {
  for (const command *const *at = command_list; *at; at++) offer(k, (*at)->name, (*at)->summary);
}

static void offer_methods(completing *k) {
  const stele_method *method;
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) offer(k, method->name, method->doc);
}

/* `behind` follows the name: "=" where a place is to be said. */
static void offer_stores(completing *k, const char *behind) {
  const stele_method *method;
  const char *last = "";
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) {
    if ((method->flags & STELE_METHOD_LIBRARY) || strcmp(method->store, last) == 0) continue;
    char *word = text_format("%s%s", method->store, behind);
    offer(k, word, "a store");
    free(word);
    last = method->store;
  }
}

/* The latest sessions of the home that the words before name.  Nothing is created, and what fails is not told:
** nobody wants to read it in the middle of a command line. */
static void offer_sessions(completing *k) {
  char **argv = text_need(calloc(k->count + 2, sizeof *argv));
  cli inner = {.out = k->c->out};
  home at;
  argv[0] = "stele";
  memcpy(argv + 1, k->words, (k->count - 1) * sizeof *argv);
  options_parse(&inner.options, (int)k->count, argv);
  config_load(&inner.settings, &inner.options);
  options_settle(&inner.options, &inner.settings);
  inner.options.flags |= STELE_OPEN_READONLY;
  if (home_of(&inner, &at) == 0 && stele_open(&at.options, &inner.db) == STELE_OK) {
    const stele_method *method = stele_method_find("conversation.list_sessions_rich");
    stele_stmt *stmt = request_prepare(inner.db, method->name,
                                       (argument[]){{"limit", "100"}, {"order_by_last_active", "true"}, {NULL, NULL}});
    while (stmt && stele_step(stmt) == STELE_ROW) {
      const char *title = stele_column_text(stmt, table_index(method, "title"));
      offer(k, stele_column_text(stmt, table_index(method, "id")),
            title ? title : stele_column_text(stmt, table_index(method, "preview")));
    }
    stele_finalize(stmt);
  }
  stele_close(inner.db);
  home_free(&at);
  options_free(&inner.options);
  settings_free(&inner.settings);
  free(argv);
}

static void offer_words(completing *k, const char *words) {
  while (*words) {
    size_t length = strcspn(words, " ");
    char *word = text_need(strndup(words, length));
    offer(k, word, "");
    free(word);
    words += length + (words[length] != '\0');
  }
}

static void offer_files(completing *k) {
  if (!k->files) out_text(&k->c->out, ":file\n");
  k->files = true;
}

/* What a word in capitals stands for; one that is not here can be anything. */
static void offer_kind(completing *k, const char *kind, size_t length) {
  static const struct {
    const char *kind, *words;
  } closed[] = {
      {"AGE", "30d 90d 6mo 1y"},
      {"BUCKET", "hour day week month"},
      {"HARNESS", "claude-code codex cursor opencode"},
      {"MODE", "stele compatible"},
      {"ORDER", "rank newest oldest"},
      {"PROFILE", "default all"},
      {"ROLE", "user assistant tool system"},
      {"TIME", "today yesterday 24h 7d 30d"},
  };
  static const char *const files[] = {"FILE", "DIR", "PATH", "PATH,"};
  while (length && kind[length - 1] == '.') length--; /* SESSION... */
  for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
    if (strlen(closed[i].kind) == length && strncmp(closed[i].kind, kind, length) == 0) offer_words(k, closed[i].words);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (strlen(files[i]) == length && strncmp(files[i], kind, length) == 0) offer_files(k);
  if (length == 7 && strncmp(kind, "COMMAND", length) == 0) offer_commands(k);
  if (length == 6 && strncmp(kind, "METHOD", length) == 0) offer_methods(k);
  if (length == 7 && strncmp(kind, "SESSION", length) == 0) offer_sessions(k);
  if (length >= 5 && strncmp(kind, "STORE", 5) == 0) offer_stores(k, "");
  if (length == 9 && strncmp(kind, "NAME=PATH", length) == 0) offer_stores(k, "=");
}

/* ---- Usages ---- */

/* "[METHOD|COMMAND]", "create", "bash|zsh": each alternative. */
static void offer_usage_word(completing *k, const char *word, size_t length) {
  const char *end = word + length;
  while (word < end) {
    size_t part = strcspn(word, "|[] ");
    if (part > (size_t)(end - word)) part = (size_t)(end - word);
    if (part && *word >= 'A' && *word <= 'Z') {
      offer_kind(k, word, part);
    } else if (part && *word >= 'a' && *word <= 'z') {
      char *literal = text_need(strndup(word, part));
      offer(k, literal, "");
      free(literal);
    }
    word += part + 1;
  }
}

/* The n-th word of a usage, from 0; a last one with dots stands for all that follow.  NULL: there is none. */
static const char *usage_word(const char *usage, size_t length, size_t n, size_t *word_length) {
  const char *at = usage, *end = usage + length, *last = NULL;
  for (; at < end; n--) {
    size_t word = strcspn(at, " ");
    if (word > (size_t)(end - at)) word = (size_t)(end - at);
    if (word) last = at, *word_length = word;
    if (n == 0) return last;
    at += word + strspn(at + word, " ");
  }
  return last && *word_length > 3 && strncmp(last + *word_length - 3, "...", 3) == 0 ? last : NULL;
}

/* What the argument number n, from 0, can be.  A usage may have forms: "create NAME | list | revoke ID". */
static void offer_argument(completing *k, const command *of, char **arguments, size_t n) {
  for (const char *form = of->usage; *form;) {
    const char *bar = strstr(form, " | ");
    size_t length = bar ? (size_t)(bar - form) : strlen(form), first = 0, wanted = 0;
    const char *verb = usage_word(form, length, 0, &first), *word = usage_word(form, length, n, &wanted);
    bool other = n > 0 && verb && *verb >= 'a' && *verb <= 'z' &&
                 (strlen(arguments[0]) != first || strncmp(arguments[0], verb, first) != 0);
    if (word && !other) offer_usage_word(k, word, wanted);
    form += length + (bar ? 3 : 0);
  }
}

static void offer_options(completing *k, const command *of) {
  for (const option *o = option_list; o->name; o++)
    if (o->doc) offer(k, o->name, o->doc);
  for (const command_option *taken = of ? of->takes : NULL; taken && taken->doc; taken++)
    offer(k, option_of(taken->id)->name, taken->doc);
}

static const option *option_named(const char *word, size_t length) {
  for (const option *o = option_list; o->name; o++)
    if ((strlen(o->name) == length && strncmp(o->name, word, length) == 0) ||
        (o->brief && strlen(o->brief) == length && strncmp(o->brief, word, length) == 0))
      return o;
  return NULL;
}

/* Is the word an option whose value is the next word? */
static const option *waits(const char *word) {
  const option *o = word[0] == '-' && !strchr(word, '=') ? option_named(word, strlen(word)) : NULL;
  return o && o->value ? o : NULL;
}

/* The command and its arguments among the words before the last, moved to the front; *value: whose value the
** last one is; *ended: behind `--`. */
static size_t take_apart(completing *k, const option **value, bool *ended) {
  size_t plain = 0;
  *value = NULL;
  *ended = false;
  for (size_t i = 0; i + 1 < k->count; i++) {
    const option *o = *ended || *value ? NULL : waits(k->words[i]);
    bool is_option = !*ended && !*value && k->words[i][0] == '-' && k->words[i][1];
    bool is_value = *value != NULL;
    *value = o;
    if (is_option && strcmp(k->words[i], "--") == 0) *ended = true;
    if (is_option || is_value) continue;
    char *word = k->words[i];
    memmove(&k->words[plain + 1], &k->words[plain], (i - plain) * sizeof *k->words);
    k->words[plain++] = word;
  }
  return plain;
}

void complete_print(cli *c, char **words, size_t count) {
  completing k = {.c = c, .words = words, .count = count, .partial = words[count - 1], .before = ""};
  const option *value;
  bool ended;
  size_t plain = take_apart(&k, &value, &ended);
  const command *of = plain ? command_find(words[0]) : NULL;
  const char *equals = k.partial[0] == '-' && k.partial[1] == '-' ? strchr(k.partial, '=') : NULL;
  char *before = NULL;
  if (equals && !ended && !value && (value = option_named(k.partial, (size_t)(equals - k.partial))) != NULL &&
      value->value) {
    before = text_need(strndup(k.partial, (size_t)(equals - k.partial) + 1));
    k.before = before;
    k.partial = equals + 1;
  }
  if (value && value->value)
    offer_usage_word(&k, value->value, strlen(value->value));
  else if (!ended && k.partial[0] == '-')
    offer_options(&k, of);
  else if (!plain)
    offer_commands(&k);
  else if (of)
    offer_argument(&k, of, words + 1, plain - 1);
  free(before);
}

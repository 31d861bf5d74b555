/* find_command.c - what a line of a shell speaks about: programs, files, variables, services, addresses. */
#include "enrich/find.h"
#include "enrich/letters.h"

/* ---- Variables ---- */

/* FOO_BAR: what is exported is written so. */
static size_t variable_length(st_text text) {
  size_t length = 0;
  bool letter = false;
  while (length < text.length && (st_is_upper(text.bytes[length]) || text.bytes[length] == '_' || (length && st_is_digit(text.bytes[length])))) {
    letter = letter || st_is_upper(text.bytes[length]);
    length++;
  }
  bool ends = length == text.length || !(st_is_lower(text.bytes[length]) || st_is_digit(text.bytes[length]));
  return letter && length > 1 && ends ? length : 0;
}

static void add_variable(st_names *names, st_text text) {
  size_t length = variable_length(text);
  if (length) st_names_add(names, ST_NAME_ENV_VAR, (st_text){text.bytes, length});
}

/* FOO=bar */
static bool is_assignment(const st_word *word) {
  size_t length = 0;
  while (length < word->text.length && (st_is_alnum(word->text.bytes[length]) || word->text.bytes[length] == '_')) length++;
  return length > 0 && length < word->text.length && word->text.bytes[length] == '=' && !st_is_digit(word->text.bytes[0]);
}

/* $FOO and ${FOO} anywhere in a word. */
static void find_expansions(st_names *names, st_text text) {
  for (size_t dollar; (dollar = st_text_find(text, '$')) + 1 < text.length;) {
    text = st_text_from(text, dollar + 1);
    add_variable(names, text.bytes[0] == '{' ? st_text_from(text, 1) : text);
  }
}

static void find_variables(st_names *names, const st_simple *command, size_t first) {
  for (size_t i = 0; i < command->count; i++) {
    const st_word *word = &command->words[i];
    if (word->expands) find_expansions(names, word->text);
    if (i < first && is_assignment(word)) add_variable(names, word->text);
  }
  if (first >= command->count) return;
  st_text tool = command->words[first].text;
  bool declares = st_text_listed(tool, " export unset printenv ");
  bool passes = st_text_listed(tool, " docker podman docker-compose ");
  for (size_t i = first + 1; i < command->count; i++)
    if (declares || (passes && st_text_listed(command->words[i - 1].text, " -e --env ")))
      add_variable(names, command->words[i].text);
}

/* ---- Which word is the program ---- */

static bool is_flag(st_text word) { return word.length && word.bytes[0] == '-'; }

/* How many words of what is wrapped are the wrapper's own. */
static size_t own_words(const st_simple *command, size_t at) {
  st_text wrapper = st_path_base(command->words[at].text);
  const char *valued = st_text_is(wrapper, "sudo")    ? " -u -g -h -p -C -U "
                       : st_text_is(wrapper, "xargs") ? " -n -I -P -L -d -s -a "
                       : st_text_is(wrapper, "env")   ? " -u -C -S "
                                                      : " -n -c -s -k -o -i ";
  size_t next = at + 1;
  while (next < command->count) {
    st_text word = command->words[next].text;
    if (is_flag(word)) next += st_text_listed(word, valued) ? 2 : 1;
    else if (is_assignment(&command->words[next])) next++;
    else break;
  }
  if (st_text_is(wrapper, "timeout") && next < command->count) next++;
  return next - at;
}

static bool is_keyword(st_text word) { return st_text_listed(word, " if then else elif while until do ! { "); }
static bool is_other_syntax(st_text word) { return st_text_listed(word, " for case fi done esac } function select in ;; "); }

/* The word that says which program runs; count, if none does. */
static size_t find_first(const st_simple *command) {
  size_t at = 0;
  while (at < command->count) {
    const st_word *word = &command->words[at];
    const st_tool *tool = st_tool_find(st_path_base(word->text));
    if (word->redirects || is_keyword(word->text) || is_assignment(word)) at++;
    else if (is_other_syntax(word->text)) return command->count;
    else if (tool && tool->flags & ST_TOOL_WRAPS) at += own_words(command, at);
    else return at;
  }
  return command->count;
}

static bool is_program(const st_word *word) {
  st_text name = st_path_base(word->text);
  if (name.length == 0 || name.length > 40 || word->expands || !(st_is_alnum(name.bytes[0]))) return false;
  bool letter = false;
  for (size_t i = 0; i < name.length; i++) {
    if (!st_is_alnum(name.bytes[i]) && !strchr("_.+-", name.bytes[i])) return false;
    letter = letter || st_is_lower(name.bytes[i]) || st_is_upper(name.bytes[i]);
  }
  return letter;
}

/* ---- Verbs ---- */

static bool is_verb(const st_word *word) {
  if (word->expands || word->redirects || word->quoted || word->text.length == 0 || word->text.length > 24) return false;
  for (size_t i = 0; i < word->text.length; i++)
    if (!st_is_lower(word->text.bytes[i]) && !(i && strchr("-:0123456789", word->text.bytes[i]))) return false;
  return true;
}

/* Options of which the next word is the value come before a verb: git -C dir log, kubectl -n web get. */
static const st_word *verb_of(const st_simple *command, size_t first) {
  for (size_t i = first + 1; i < command->count; i++) {
    const st_word *word = &command->words[i];
    if (st_text_listed(word->text, " -C -c -n --namespace --context --prefix -p --project --profile --region ")) i++;
    else if (is_flag(word->text) || (word->text.length && word->text.bytes[0] == '+')) continue;
    else return is_verb(word) ? word : NULL;
  }
  return NULL;
}

static void add_verb(st_names *names, st_text tool, const st_word *verb) {
  char both[72];
  if (tool.length + verb->text.length + 1 > sizeof both) return;
  memcpy(both, tool.bytes, tool.length);
  both[tool.length] = ' ';
  memcpy(both + tool.length + 1, verb->text.bytes, verb->text.length);
  st_names_add(names, ST_NAME_TOOL, (st_text){both, tool.length + 1 + verb->text.length});
}

/* python -m pytest, uv run pytest, npm exec tsc: what they run is a program too. */
static void find_run(st_names *names, const st_simple *command, size_t first, const st_word *verb) {
  st_text tool = st_path_base(command->words[first].text);
  for (size_t i = first + 1; i + 1 < command->count; i++) {
    const st_word *next = &command->words[i + 1];
    bool module = st_text_listed(tool, " python python3 ") && st_text_is(command->words[i].text, "-m");
    bool runs = verb == &command->words[i] && st_text_listed(tool, " uv poetry pipenv bundle ") && st_text_listed(verb->text, " run exec ");
    if ((module || runs) && is_program(next) && st_file_named(next->text).length == 0) st_names_add(names, ST_NAME_TOOL, st_path_base(next->text));
    if (module || runs) return;
  }
}

/* ---- Files ---- */

static void add_path(st_names *names, st_text path) {
  if (path.length && path.bytes[path.length - 1] != '/') st_names_add(names, ST_NAME_FILE, path);
}

static bool is_path(st_text word) { return st_text_begins(word, "/") || st_text_begins(word, "~/") || st_text_begins(word, "./") || st_text_begins(word, "../"); }

static void find_files(st_names *names, const st_simple *command, size_t first, unsigned flags) {
  bool pattern = flags & ST_TOOL_PATTERN;
  st_text tool = st_path_base(command->words[first].text);
  bool units = st_text_listed(tool, " systemctl journalctl service ");
  for (size_t i = first + 1; i < command->count; i++) {
    const st_word *word = &command->words[i];
    st_text file = word->expands ? (st_text){"", 0} : st_file_named(word->text);
    if (word->redirects) {
      if (!st_text_begins(word->text, "/dev/")) add_path(names, file);
      continue;
    }
    bool said = st_text_listed(command->words[i - 1].text, " -e -c -m --message -k --eval ") && !st_text_is(tool, "docker");
    if (is_flag(word->text) && st_text_find(word->text, '=') == word->text.length) continue;
    if (pattern && !is_flag(word->text)) {
      pattern = false; /* of grep, sed and the like the first is no file */
      continue;
    }
    if (flags & ST_TOOL_TALKS || units || (said && word->quoted)) continue;
    if (file.length) add_path(names, file);
    else if (flags & ST_TOOL_READS && !word->expands && is_path(word->text) && !st_text_begins(word->text, "/dev/")) add_path(names, word->text);
  }
}

/* ---- The line ---- */

static void add_program(st_names *names, const st_simple *command, size_t first, const st_word *verb) {
  st_text name = st_path_base(command->words[first].text);
  st_names_add(names, ST_NAME_TOOL, name);
  if (verb) add_verb(names, name, verb);
  find_run(names, command, first, verb);
  st_find_services(names, command, first);
}

static void find_simple(st_names *names, const st_simple *command, bool exists, st_line *out) {
  size_t first = find_first(command);
  find_variables(names, command, first);
  for (size_t i = 0; i < command->count; i++) st_find_addresses(names, command->words[i].text);
  if (first >= command->count) return;
  const st_word *word = &command->words[first];
  st_text name = st_path_base(word->text);
  const st_tool *tool = st_tool_find(name);
  unsigned flags = tool ? tool->flags : 0;
  bool script = st_text_begins(word->text, "./") || st_text_begins(word->text, "../") || st_file_named(word->text).length > 0;
  const st_word *verb = flags & ST_TOOL_VERBS ? verb_of(command, first) : NULL;
  find_files(names, command, first, flags);
  bool runs = exists && !word->expands && (script || is_program(word));
  if (!runs || flags & ST_TOOL_BUILTIN) return;
  if (script) st_names_add(names, ST_NAME_FILE, word->text);
  else add_program(names, command, first, verb);
  if (out->telling && !(out->flags & ST_TOOL_ASKS)) return;
  *out = (st_line){.tool = name, .verb = verb ? verb->text : (st_text){"", 0}, .flags = flags, .telling = true};
}

bool st_find_command(st_names *names, st_text line, bool exists, st_line *out) {
  st_commands from = st_commands_of(names->arena, line);
  st_simple command;
  *out = (st_line){.tool = {"", 0}, .verb = {"", 0}};
  while (st_commands_next(&from, &command)) find_simple(names, &command, exists, out);
  return !from.failed;
}

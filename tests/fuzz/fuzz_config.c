/* fuzz_config.c - any bytes as a file of settings: every value lies where the reader says, and a key that is set in it is set, with
** everything else as it was. */
#include <string.h>

#include "../../src/cli/config.h"
#include "base/toml.h"
#include "fuzz/target.h"

static void check(const st_toml *value, size_t size) {
  must(value->start <= value->end && value->end <= size && value->line >= 1, "a value lies in its text");
  if (value->type == ST_TOML_STRING) must(strlen(value->text) == value->length, "a text without NUL");
  for (const st_toml *one = value->first; one; one = one->next) check(one, size);
}

static const st_toml *member(const st_toml *root, const char *key) {
  const char *dot = strchr(key, '.');
  char table[32];
  if (!dot) return st_toml_get(root, key);
  snprintf(table, sizeof table, "%.*s", (int)(dot - key), key);
  const st_toml *found = st_toml_get(root, table);
  return found && found->type == ST_TOML_TABLE ? st_toml_get(found, dot + 1) : NULL;
}

static size_t count(const st_toml *value) {
  size_t all = 1;
  for (const st_toml *one = value->first; one; one = one->next) all += count(one);
  return all;
}

/* One that has a table where the key is to be, or an array of tables where its table is, cannot take it. */
static bool has_room(const st_toml *root, const char *key) {
  const char *dot = strchr(key, '.');
  char table[32];
  snprintf(table, sizeof table, "%.*s", dot ? (int)(dot - key) : 0, key);
  const st_toml *at = dot ? st_toml_get(root, table) : NULL, *there = member(root, key);
  if (at && at->type != ST_TOML_TABLE) return false;
  return !there || (there->type != ST_TOML_TABLE && there->type != ST_TOML_TABLES);
}

static void check_edit(st_arena *arena, const st_toml *root, const char *text, const char *key) {
  st_toml_error error;
  bool there = member(root, key) != NULL;
  if (!has_room(root, key)) return;
  char *changed = config_edit(text, key, "\"set here\"");
  must(changed != NULL, "a key cannot be set");
  const st_toml *now = st_toml_parse(arena, changed, strlen(changed), &error);
  must(now != NULL, "setting a key spoils the file");
  const st_toml *value = member(now, key);
  must(value && value->type == ST_TOML_STRING && strcmp(value->text, "set here") == 0, "the key is not set");
  if (!there) must(count(now) > count(root), "something else is gone");
  free(changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  st_arena arena;
  st_toml_error error = {0};
  char *text = malloc(size + 1);
  must(text != NULL, "no memory");
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  st_arena_init(&arena, 64 << 20);
  const st_toml *root = st_toml_parse(&arena, text, size, &error);
  must(root || (error.line >= 1 && error.message[0]), "an error names its line");
  if (root) {
    check(root, size);
    check_edit(&arena, root, text, "home");
    check_edit(&arena, root, text, "serve.port");
  }
  st_arena_free(&arena);
  free(text);
  return 0;
}

/* settings_value.c - see settings.h: texts read and written by their kind. */
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "settings.h"
#include "text.h"

/* A number and one of these units; the first is meant when there is none. */
typedef struct unit {
  const char *name;
  int64_t factor;
} unit;

static const unit NUMBERS[] = {{"", 1}, {NULL, 0}};
static const unit DECIMALS[] = {{"", 1000000}, {NULL, 0}};
static const unit BYTES[] = {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {NULL, 0}};
static const unit SECONDS[] = {{"", 1000},   {"s", 1000},     {"ms", 1},       {"m", 60000},
                               {"h", 3600000}, {"d", 86400000}, {"min", 60000}, {NULL, 0}};
static const unit MILLIS[] = {{"", 1}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {NULL, 0}};

static bool read_number(const char *text, const unit *units, int64_t *out) {
  bool fractions = units == SECONDS || units == MILLIS || units == DECIMALS;
  if (!*text || !strchr(fractions ? "0123456789." : "0123456789", *text) || strspn(text, "0123456789.") > 15) return false;
  size_t digits = strspn(text, fractions ? "0123456789." : "0123456789");
  char *end = NULL;
  double number = strtod(text, &end);
  if ((size_t)(end - text) != digits) return false;
  for (; units->name; units++) {
    if (strcmp(text + digits, units->name) != 0) continue;
    double value = number * (double)units->factor;
    if (value > 9e15) return false;
    *out = (int64_t)value;
    if (number > 0 && *out == 0) *out = 1; /* half a millisecond is not for ever */
    return true;
  }
  return false;
}

static bool read_switch(const char *text, int64_t *out) {
  static const char *const words[] = {"false", "true", "off", "on", "0", "1", "no", "yes"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(text, words[i]) != 0) continue;
    *out = i % 2;
    return true;
  }
  return false;
}

static bool is_plain_number(const char *text) {
  return *text && strspn(text, "0123456789") == strlen(text) && (*text != '0' || !text[1]);
}

/* Is it one of "a, b, c"? */
static bool is_choice(const char *choices, const char *text) {
  size_t length = strlen(text);
  for (const char *at = choices; *at; at += strspn(at, ", ")) {
    size_t here = strcspn(at, ",");
    if (here == length && strncmp(at, text, length) == 0) return true;
    at += here;
  }
  return false;
}

bool settings_take(settings *s, const setting *key, const char *text, setting_origin from) {
  setting_value *value = &s->values[setting_index(key)];
  int64_t number = 0;
  bool good = key->kind == SETTING_PATH || key->kind == SETTING_TEXT || text_valid(text), in_range = true;
  switch (key->kind) {
    case SETTING_CHOICE: good = good && (!*text || is_choice(key->choices, text)); break;
    case SETTING_SWITCH: good = read_switch(text, &number); break;
    case SETTING_KEEP: good = is_choice("off, on", text) || (!is_plain_number(text) && read_number(text, SECONDS, &number)); break;
    case SETTING_NUMBER: good = read_number(text, NUMBERS, &number); break;
    case SETTING_DECIMAL: good = read_number(text, DECIMALS, &number); break;
    case SETTING_BYTES: good = read_number(text, BYTES, &number); break;
    case SETTING_SECONDS: good = read_number(text, SECONDS, &number); break;
    case SETTING_MILLIS: good = read_number(text, MILLIS, &number); break;
    default: break;
  }
  if (key->kind >= SETTING_NUMBER) in_range = number >= key->least && number <= key->most;
  if (!good || !in_range) return false;
  free(value->text);
  value->text = key->kind == SETTING_PATH ? places_expand(text) : text_format("%s", text);
  value->number = number;
  value->from = from;
  return true;
}

char *setting_must(const setting *key) {
  bool seconds = key->kind == SETTING_SECONDS;
  switch (key->kind) {
    case SETTING_LIST: return text_format("a list of texts");
    case SETTING_CHOICE: return text_format("one of %s", key->choices);
    case SETTING_SWITCH: return text_format("true or false");
    case SETTING_KEEP: return text_format("off, on or a time");
    case SETTING_NUMBER:
      if (key->most <= 65535) return text_format("a number from %lld to %lld", (long long)key->least, (long long)key->most);
      return text_format("a number, at least %lld", (long long)key->least);
    case SETTING_DECIMAL: return text_format("a number, such as 2 or 0.15");
    case SETTING_BYTES: return text_format("a number of bytes, at least %lld", (long long)key->least);
    case SETTING_SECONDS:
    case SETTING_MILLIS:
      if (key->least <= 1) return text_format("a time");
      return text_format("a time, at least %lld %s", (long long)key->least / (seconds ? 1000 : 1), seconds ? "s" : "ms");
    default: return text_format("a text");
  }
}

const char *setting_example(const setting *key) {
  switch (key->kind) {
    case SETTING_LIST: return "such as [\"one\", \"two\"] in the file, one,two elsewhere";
    case SETTING_KEEP: return "such as 7d, 36h or 365d";
    case SETTING_BYTES: return "such as 8192, 64K or 1M";
    case SETTING_SECONDS: return "such as 5, 1.5s, 200ms or 2m";
    case SETTING_MILLIS: return "such as 500, 500ms or 2s";
    default: return NULL;
  }
}

/* The items of "a,b" as "a", "b" */
static void write_list(FILE *to, const char *list) {
  fputc('[', to);
  for (const char *at = list, *separator = ""; *at; separator = ", ") {
    size_t length = strcspn(at, ",");
    char *item = text_need(strndup(at, length));
    fputs(separator, to);
    text_json(to, item);
    free(item);
    at += length + (at[length] == ',');
  }
  fputc(']', to);
}

/* TOML's and JSON's texts are alike, but for DEL. */
void setting_json(FILE *to, const setting *key, const char *value) {
  int64_t truth = 0;
  if (key->kind == SETTING_LIST)
    write_list(to, value);
  else if (key->kind == SETTING_SWITCH && read_switch(value, &truth))
    fputs(truth ? "true" : "false", to);
  else if (key->kind >= SETTING_NUMBER && (is_plain_number(value) || (key->kind == SETTING_DECIMAL && *value != '.' && *value)))
    fputs(value, to);
  else
    text_json(to, value);
}

char *setting_toml(const setting *key, const char *value) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&text, &length));
  setting_json(to, key, value);
  fclose(to);
  return text_need(text);
}

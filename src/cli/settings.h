/* settings.h - everything that can be configured: one table of keys, and what each is set to.
**
** A key can be said in four places; the first of them counts: an option of the command line, the environment,
** the configuration file, the default.  Whatever says it, the value is one text, read by its kind. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum setting_kind {
  SETTING_TEXT,
  SETTING_PATH, /* ~/ is the user's directory */
  SETTING_LIST, /* texts; with commas between where it is one text */
  SETTING_CHOICE,
  SETTING_SWITCH,
  SETTING_KEEP, /* off, on, or a time as below with its unit: who says 7 does not mean seconds */
  SETTING_NUMBER,
  SETTING_DECIMAL, /* 2, 0.15; kept as millionths */
  SETTING_BYTES,   /* 8192, 64K, 1M */
  SETTING_SECONDS, /* 30, 1.5s, 200ms, 2m, 1h, 1d; kept as milliseconds */
  SETTING_MILLIS   /* the same, but 500 alone is milliseconds */
} setting_kind;

typedef struct setting {
  const char *name; /* "serve.port" */
  setting_kind kind;
  const char *fallback; /* as a text; "": none */
  int64_t least, most;  /* of a number; in its kind's unit */
  const char *variable; /* of the environment */
  const char *flag;     /* "--port PORT" */
  const char *choices;  /* "auto, always, never" */
  const char *doc;
} setting;

/* The index-th key; NULL past the last. */
const setting *setting_at(size_t index);
/* The key of that name, or of that name in [serve]; NULL: none.  Then *near, if asked for, is the nearest or NULL. */
const setting *setting_find(const char *name, const char **near);
size_t setting_index(const setting *key);

/* The word for what a value must be: "a time", "a number from 0 to 65535". */
char *setting_must(const setting *key);
/* An example of it, or NULL. */
const char *setting_example(const setting *key);
/* A value as it would stand in the file: 30, true, "64M", ["a", "b"]. */
char *setting_toml(const setting *key, const char *value);
/* The same as JSON. */
void setting_json(FILE *to, const setting *key, const char *value);

typedef enum setting_origin { FROM_DEFAULT, FROM_FILE, FROM_ENVIRONMENT, FROM_OPTION } setting_origin;

typedef struct setting_value {
  char *text;     /* "" when there is none */
  int64_t number; /* of a switch 0 or 1; of a time milliseconds */
  setting_origin from;
  int line; /* in the file */
} setting_value;

typedef struct settings {
  setting_value *values; /* one per key */
  char *file;            /* the configuration file; NULL: there is no place for one */
  bool named;            /* it was named, so it must be there */
  bool there;            /* it is */
  char *problem, *hint;  /* the first thing that is wrong; NULL: nothing */
} settings;

/* All keys at their defaults. */
void settings_init(settings *s);
void settings_free(settings *s);

/* Say a key's value.  False: it cannot be that, and nothing has changed. */
bool settings_take(settings *s, const setting *key, const char *text, setting_origin from);

const setting_value *settings_get(const settings *s, const char *name);
/* The text, or NULL if it is empty. */
const char *settings_text(const settings *s, const char *name);

/* Keep the first problem only.  Both texts belong to the settings from now on. */
void settings_wrong(settings *s, char *problem, char *hint);

#endif

/* limits.c - see limits.h. */
#include "limits.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
  const char *name;
  int64_t fallback, least;
  size_t at;
} setting;

static const setting SETTINGS[] = {
#define X(name, value, least, doc) {#name, value, least, offsetof(sv_limits, name)},
    SV_LIMITS(X)
#undef X
};
#define COUNT (sizeof SETTINGS / sizeof *SETTINGS)

static const struct {
  const char *name;
  size_t at;
} FOLDERS[] = {
#define X(name, doc) {#name, offsetof(sv_limits, name)},
    SV_FOLDERS(X)
#undef X
};
#define NFOLDERS (sizeof FOLDERS / sizeof *FOLDERS)

static char **folder(sv_limits *limits, size_t i) {
  return (char **)((char *)limits + FOLDERS[i].at);
}

static char *wrong(const char *what, const char *word, int length) {
  char *text = NULL;
  return asprintf(&text, "--set: %s %.*s", what, length, word) < 0 ? NULL : text;
}

static bool is(const char *word, size_t length, const char *name) {
  return strlen(name) == length && strncmp(name, word, length) == 0;
}

/* 30, 64K, 1M, 5s, 2m, 1h, on, off; -1: none of these */
static int64_t number(const char *word, size_t length) {
  static const struct {
    const char *unit;
    int64_t factor;
  } units[] = {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  size_t digits = strspn(word, "0123456789");
  if (is(word, length, "on") || is(word, length, "off")) return length == 2;
  if (digits == 0 || digits > 12 || digits > length) return -1;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (is(word + digits, length - digits, units[i].unit)) return strtoll(word, NULL, 10) * units[i].factor;
  return -1;
}

static char *set_one(sv_limits *limits, const char *word, size_t length) {
  const char *equals = memchr(word, '=', length);
  size_t named = equals ? (size_t)(equals - word) : length;
  for (size_t i = 0; i < COUNT; i++) {
    const setting *found = &SETTINGS[i];
    if (!is(word, named, found->name)) continue;
    int64_t value = equals ? number(equals + 1, length - named - 1) : -1;
    if (value < found->least) return wrong("not a number that it can be:", word, (int)length);
    *(int64_t *)((char *)limits + found->at) = value;
    return NULL;
  }
  for (size_t i = 0; i < NFOLDERS; i++) {
    if (!is(word, named, FOLDERS[i].name)) continue;
    if (!equals || length == named + 1) return wrong("not the name of a folder:", word, (int)length);
    free(*folder(limits, i));
    *folder(limits, i) = strndup(equals + 1, length - named - 1);
    return *folder(limits, i) ? NULL : wrong("no memory for", word, (int)named);
  }
  return wrong("there is no setting", word, (int)named);
}

char *sv_limits_set(sv_limits *limits, const char *settings) {
  char *problem = NULL;
  for (size_t i = 0; i < COUNT; i++) *(int64_t *)((char *)limits + SETTINGS[i].at) = SETTINGS[i].fallback;
  while (settings && *settings && !problem) {
    size_t length = strcspn(settings, ",");
    problem = set_one(limits, settings, length);
    settings += length + (settings[length] == ',');
  }
  return problem;
}

void sv_limits_clear(sv_limits *limits) {
  for (size_t i = 0; i < NFOLDERS; i++) {
    free(*folder(limits, i));
    *folder(limits, i) = NULL;
  }
}

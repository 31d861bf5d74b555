/* output.c - see output.h. */
#include "output.h"

#include <errno.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "pager.h"
#include "places.h"
#include "progress.h"
#include "text.h"

static size_t find_width(void) {
  struct winsize size;
  const char *columns = places_environment("COLUMNS");
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col) return size.ws_col;
  long wanted = columns ? strtol(columns, NULL, 10) : 0;
  return wanted > 0 && wanted < 100000 ? (size_t)wanted : 0;
}

void output_init(output *out, const options *o) {
  const char *term = places_environment("TERM");
  *out = (output){.json = o->json, .quiet = o->quiet, .bold = "", .dim = "", .red = "", .yellow = "", .green = "", .match = "", .normal = ""};
  out->plain = o->plain;
  out->terminal = isatty(STDOUT_FILENO);
  out->unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  out->width = find_width();
  bool fit = out->terminal && !(term && strcmp(term, "dumb") == 0);
  if (o->no_color || o->plain || !(fit || o->always_color)) return;
  out->bold = "\033[1m";
  out->dim = "\033[2m";
  out->red = "\033[31m";
  out->yellow = "\033[33m";
  out->green = "\033[32m";
  out->match = "\033[1;31m";
  out->normal = "\033[0m";
}

void output_page(output *out, const options *o) {
  out->pages = out->terminal && !out->json && !out->plain && !o->no_pager;
  out->reader = o->pager;
}

/* Before anything is written to stdout. */
static void begin(output *out) {
  progress_clear(out);
  if (!out->pages) return;
  out->pages = false;
  out->pager = pager_start(out->reader);
  if (out->pager) out->held = text_need(open_memstream(&out->held_text, &out->held_length));
}

/* Where everything goes that is not data. */
static FILE *aside(output *out) {
  progress_clear(out);
  return out->held ? out->held : stderr;
}

static void end_pager(output *out) {
  if (!out->pager) return;
  pager_end(out->pager);
  fclose(out->held);
  fputs(text_need(out->held_text), stderr);
  free(out->held_text);
  out->held = NULL;
}

static void keep_error(output *out, bool failed) {
  if (failed && !out->error) out->error = errno ? errno : EIO;
}

void out_format(output *out, const char *format, ...) {
  va_list args;
  begin(out);
  va_start(args, format);
  keep_error(out, vprintf(format, args) < 0);
  va_end(args);
}

void out_text(output *out, const char *text) {
  begin(out);
  keep_error(out, fputs(text, stdout) == EOF);
}

void out_lines(output *out, const char *text) {
  while (out->terminal && *text) {
    size_t length = strcspn(text, "\n\t");
    char *line = text_need(strndup(text, length)), *clean = text_clean(line);
    out_format(out, "%s%.1s", clean, text + length);
    free(clean);
    free(line);
    text += length + (text[length] != '\0');
  }
  out_text(out, text);
}

int output_end(output *out, int status) {
  progress_clear(out);
  keep_error(out, fflush(stdout) != 0);
  end_pager(out);
  if (!out->error || (out->pager && out->error == EPIPE)) return status; /* a pager may be left at any time */
  if (out->error == EPIPE) return 1; /* whoever read has seen enough: not worth a message */
  char *message = text_format("standard output: %s", strerror(out->error));
  out_failure(out, &(stele_failure){STELE_IO, "", "", message, status ? "" : "the command itself was done"});
  free(message);
  return 1;
}

/* A member of the JSON error; an empty text is null. */
static void member(FILE *to, const char *name, const char *text) {
  fprintf(to, "\"%s\":", name);
  if (*text)
    text_json(to, text);
  else
    fputs("null", to);
}

int out_failure(output *out, const stele_failure *failure) {
  FILE *to = aside(out);
  if (out->json) {
    fprintf(to, "{\"error\":{\"code\":\"%s\",", stele_status_name(failure->status));
    member(to, "method", failure->method);
    fputc(',', to);
    member(to, "field", failure->field);
    fputs(",\"message\":", to);
    text_json(to, failure->message);
    fputc(',', to);
    member(to, "hint", failure->hint);
    fputs("}}\n", to);
  } else {
    char *message = text_clean(failure->message), *hint = text_clean(failure->hint);
    fprintf(to, "stele: %s\n", message);
    if (*hint) fprintf(to, "  %s\n", hint);
    free(message);
    free(hint);
  }
  return failure->status == STELE_INVALID ? 2 : 1;
}

int out_bad(output *out, const char *hint, const char *format, ...) {
  char *message = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&message, format, args) < 0) message = NULL;
  va_end(args);
  text_need(message);
  int status = out_failure(out, &(stele_failure){STELE_INVALID, "", "", message, hint ? hint : ""});
  free(message);
  return status;
}

void out_notes(output *out, const char *notes) {
  if (out->quiet) return;
  while (*notes) {
    size_t length = strcspn(notes, "\n");
    char *line = text_need(strndup(notes, length)), *clean = text_clean(line);
    if (!out->hushed || strncmp(line, out->hushed, strlen(out->hushed)) != 0) fprintf(aside(out), "note: %s\n", clean);
    free(clean);
    free(line);
    notes += length + (notes[length] != '\0');
  }
}

void out_log(void *user, stele_log_level level, const char *message) {
  output *out = user;
  if (level < STELE_LOG_WARNING || (out->quiet && level < STELE_LOG_ERROR)) return;
  char *clean = text_clean(message);
  fprintf(aside(out), "stele: %s: %s\n", level == STELE_LOG_ERROR ? "error" : "warning", clean);
  free(clean);
}

/* postgres_url.c - connection strings of PostgreSQL: what is Stele's taken off, secrets kept out of
** what people read. */
#include "engine/postgres_url.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool st_postgres_is_url(const char *text) {
  return text && (starts_with(text, "postgres://") || starts_with(text, "postgresql://"));
}

/* Where the query part begins: the character after its ?, or NULL.  Like libpq, look for it only
** behind the credentials: a password may hold a raw ?. */
static const char *find_query(const char *url) {
  const char *authority = strstr(url, "://") + 3;
  const char *stop = authority + strcspn(authority, "@/");
  const char *mark = strchr(*stop == '@' ? stop : authority, '?');
  return mark ? mark + 1 : NULL;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* Percent-decode; "" when it is badly encoded or holds a NUL.  NULL: out of memory. */
static char *decode(const char *text, size_t length) {
  char *out = st_alloc(length + 1);
  size_t used = 0;
  if (!out) return NULL;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (c == '%') {
      int high = i + 2 < length ? hex_digit(text[i + 1]) : -1;
      int low = i + 2 < length ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0 || high + low == 0) {
        used = 0;
        break;
      }
      c = (char)(high * 16 + low);
      i += 2;
    }
    out[used++] = c;
  }
  out[used] = '\0';
  return out;
}

/* The place for a parameter of the query; *value: where its value begins.  NULL: it is libpq's. */
static char **place_of(st_postgres_address *out, const char *parameter, const char **value) {
  const struct {
    const char *beginning;
    char **place;
  } ours[] = {{"schema=", &out->schema}, {"tenant=", &out->tenant}, {"reads=", &out->reads}, {"statement_timeout=", &out->statement_timeout}};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
    if (!starts_with(parameter, ours[i].beginning)) continue;
    *value = parameter + strlen(ours[i].beginning);
    return ours[i].place;
  }
  return NULL;
}

/* The value, decoded, in the place of an earlier one.  False: out of memory. */
static bool take(char **to, const char *text, size_t length) {
  st_free(*to);
  *to = decode(text, length);
  return *to != NULL;
}

void st_postgres_address_free(st_postgres_address *address) {
  st_free(address->location);
  st_free(address->schema);
  st_free(address->tenant);
  st_free(address->reads);
  st_free(address->statement_timeout);
  *address = (st_postgres_address){0};
}

bool st_postgres_split(const char *url, st_postgres_address *out) {
  st_str rest;
  char separator = '?';
  *out = (st_postgres_address){0};
  if (!st_postgres_is_url(url)) return false;

  st_str_init(&rest, strlen(url));
  const char *query = find_query(url);
  st_str_add(&rest, url, query ? (size_t)(query - 1 - url) : strlen(url));
  while (query && *query) {
    size_t length = strcspn(query, "&");
    const char *value = NULL;
    char **place = place_of(out, query, &value);
    if (place) {
      if (!take(place, value, (size_t)(query + length - value))) rest.failed = true;
    } else if (length > 0) {
      st_str_addc(&rest, separator);
      st_str_add(&rest, query, length);
      separator = '&';
    }
    query += length;
    if (*query == '&') query++;
  }
  out->location = st_str_take(&rest);
  if (!out->location) st_postgres_address_free(out);
  return out->location != NULL;
}

bool st_postgres_ambiguous(const char *url) {
  if (!st_postgres_is_url(url)) return false;
  const char *authority = strstr(url, "://") + 3;
  const char *stop = authority + strcspn(authority, "@/");
  const char *from = *stop == '@' ? stop + 1 : stop;
  return memchr(from, '@', strcspn(from, "?")) != NULL;
}

void st_postgres_hide_quoted(char *line) {
  bool inside = false;
  char *to = line;
  for (const char *from = line; *from; from++) {
    if (*from == '"') inside = !inside;
    else if (inside) continue;
    *to++ = *from;
  }
  *to = '\0';
}

void st_postgres_hide(char *line, const char *secret) {
  size_t length = strlen(secret);
  if (length == 0) return;
  for (char *at = line; (at = strstr(at, secret)) != NULL; at += length) memset(at, '*', length);
}

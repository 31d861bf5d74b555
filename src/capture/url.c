/* url.c - see url.h. */
#include "capture/url.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define SEPARATORS "&;?" /* ? too: an address inside the part behind # has a query of its own */
#define DECODINGS 3      /* an address in an address in an address */

typedef struct span {
  const char *at, *end;
} span;

static size_t size_of(span s) {
  return (size_t)(s.end - s.at);
}

/* Up to the first of the characters, or its end. */
static span up_to(span s, const char *characters) {
  const char *at = s.at;
  while (at < s.end && (*at == '\0' || !strchr(characters, *at))) at++;
  return (span){s.at, at};
}

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decode %XX and + into a copy with a NUL behind it; what is no escape stays.  False: no memory. */
static bool decode(st_arena *arena, span s, span *out) {
  char *text = st_arena_alloc(arena, size_of(s) + 1), *to = text;
  if (!text) return false;
  for (const char *at = s.at; at < s.end; at++) {
    bool escape = *at == '%' && s.end - at > 2 && digit(at[1]) >= 0 && digit(at[2]) >= 0;
    *to++ = escape ? (char)(digit(at[1]) << 4 | digit(at[2])) : *at == '+' ? ' ' : *at;
    if (escape) at += 2;
  }
  *to = '\0';
  *out = (span){text, to};
  return true;
}

/* ---- Parameters ---- */

static bool is_listed(span name, const char *const *list) {
  for (; *list; list++)
    if (strlen(*list) == size_of(name) && strncasecmp(*list, name.at, size_of(name)) == 0) return true;
  return false;
}

/* What follows the separator behind a part of it; false: nothing does. */
static bool step(span *rest, span part) {
  bool more = part.end < rest->end;
  rest->at = more ? part.end + 1 : rest->end;
  return more;
}

/* Is it the name of a secret?  So is token[], and user[password]. */
static bool is_secret_name(span name, const char *const *secret) {
  bool more = true, found = is_listed(name, secret);
  while (more && !found) {
    span part = up_to(name, "[]");
    found = is_listed(part, secret);
    more = step(&name, part);
  }
  return found;
}

/* Is a decoded value an address with a parameter of such a name? */
static bool hides_secret(span value, const char *const *secret) {
  while (step(&value, up_to(value, SEPARATORS "#"))) {
    span pair = up_to(value, SEPARATORS "#"), name = up_to(pair, "=");
    if (name.end < pair.end && is_secret_name(name, secret)) return true;
  }
  return false;
}

/* *out: it is a secret, or hides one.  False: no memory. */
static bool must_go(st_arena *arena, span pair, const char *const *secret, bool *out) {
  span name = up_to(pair, "="), decoded;
  if (!decode(arena, name, &decoded)) return false;
  *out = is_secret_name(decoded, secret);
  decoded = (span){name.end, pair.end};
  for (int i = 0; i < DECODINGS && !*out; i++) {
    if (!decode(arena, decoded, &decoded)) return false;
    *out = hides_secret(decoded, secret);
  }
  return true;
}

/* Copy parameters, but for those that must go.  What stays takes the separator of the first that went before it, so
** that a query still begins with its ?.  NULL: no memory. */
static char *copy_parameters(st_arena *arena, char *to, span from, const char *const *secret) {
  char separator = '\0', next = '\0';
  bool gone = false, more = true;
  while (more) {
    span pair = up_to(from, SEPARATORS);
    if (!gone) separator = next;
    if (!must_go(arena, pair, secret, &gone)) return NULL;
    if (!gone) {
      if (separator) *to++ = separator;
      memcpy(to, pair.at, size_of(pair));
      to += size_of(pair);
    }
    next = pair.end < from.end ? *pair.end : '\0';
    more = step(&from, pair);
  }
  return to;
}

/* The same with the mark before it, which goes if everything does. */
static char *copy_part(st_arena *arena, char *to, span part, const char *const *secret) {
  if (part.at == part.end) return to;
  char *behind = copy_parameters(arena, to + 1, (span){part.at + 1, part.end}, secret);
  *to = *part.at;
  return behind == to + 1 && size_of(part) > 1 ? to : behind;
}

const char *st_url_parameter(st_arena *arena, const char *query, const char *name) {
  span rest = {query, query + strlen(query)}, value;
  bool more = true;
  while (more) {
    span pair = up_to(rest, "&;"), found = up_to(pair, "=");
    if (found.end < pair.end && size_of(found) == strlen(name) && strncasecmp(found.at, name, size_of(found)) == 0)
      return decode(arena, (span){found.end + 1, pair.end}, &value) ? value.at : NULL;
    more = step(&rest, pair);
  }
  return NULL;
}

/* ---- The address ---- */

static bool has_prefix(span text, const char *prefix) {
  return size_of(text) >= strlen(prefix) && strncasecmp(text.at, prefix, strlen(prefix)) == 0;
}

/* Blanks and control characters stand in no address that a browser tells. */
static bool is_plain(span text) {
  for (const char *at = text.at; at < text.end; at++)
    if ((unsigned char)*at <= ' ' || *at == 0x7F) return false;
  return true;
}

static span without_user(span authority) {
  for (const char *at = authority.end; at > authority.at; at--)
    if (at[-1] == '@') return (span){at, authority.end};
  return authority;
}

/* The host in small letters; NULL: no memory.  "": there is none, or no port behind the colon. */
static char *host_of(st_arena *arena, span authority) {
  bool address = authority.at < authority.end && *authority.at == '['; /* of IPv6, with colons of its own */
  span host = up_to(authority, address ? "]" : ":");
  if (address && host.end < authority.end) host.end++;
  for (const char *at = host.end; at < authority.end; at++)
    if (at == host.end ? *at != ':' : !isdigit((unsigned char)*at)) return st_arena_copy(arena, "", 0);
  if (host.end > host.at && host.end[-1] == '.') host.end--;
  char *copy = st_arena_copy(arena, host.at, size_of(host));
  for (char *at = copy; at && *at; at++)
    if (*at >= 'A' && *at <= 'Z') *at = (char)(*at + ('a' - 'A'));
  return copy;
}

st_url_state st_url_clean(st_arena *arena, const char *text, size_t length, const char *const *secret, st_url *out) {
  span all = {text, text + length};
  size_t scheme = has_prefix(all, "https://") ? 8 : has_prefix(all, "http://") ? 7 : 0;
  if (!scheme) return ST_URL_OTHER;
  if (!is_plain(all)) return ST_URL_BAD;
  span fragment = {up_to(all, "#").end, all.end}, rest = {text + scheme, fragment.at};
  span query = {up_to(rest, "?").end, rest.end};
  span authority = up_to((span){rest.at, query.at}, "/\\"); /* browsers take \ for / */
  span path = {authority.end, query.at}, site = without_user(authority);
  char *copy = st_arena_alloc(arena, length + 1), *to = copy;
  out->host = host_of(arena, site);
  if (!copy || !out->host) return ST_URL_NOMEM;
  if (!*out->host) return ST_URL_BAD;
  memcpy(to, text, scheme);
  to += scheme;
  memcpy(to, site.at, size_of(site) + size_of(path)); /* one follows the other */
  to += size_of(site) + size_of(path);
  char *query_at = to;
  to = copy_part(arena, to, query, secret);
  char *fragment_at = to;
  if (to) to = copy_part(arena, to, fragment, secret);
  if (!to) return ST_URL_NOMEM;
  *to = '\0';
  out->text = copy;
  out->length = (size_t)(to - copy);
  out->path = st_arena_copy(arena, path.at, size_of(path));
  out->query = fragment_at > query_at ? st_arena_copy(arena, query_at + 1, (size_t)(fragment_at - query_at - 1)) : "";
  return out->path && out->query ? ST_URL_GOOD : ST_URL_NOMEM;
}

bool st_url_within(const char *host, const char *const *domains) {
  size_t length = strlen(host);
  for (; *domains; domains++) {
    size_t size = strlen(*domains);
    if (size > 0 && length >= size && strcasecmp(host + length - size, *domains) == 0 &&
        (length == size || host[length - size - 1] == '.'))
      return true;
  }
  return false;
}

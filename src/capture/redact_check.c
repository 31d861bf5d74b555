/* redact_check.c - does a value look like a secret?  See redact_check.h. */
#include "capture/redact_check.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define ABOUT_MAX 64  /* bytes of a value in which a word tells that it is none */
#define LOOK_MAX 1024 /* bytes that tell what it is made of */

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return is_upper(c) || is_lower(c); }

/* What a value is made of. */
typedef struct makeup {
  size_t lower, upper, digits, symbols, others; /* others: not ASCII, or white space */
  size_t distinct;
  size_t turns; /* from lower case to upper and back, and between letters and digits */
  double bits;  /* entropy per byte */
} makeup;

static makeup look(const char *value, size_t length) {
  makeup m = {0};
  uint32_t count[256] = {0};
  int last = 0;
  for (size_t i = 0; i < length; i++) {
    char c = value[i];
    int kind = is_lower(c) ? 1 : is_upper(c) ? 2 : is_digit(c) ? 3 : 4;
    if (kind == 1) m.lower++;
    else if (kind == 2) m.upper++;
    else if (kind == 3) m.digits++;
    else if (c > 0x20 && c < 0x7F) m.symbols++;
    else m.others++;
    if (last && kind != last) m.turns++;
    last = kind;
    count[(unsigned char)c]++;
  }
  for (int i = 0; i < 256; i++) {
    if (!count[i]) continue;
    double part = (double)count[i] / (double)length;
    m.distinct++;
    m.bits -= part * log2(part);
  }
  return m;
}

static const char *find_word(const char *text, size_t length, const char *word) {
  size_t size = strlen(word);
  for (size_t i = 0; i + size <= length; i++)
    if ((text[i] | 32) == (word[0] | 32) && strncasecmp(text + i, word, size) == 0) return text + i;
  return NULL;
}

static bool has_word(const char *text, size_t length, const char *word) {
  return find_word(text, length, word) != NULL;
}

static bool is_alnum(char c) { return is_letter(c) || is_digit(c); }
static bool is_name_char(char c) { return is_alnum(c) || c == '_' || c == '.'; }

/* Does the word stand in it?  In a long value only by itself or at its start: a random one may hold it by chance. */
static bool is_about(const char *v, size_t n, const char *word) {
  size_t size = strlen(word);
  if (n < 16) return has_word(v, n, word);
  for (size_t i = 0; i + size <= n && i < ABOUT_MAX; i++) {
    if ((v[i] | 32) != (word[0] | 32) || strncasecmp(v + i, word, size) != 0) continue;
    if (i == 0 || (!is_alnum(v[i - 1]) && (i + size == n || !is_alnum(v[i + size])))) return true;
  }
  return false;
}

/* What people write where a secret would stand. */
static bool is_placeholder(const char *v, size_t n) {
  static const char *const words[] = {
      "xxx",         "changeme",    "change-me", "change_me", "change_this",  "your",    "example",
      "placeholder", "dummy",       "sample",    "todo",      "redact",       "hidden",  "secret",
      "passw",       "token",       "***",       "...",       "\xE2\x80\xA6", "{{",      "${",
      "$(",          "insert",      "replace",   "fake",      "mock",         "null",    "none",
      "undefined",   "process.env", "environ",   "getenv",    "0000",         "1234",    "0123",
      "abcd",        "qwert",       "foobar",    "lorem",     "api_key",      "api-key", "apikey",
      "my_",         "my-",         "some_",     "some-",     "test",         "demo",    NULL};
  if (v[0] == '$' || v[0] == '{' || v[0] == '<' || (v[0] == '%' && v[n - 1] == '%')) return true;
  for (const char *const *word = words; *word; word++)
    if (is_about(v, n, *word)) return true;
  return false;
}

static bool is_hex(const char *v, size_t n) {
  size_t i = 0;
  while (i < n && (is_digit(v[i]) || ((v[i] | 32) >= 'a' && (v[i] | 32) <= 'f'))) i++;
  return i == n;
}

/* Words as they are written together: camelCase, HTTPServer.  Random letters change their case at every second;
** where there are digits too, less is enough to tell. */
static bool is_natural(const char *letters, size_t n, bool digits) {
  size_t turns = look(letters, n).turns;
  return turns <= 1 || (digits ? turns * 4 <= n : turns * 5 <= n * 2);
}

/* A word, a name in code, or a small number: nothing random. */
static bool is_wordy(const char *part, size_t n) {
  size_t letters = 0, digits = 0;
  while (letters < n && is_letter(part[letters])) letters++;
  while (letters + digits < n && is_digit(part[letters + digits])) digits++;
  if (letters + digits < n) return false;
  if (letters == 0) return digits <= 4 || n <= 8;
  return digits <= 4 && is_natural(part, letters, digits > 0);
}

/* Words with something between them: a name, a path, a slug, a date, a version. */
static bool is_words(const char *v, size_t n) {
  size_t start = 0;
  for (size_t i = 0; i <= n; i++) {
    if (i < n && !strchr("-_./:@\\", v[i])) continue;
    if (i > start && !is_wordy(v + start, i - start)) return false;
    start = i + 1;
  }
  return true;
}

static bool is_uuid(const char *v, size_t n) {
  if (n != 36) return false;
  for (size_t i = 0; i < n; i++) {
    bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    bool hex = is_digit(v[i]) || ((v[i] | 32) >= 'a' && (v[i] | 32) <= 'f');
    if (dash ? v[i] != '-' : !hex) return false;
  }
  return true;
}

static bool is_path(const char *v, size_t n) {
  if (n > 2 && is_letter(v[0]) && v[1] == ':' && (v[2] == '\\' || v[2] == '/')) return true;
  if (strncmp(v, "./", 2) == 0 || strncmp(v, "../", 3) == 0 || strncmp(v, "~/", 2) == 0) return true;
  const char *slash = memchr(v, '/', n);
  const char *point = memrchr(v, '.', n);
  if (!slash) return false;
  size_t end = point ? (size_t)(v + n - point) : 0;
  if (point && end >= 2 && end <= 6 && is_lower(point[1]) && point > slash && look(v, n).digits * 5 < n) return true;
  return false;
}

/* A call or an index, complete: code, even if it is told as a text. */
static bool is_call(const char *v, size_t n) {
  size_t i = 0;
  while (i < n && is_name_char(v[i])) i++;
  return i > 0 && i < n && ((v[i] == '(' && v[n - 1] == ')') || (v[i] == '[' && v[n - 1] == ']'));
}

/* The name of a variable or a type that holds secrets. */
static bool is_name(const char *v, size_t n) {
  static const char *const ends[] = {"key", "token", "secret", "password", "credential", "credentials", NULL};
  size_t i = 0;
  while (i < n && is_name_char(v[i])) i++;
  if (i < n || is_digit(v[0])) return false;
  for (const char *const *end = ends; *end; end++)
    if (n > strlen(*end) && strncasecmp(v + n - strlen(*end), *end, strlen(*end)) == 0) return true;
  return false;
}

/* $NAME or ${name} somewhere inside. */
static bool has_variable(const char *v, size_t n) {
  for (const char *at = v; (at = memchr(at, '$', n - (size_t)(at - v))); at++) {
    size_t left = n - (size_t)(at - v), i = 1;
    while (i < left && (is_upper(at[i]) || at[i] == '_' || at[i] == '{')) i++;
    if (i > 3) return true;
  }
  return false;
}

/* A call, an index, a member: code, where no quotes say that it is a text. */
static bool is_code(const char *v, size_t n) {
  size_t i = 0;
  if (memchr(v, '(', n) || memchr(v, '[', n) || memchr(v, '{', n)) return true;
  if (n > 2 && (memmem(v, n, "->", 2) || memmem(v, n, "::", 2) || memmem(v, n, "==", 2))) return true;
  while (i < n && is_name_char(v[i])) i++;
  return i == n && is_letter(v[0]) && memchr(v, '.', n) && look(v, n).digits * 6 < n;
}

/* Long, mixed and without a pattern. */
static bool is_random(const char *v, size_t n, const makeup *m) {
  size_t kinds = (m->lower > 0) + (m->upper > 0) + (m->digits > 0);
  if (n < 10 || m->distinct < 6) return false;
  if (n < 16 && kinds < 3) return false;
  if (!m->digits) return n >= 16 && (m->lower + m->upper) * 5 >= n * 4 && m->bits > 3 && !is_words(v, n);
  if (is_words(v, n)) return false;
  if (is_hex(v, n)) return m->bits > 2.3 && m->digits < n;
  return m->bits > 2.6 && m->turns * 8 >= n;
}

/* A number, a date, a time, a range. */
static bool is_number(const char *v, size_t n) {
  size_t i = 0;
  while (i < n && (is_digit(v[i]) || (v[i] && strchr(".,:-/+ ", v[i])))) i++;
  return i == n;
}

static bool is_password(const char *v, size_t n, const makeup *m, bool quoted) {
  size_t kinds = (m->lower > 0) + (m->upper > 0) + (m->digits > 0) + (m->symbols > 0);
  if (n < 6 || m->distinct < 5) return false;
  if (!m->lower && !m->upper) return m->digits > 0 && n >= 8 && !is_number(v, n);
  if (!m->digits && !m->symbols) return n >= 12 && !is_words(v, n);
  if (is_words(v, n)) return m->digits > 0 && !m->symbols && n >= 7 && quoted && !m->upper;
  return kinds >= 3 || n >= 8;
}

/* By its looks alone. */
static bool looks_secret(const char *v, size_t n, st_secrecy secrecy, bool quoted) {
  makeup m = look(v, n);
  if (m.others) return false;
  if (secrecy == ST_SECRECY_PASSWORD) return is_password(v, n, &m, quoted) || is_random(v, n, &m);
  if (secrecy == ST_SECRECY_TOKEN) return is_random(v, n, &m);
  return n >= 24 && m.lower && m.upper && m.digits && m.bits > 3.5 && !is_hex(v, n) && is_random(v, n, &m);
}

bool st_value_is_secret(const char *v, size_t n, st_secrecy secrecy, bool quoted) {
  if (secrecy == ST_SECRECY_NONE || n < 6) return false;
  if (n > LOOK_MAX) n = LOOK_MAX;
  if (!looks_secret(v, n, secrecy, quoted)) return false;
  if (memmem(v, n, "://", 3) || is_placeholder(v, n) || is_uuid(v, n) || is_path(v, n)) return false;
  return !is_call(v, n) && !is_name(v, n) && !has_variable(v, n) && (quoted || !is_code(v, n));
}

/* ---- Of rules ---- */

bool st_check_not_example(const char *text, size_t length, st_span secret) {
  (void)length;
  return !has_word(text + secret.start, secret.end - secret.start, "example");
}

bool st_check_random(const char *text, size_t length, st_span secret) {
  const char *v = text + secret.start;
  size_t n = secret.end - secret.start;
  makeup m = look(v, n);
  (void)length;
  return is_random(v, n, &m) && !is_uuid(v, n) && !is_path(v, n);
}

bool st_check_credential(const char *text, size_t length, st_span secret) {
  (void)length;
  return st_value_is_secret(text + secret.start, secret.end - secret.start, ST_SECRECY_TOKEN, true);
}

bool st_check_password(const char *text, size_t length, st_span secret) {
  (void)length;
  return st_value_is_secret(text + secret.start, secret.end - secret.start, ST_SECRECY_PASSWORD, true);
}

/* The value of a base64 digit of either alphabet, or -1. */
static int base64_digit(char c) {
  if (is_upper(c)) return c - 'A';
  if (is_lower(c)) return c - 'a' + 26;
  if (is_digit(c)) return c - '0' + 52;
  return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* As much as fits; answers its length, 0 if it is not base64. */
static size_t decode(const char *from, size_t length, char *out, size_t room) {
  uint32_t bits = 0;
  int have = 0;
  size_t used = 0;
  for (size_t i = 0; i < length && from[i] != '='; i++) {
    int digit = base64_digit(from[i]);
    if (digit < 0) return 0;
    bits = (bits << 6 | (uint32_t)digit) & 0xFFFFFF;
    have += 6;
    if (have < 8) continue;
    have -= 8;
    if (used == room) return used;
    out[used++] = (char)(bits >> have);
  }
  return used;
}

/* name:password, in base64. */
bool st_check_basic(const char *text, size_t length, st_span secret) {
  char plain[400];
  size_t n = decode(text + secret.start, secret.end - secret.start, plain, sizeof plain);
  (void)length;
  const char *colon = n ? memchr(plain, ':', n) : NULL;
  if (!colon || colon == plain) return false;
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)plain[i] < 0x20 || (unsigned char)plain[i] >= 0x7F) return false;
  return colon + 1 < plain + n;
}

/* Does the word stand before this, on the same line and not far away? */
static bool follows(const char *text, size_t at, const char *word, size_t most) {
  size_t start = at > most ? at - most : 0;
  const char *line = at > start ? memrchr(text + start, '\n', at - start) : NULL;
  if (line) start = (size_t)(line - text);
  return has_word(text + start, at - start, word);
}

bool st_check_cookie(const char *text, size_t length, st_span secret) {
  return follows(text, secret.start, "cookie", 1000) && st_check_random(text, length, secret);
}

bool st_check_curl_user(const char *text, size_t length, st_span secret) {
  return follows(text, secret.start, "curl", 300) && st_check_password(text, length, secret);
}

/* In a URL the place says it all: only what is plainly none is left. */
bool st_check_url_password(const char *text, size_t length, st_span secret) {
  static const char *const common[] = {"postgres", "root", "admin", "user",  "guest", "mysql",
                                       "pass",     "pwd",  "test",  "redis", NULL};
  const char *v = text + secret.start;
  size_t n = secret.end - secret.start, name = 0;
  for (const char *const *word = common; *word; word++)
    if (strlen(*word) == n && strncasecmp(v, *word, n) == 0) return false;
  while (name < n && secret.start > name + 1 && v[-2 - (ptrdiff_t)name] != '/') name++;
  if (name == n && memcmp(v - 1 - n, v, n) == 0) return false; /* the name again */
  if (memchr(v, '{', n) || memchr(v, '$', n) || memchr(v, '(', n)) return false;
  if (length - secret.end > 8 && strncasecmp(v + n, "@example", 8) == 0) return false;
  return !is_placeholder(v, n);
}

bool st_check_jwt(const char *text, size_t length, st_span secret) {
  char head[600];
  const char *from = text + secret.start, *point = memchr(from, '.', secret.end - secret.start);
  (void)length;
  if (!point) return false;
  size_t n = decode(from, (size_t)(point - from), head, sizeof head);
  return n > 4 && head[0] == '{' &&
         (has_word(head, n, "\"alg\"") || has_word(head, n, "\"typ\"") || has_word(head, n, "\"enc\""));
}

/* ---- Private keys ---- */

#define KEY_MAX 65536
#define KEY_LEAST 40

static const char DASHES[] = "-----";

static const char *find_dashes(const char *from, const char *end) {
  return from < end ? memmem(from, (size_t)(end - from), DASHES, 5) : NULL;
}

/* How far the body of a key goes that has no end: base64, and what breaks it into lines. */
static const char *body_end(const char *from, const char *end) {
  while (from < end && (base64_digit(*from) >= 0 || strchr("= \t\r\n\\", *from))) {
    if (*from == '\0') break;
    from++;
  }
  return from;
}

/* Is there a run of base64 long enough to be a key?  Lines may be broken by anything short. */
static bool has_body(const char *from, const char *end) {
  size_t run = 0;
  for (; from < end; from++) {
    bool broken = *from == '\\' && end - from > 1 && strchr("nr", from[1]);
    if (base64_digit(*from) >= 0) run++;
    else if (broken) from++;
    else if (*from != '\n' && *from != '\r') run = 0;
    if (run >= KEY_LEAST) return true;
  }
  return false;
}

/* From -----BEGIN ... PRIVATE KEY----- to its end, or as far as the key goes. */
bool st_find_private_key(const char *text, size_t length, size_t at, size_t after, st_span *secret) {
  const char *end = text + (length - at > KEY_MAX ? at + KEY_MAX : length);
  const char *head = find_dashes(text + after, text + (length - after > 60 ? after + 60 : length));
  if (!head || !memmem(text + after, (size_t)(head - text) - after, "PRIVATE KEY", 11)) return false;
  const char *body = head + 5, *foot = find_dashes(body, end);
  while (foot && end - foot > 5 && foot[5] == '-') foot++; /* of a rule of dashes the last five */
  if (!has_body(body, foot ? foot : end)) return false;
  const char *close = foot && end - foot > 9 && memcmp(foot + 5, "END ", 4) == 0
                          ? find_dashes(foot + 9, foot + 70 < end ? foot + 70 : end)
                          : NULL;
  *secret = (st_span){at, (size_t)((close ? close + 5 : foot ? foot : body_end(body, end)) - text)};
  return true;
}

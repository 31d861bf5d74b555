/* redact_name.c - what a name says of its value.  See redact_check.h. */
#include <string.h>

#include "capture/redact_check.h"

#define WORDS_MAX 12
#define WORD_MAX 24

typedef struct words {
  char word[WORDS_MAX][WORD_MAX + 1]; /* in lower case */
  int count;
} words;

static const char *const PASSWORDS[] = {"password", "passwd", "pwd", "passphrase", "passcode", "pass", "pw", NULL};
static const char *const SECRETS[] = {"secret",        "secrets",       "token",      "apikey",      "authkey",
                                      "accesskey",     "secretkey",     "privatekey", "accountkey",  "signingkey",
                                      "encryptionkey", "masterkey",     "credential", "credentials", "creds",
                                      "auth",          "authorization", "jwt",        "bearer",      NULL};
/* A key of one of these is a secret. */
static const char *const KEYS_OF[] = {
    "api",         "access",  "secret",  "private",    "auth",         "account", "encryption", "encrypt",
    "signing",     "sign",    "master",  "client",     "storage",      "shared",  "service",    "app",
    "application", "deploy",  "ssh",     "webhook",    "hmac",         "aes",     "rsa",        "crypto",
    "session",     "admin",   "root",    "consumer",   "subscription", "license", "stripe",     "openai",
    "anthropic",   "aws",     "azure",   "google",     "gcp",          "github",  "gitlab",     "sendgrid",
    "twilio",      "mailgun", "datadog", "cloudflare", "heroku",       NULL};
/* What these words are about is told, not kept. */
static const char *const ABOUT[] = {
    "public", "pub", "id", "ids", "name", "names", "count", "counts", "max", "min", "limit", "len", "length", "size",
    "type", "kind", "url", "uri", "path", "file", "files", "filename", "dir", "expiry", "expires", "expired",
    "expiration", "ttl", "age", "header", "headers", "prefix", "suffix", "format", "regex", "pattern", "field", "param",
    "params", "hint", "policy", "input", "output", "budget", "usage", "used", "total", "prompt", "completion", "hash",
    "arn", "ref", "env", "endpoint", "provider", "method", "class", "error", "message", "label", "placeholder", "index",
    "idx", "version", "mode", "status", "enabled", "required", "valid", "rules", "strength", "manager", "store",
    "algorithm", "alg", "issuer", "audience", "scope", "scopes", "eos", "bos", "pad", "unk", "mask", "tokens", "oldpwd",
    "fingerprint", "time", "date", "at", "sha", "checksum", "digest", NULL};

static bool among(const char *word, const char *const *list) {
  for (; *list; list++)
    if (word[0] == (*list)[0] && strcmp(word, *list) == 0) return true;
  return false;
}

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* snake_case, kebab-case, camelCase and HTTPServer. */
static void split(const char *name, size_t length, words *out) {
  size_t used = 0;
  out->count = 0;
  for (size_t i = 0; i < length && out->count < WORDS_MAX; i++) {
    char c = name[i];
    bool letter = is_upper(c) || is_lower(c) || is_digit(c);
    bool begins = letter && used && is_upper(c) &&
                  (!is_upper(name[i - 1]) || (i + 1 < length && is_lower(name[i + 1])));
    if (used && (!letter || begins)) {
      out->word[out->count++][used] = '\0';
      used = 0;
      if (out->count == WORDS_MAX) return;
    }
    if (letter && used < WORD_MAX) out->word[out->count][used++] = is_upper(c) ? (char)(c + 32) : c;
  }
  if (used) out->word[out->count++][used] = '\0';
}

/* Digits at the end of a word are a number: password2. */
static void strip_number(char *word) {
  size_t length = strlen(word);
  while (length > 1 && is_digit(word[length - 1])) word[--length] = '\0';
}

static bool ends_in(const char *word, const char *end) {
  size_t length = strlen(word), size = strlen(end);
  return length > size && strcmp(word + length - size, end) == 0;
}

static st_secrecy word_secrecy(const words *all, int i) {
  const char *word = all->word[i];
  if (among(word, PASSWORDS) || ends_in(word, "password") || ends_in(word, "passwd") || ends_in(word, "passphrase") ||
      ends_in(word, "pwd") || ends_in(word, "passwort"))
    return ST_SECRECY_PASSWORD;
  if (among(word, SECRETS) || ends_in(word, "token") || ends_in(word, "secret") || ends_in(word, "apikey"))
    return ST_SECRECY_TOKEN;
  if (strcmp(word, "key") != 0 || i == 0) return ST_SECRECY_NONE;
  return among(all->word[i - 1], KEYS_OF) ? ST_SECRECY_TOKEN : ST_SECRECY_KEY;
}

st_secrecy st_name_secrecy(const char *name, size_t length) {
  words all;
  st_secrecy most = ST_SECRECY_NONE;
  split(name, length, &all);
  for (int i = 0; i < all.count; i++) {
    strip_number(all.word[i]);
    if (among(all.word[i], ABOUT)) return ST_SECRECY_NONE;
    st_secrecy one = word_secrecy(&all, i);
    if (one > most) most = one;
  }
  return most;
}

/* redact_check.h - is this a secret?  What a pattern alone cannot tell. */
#ifndef ST_REDACT_CHECK_H
#define ST_REDACT_CHECK_H

#include "capture/redact_rules.h"

/* How much the place where a value stands says about it, and so how much the value itself must show. */
typedef enum st_secrecy {
  ST_SECRECY_NONE,   /* nothing */
  ST_SECRECY_KEY,    /* a key of some kind: it must be long and random */
  ST_SECRECY_TOKEN,  /* a secret, a token, the key of an API: it must look random */
  ST_SECRECY_PASSWORD /* a password: anything that is not a word, a variable or a placeholder */
} st_secrecy;

/* What a name says of its value: "db_password", "githubToken", "MAX_TOKENS". */
st_secrecy st_name_secrecy(const char *name, size_t length);

/* Is it a secret, where its place says so much?  quoted: it stood in quotes, and so is no code. */
bool st_value_is_secret(const char *value, size_t length, st_secrecy secrecy, bool quoted);

/* For rules: see st_rule.check and st_rule.find. */
bool st_check_not_example(const char *text, size_t length, st_span secret);
bool st_check_random(const char *text, size_t length, st_span secret);
bool st_check_credential(const char *text, size_t length, st_span secret);
bool st_check_password(const char *text, size_t length, st_span secret);
bool st_check_basic(const char *text, size_t length, st_span secret);
bool st_check_cookie(const char *text, size_t length, st_span secret);
bool st_check_url_password(const char *text, size_t length, st_span secret);
bool st_check_curl_user(const char *text, size_t length, st_span secret);
bool st_check_jwt(const char *text, size_t length, st_span secret);
bool st_find_private_key(const char *text, size_t length, size_t at, size_t after, st_span *secret);

#endif

/* home.c - see home.h. */
#include "home.h"

#include <stdlib.h>
#include <unistd.h>

#include "input.h"
#include "text.h"

#define RULES_MAX ((size_t)1 << 20)
#define VAULT_KEYS "VAULT_MASTER_KEY" /* in the environment only: neither a file nor a command line keeps a secret */

/* The user's rules of redaction: of the file that was named, else of the home, if it has any. */
static char *redaction_rules(cli *c, int *status) {
  const options *o = &c->options;
  char *path = o->redact ? text_format("%s", o->redact) : o->home ? text_format("%s/redact.toml", o->home) : NULL;
  bool there = path && (o->redact || access(path, F_OK) == 0);
  char *rules = there ? input_read(&c->out, path, RULES_MAX, status) : NULL;
  free(path);
  return rules;
}

/* The value of the variable that a key names; a file does not keep a secret. */
static const char *secret_of(const settings *s, const char *key) {
  const char *variable = settings_text(s, key), *secret = variable && *variable ? getenv(variable) : NULL;
  return secret && *secret ? secret : NULL;
}

static int number_of(const settings *s, const char *key) { return (int)settings_get(s, key)->number; }

static stele_embedding embedding_of(const settings *s) {
  int64_t rate = settings_get(s, "embed.rate")->number;
  return (stele_embedding){
      .size = sizeof(stele_embedding),
      .model = settings_text(s, "embed.model"),
      .endpoint = settings_text(s, "embed.endpoint"),
      .endpoint_model = settings_text(s, "embed.endpoint_model"),
      .key = secret_of(s, "embed.key_env"),
      .timeout_ms = number_of(s, "embed.timeout"),
      .batch = number_of(s, "embed.batch"),
      .rate = rate ? (double)rate : -1,
  };
}

static stele_chat chat_of(const settings *s) {
  int retries = number_of(s, "chat.retries");
  return (stele_chat){
      .size = sizeof(stele_chat),
      .endpoint = settings_text(s, "chat.endpoint"),
      .model = settings_text(s, "chat.model"),
      .key = secret_of(s, "chat.key_env"),
      .timeout_ms = number_of(s, "chat.timeout"),
      .connect_timeout_ms = number_of(s, "chat.connect_timeout"),
      .retries = retries ? retries : -1,
      .prompt_tokens = number_of(s, "chat.prompt_tokens"),
      .answer_tokens = number_of(s, "chat.answer_tokens"),
      .prompt_price = (double)settings_get(s, "chat.prompt_price")->number / 1e6,
      .answer_price = (double)settings_get(s, "chat.answer_price")->number / 1e6,
  };
}

int home_of(cli *c, home *out) {
  const options *o = &c->options;
  const char *keys = getenv(VAULT_KEYS);
  int status = 0;
  out->rules = redaction_rules(c, &status);
  out->embedding = embedding_of(&c->settings);
  out->chat = chat_of(&c->settings);
  out->options = (stele_options){
      .size = sizeof out->options,
      .home = o->home,
      .database = o->database,
      .places = o->places,
      .nplaces = o->nplaces,
      .flags = o->flags,
      .wait_ms = o->wait_ms,
      .redaction = out->rules,
      .vault_keys = keys && *keys ? keys : NULL,
      .embedding = &out->embedding,
      .chat = &out->chat,
  };
  return status;
}

void home_free(home *h) {
  free(h->rules);
}

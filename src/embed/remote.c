/* remote.c - see remote.h. */
#include "embed/remote.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/chars.h"
#include "base/json.h"
#include "base/vector.h"
#include "embed/model.h"
#include "embed/remote_reply.h"
#include "http/endpoint.h"

#define TIMEOUT_MS 30000
#define BATCH 64
#define BATCH_MAX 2048
#define BATCH_BYTES ((size_t)1 << 20)
#define NUMBER_BYTES 26   /* of one number in a reply, at most about */

struct st_remote {
  pthread_mutex_t mutex; /* one request at a time */
  st_endpoint *endpoint;
  char *model;
  size_t batch;
  atomic_size_t dimension; /* 0: not known yet */
  const atomic_bool *interrupted;
};

/* ---- Opening ---- */

static bool is_stopped(void *user) {
  const st_remote *r = user;
  return r->interrupted && atomic_load_explicit(r->interrupted, memory_order_relaxed);
}

static bool prepare(st_remote *r, const st_embed_config *config, st_problem *problem) {
  const st_endpoint_config endpoint = {.setting = "embed.endpoint",
                                       .address = config->endpoint,
                                       .path = "/embeddings",
                                       .key = config->key,
                                       .timeout_ms = config->timeout_ms > 0 ? config->timeout_ms : TIMEOUT_MS};
  r->model = st_strdup(config->endpoint_model ? config->endpoint_model : "");
  r->interrupted = config->interrupted;
  r->batch = config->batch > 0 && config->batch <= BATCH_MAX ? (size_t)config->batch : BATCH;
  if (!r->model) return st_problem_nomem(problem);
  if (!r->model[0]) return st_problem_say(problem, "embed.endpoint_model must say which model the endpoint shall use");
  r->endpoint = st_endpoint_open(&endpoint, problem);
  if (r->endpoint) st_endpoint_for(r->endpoint, &(st_endpoint_waiting){.stopped = is_stopped, .user = r});
  return r->endpoint != NULL;
}

st_remote *st_remote_open(const st_embed_config *config, st_problem *problem) {
  st_remote *r = st_alloc_zero(sizeof *r);
  if (!r) st_problem_nomem(problem);
  if (!r) return NULL;
  pthread_mutex_init(&r->mutex, NULL);
  if (prepare(r, config, problem)) return r;
  st_remote_close(r);
  return NULL;
}

void st_remote_close(st_remote *r) {
  if (!r) return;
  st_endpoint_close(r->endpoint);
  st_free(r->model);
  pthread_mutex_destroy(&r->mutex);
  st_free(r);
}

const char *st_remote_model(const st_remote *r) { return r->model; }
size_t st_remote_dimension(const st_remote *r) { return r->dimension; }

/* ---- Texts ---- */

typedef struct asking {
  st_remote *r;
  const char *const *texts;
  const size_t *lengths;
  size_t count;
  float **out;
  st_problem *problem;
  size_t *sent; /* of a batch: the numbers of its texts */
  size_t batch; /* how many they are */
} asking;

/* What of a text is sent: whole characters. */
static size_t sent_length(const char *text, size_t length) {
  if (length <= ST_REMOTE_TEXT_MAX) return length;
  length = ST_REMOTE_TEXT_MAX;
  while (length && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
  return length;
}

/* Endpoints refuse a text in which there is nothing. */
static bool says_something(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] >= 0x80 || st_char_kind_of((unsigned char)text[i]) != ST_CHAR_SPACE) return true;
  return false;
}

/* The next texts that go together; where the rest begins. */
static size_t gather(asking *a, size_t from) {
  size_t bytes = 0;
  a->batch = 0;
  for (; from < a->count && a->batch < a->r->batch && bytes < BATCH_BYTES; from++) {
    if (!says_something(a->texts[from], a->lengths[from])) continue;
    a->sent[a->batch++] = from;
    bytes += a->lengths[from];
  }
  return from;
}

static char *body_of(const asking *a, size_t *length) {
  st_str body;
  st_str_init(&body, (size_t)64 << 20);
  st_str_addz(&body, "{\"model\":");
  st_json_add_string(&body, a->r->model, strlen(a->r->model));
  for (size_t i = 0; i < a->batch; i++) {
    const char *text = a->texts[a->sent[i]];
    st_str_addz(&body, i ? "," : ",\"input\":[");
    st_json_add_string(&body, text, sent_length(text, a->lengths[a->sent[i]]));
  }
  st_str_addz(&body, "]}");
  *length = body.length;
  return st_str_take(&body);
}

/* ---- Vectors ---- */

static bool make_room(asking *a) {
  if (!*a->out) *a->out = st_alloc_zero((a->count * a->r->dimension + 1) * sizeof **a->out);
  return *a->out || st_problem_nomem(a->problem);
}

static bool on_vector(void *to, size_t index, const float *numbers, size_t count) {
  asking *a = to;
  if (!a->r->dimension) a->r->dimension = count;
  if (a->r->dimension != count)
    return st_problem_say(a->problem, "the endpoint answered with a vector of %zu numbers, and before with one of %zu", count, a->r->dimension);
  if (!make_room(a)) return false;
  float *vector = *a->out + a->sent[index] * count;
  memcpy(vector, numbers, count * sizeof *vector);
  st_model_normalise(vector, count);
  return true;
}

static bool embed_batch(asking *a) {
  st_http_reply reply = {0};
  st_problem what = {0};
  size_t length;
  char *body = body_of(a, &length);
  bool good = body ? st_endpoint_ask(a->r->endpoint, NULL, (st_text){body, length}, (a->batch + 1) * ST_VECTOR_MAX * NUMBER_BYTES, &reply,
                                     a->problem) == ST_ENDPOINT_ANSWERED
                   : st_problem_nomem(a->problem);
  if (good && !st_remote_read((st_text){reply.body, reply.length}, a->batch, on_vector, a, &what))
    good = st_problem_say(a->problem, "the endpoint cannot be used: %s", what.text);
  st_http_reply_free(&reply);
  st_free(body);
  return good;
}

static bool embed_all(asking *a) {
  if (*a->out) memset(*a->out, 0, a->count * a->r->dimension * sizeof **a->out);
  for (size_t at = 0; at < a->count;) {
    at = gather(a, at);
    if (a->batch && !embed_batch(a)) return false;
  }
  return *a->out || !a->r->dimension || make_room(a);
}

bool st_remote_embed(st_remote *r, const char *const *texts, const size_t *lengths, size_t count, float **out, st_problem *problem) {
  asking a = {.r = r, .texts = texts, .lengths = lengths, .count = count, .out = out, .problem = problem};
  a.sent = st_alloc(r->batch * sizeof *a.sent);
  if (!a.sent) return st_problem_nomem(problem);
  bool theirs = *out != NULL;
  pthread_mutex_lock(&r->mutex);
  bool good = embed_all(&a);
  pthread_mutex_unlock(&r->mutex);
  st_free(a.sent);
  if (good || theirs) return good;
  st_free(*out);
  *out = NULL;
  return false;
}

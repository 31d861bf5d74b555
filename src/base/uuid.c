/* uuid.c - identifiers of RFC 9562, versions 4, 5 and 7. */
#include "base/uuid.h"

#include <errno.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/types.h>

#include "base/time.h"

#define RANDOM_A_BITS 12
#define RANDOM_B_BITS 62

/* What version 7 carries: 48 bits of milliseconds, then 12 and 62 bits that begin at random. */
typedef struct stamp {
  uint64_t millis;
  uint64_t a;
  uint64_t b;
} stamp;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static stamp last; /* the newest one given out; under the lock */

static bool fill_random(void *out, size_t size) {
  unsigned char *at = out;
  while (size > 0) {
    ssize_t got = getrandom(at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}

/* The bytes of the digits in a text, half of them. */
static uint64_t read_half(const char **at) {
  uint64_t half = 0;
  for (int digits = 0; digits < 16; (*at)++) {
    char c = **at;
    if (c == '-') continue;
    half = half << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    digits++;
  }
  return half;
}

/* The 128 bits as text, with the version and the variant put in their places. */
static void put_uuid(uint64_t high, uint64_t low, unsigned version, char out[ST_UUID_SIZE]) {
  static const char digits[] = "0123456789abcdef";
  high = (high & ~(uint64_t)0xF000) | ((uint64_t)version << 12);
  low = (low >> 2) | ((uint64_t)1 << 63);
  char *at = out;
  for (int i = 0; i < 32; i++) {
    uint64_t half = i < 16 ? high : low;
    if (i == 8 || i == 12 || i == 16 || i == 20) *at++ = '-';
    *at++ = digits[(half >> (60 - 4 * (i % 16))) & 15];
  }
  *at = '\0';
}

bool st_uuid_v4(char out[ST_UUID_SIZE]) {
  uint64_t random[2];
  if (!fill_random(random, sizeof random)) return false;
  put_uuid(random[0], random[1], 4, out);
  return true;
}

/* The stamp after this one by a random step, so that the next cannot be guessed. */
static void advance(stamp *s, uint64_t random) {
  s->b += 1 + (random & UINT32_MAX);
  s->a += s->b >> RANDOM_B_BITS;
  s->b &= ((uint64_t)1 << RANDOM_B_BITS) - 1;
  s->millis += s->a >> RANDOM_A_BITS;
  s->a &= ((uint64_t)1 << RANDOM_A_BITS) - 1;
}

bool st_uuid_v7(char out[ST_UUID_SIZE]) {
  uint64_t random[2];
  if (!fill_random(random, sizeof random)) return false;
  pthread_mutex_lock(&lock);
  /* Read under the lock, or a thread that waited would bring an older time. */
  st_micros clock = st_time_now();
  uint64_t now = clock > 0 ? (uint64_t)clock / 1000 : 0;
  if (now > last.millis) {
    last.millis = now;
    last.a = random[0] >> (64 - RANDOM_A_BITS);
    last.b = random[1] >> (64 - RANDOM_B_BITS);
  } else { /* the same millisecond, or the clock was set back */
    advance(&last, random[0]);
  }
  stamp mine = last;
  pthread_mutex_unlock(&lock);
  put_uuid(mine.millis << 16 | mine.a, mine.b << 2, 7, out);
  return true;
}

static bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static void put_big_endian(unsigned char *to, uint64_t half) {
  for (int i = 0; i < 8; i++) to[i] = (unsigned char)(half >> (56 - 8 * i));
}

static uint64_t get_big_endian(const unsigned char *from) {
  uint64_t half = 0;
  for (int i = 0; i < 8; i++) half = half << 8 | from[i];
  return half;
}

bool st_uuid_v5(const char *space, const char *name, size_t length, char out[ST_UUID_SIZE]) {
  unsigned char bytes[16], digest[EVP_MAX_MD_SIZE];
  EVP_MD_CTX *hash = EVP_MD_CTX_new();
  put_big_endian(bytes, read_half(&space));
  put_big_endian(bytes + 8, read_half(&space));
  bool good = hash && EVP_DigestInit_ex(hash, EVP_sha1(), NULL) == 1 && EVP_DigestUpdate(hash, bytes, sizeof bytes) == 1 &&
              EVP_DigestUpdate(hash, name, length) == 1 && EVP_DigestFinal_ex(hash, digest, NULL) == 1;
  EVP_MD_CTX_free(hash);
  if (good) put_uuid(get_big_endian(digest), get_big_endian(digest + 8) << 2, 5, out);
  return good;
}

bool st_uuid_valid(const char *text, size_t length) {
  if (length != ST_UUID_SIZE - 1) return false;
  for (size_t i = 0; i < length; i++) {
    bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

/* fernet.c - see fernet.h. */
#include "base/fernet.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <sys/random.h>

#include "base/base64.h"
#include "base/time.h"

#define VERSION 0x80
#define HALF (ST_FERNET_KEY / 2) /* the first half of a key signs, the second encrypts */
#define BLOCK 16
#define TIME_AT 1
#define IV_AT (TIME_AT + 8)
#define BODY_AT (IV_AT + ST_FERNET_IV)
#define MAC 32
#define TEXT_MAX ((size_t)64 << 20) /* so that no sum of lengths below overflows */

static bool random_bytes(void *out, size_t size) {
  return getrandom(out, size, 0) == (ssize_t)size; /* up to 256 bytes come at once, or not at all */
}

/* ---- Keys ---- */

size_t st_fernet_keys_read(st_fernet_keys *keys, const char *text) {
  static const char between[] = ", \t\r\n";
  *keys = (st_fernet_keys){0};
  for (text += strspn(text, between); *text; text += strspn(text, between)) {
    unsigned char key[ST_FERNET_KEY + 1]; /* the padding makes it one less than base64 could hold */
    size_t written = strcspn(text, between), length = 0;
    bool good = keys->count < ST_FERNET_KEYS && written == ST_FERNET_KEY_TEXT - 1 &&
                st_base64url_read(key, text, written, &length) && length == ST_FERNET_KEY;
    if (good) memcpy(keys->keys[keys->count++], key, ST_FERNET_KEY);
    OPENSSL_cleanse(key, sizeof key);
    if (!good) {
      size_t wrong = keys->count + 1;
      st_fernet_keys_wipe(keys);
      return wrong;
    }
    text += written;
  }
  return keys->count == 0; /* nothing at all: the first is missing */
}

void st_fernet_keys_wipe(st_fernet_keys *keys) {
  OPENSSL_cleanse(keys, sizeof *keys);
}

bool st_fernet_key_new(char out[ST_FERNET_KEY_TEXT]) {
  unsigned char key[ST_FERNET_KEY];
  bool good = random_bytes(key, sizeof key);
  if (good) st_base64url_write(out, key, sizeof key);
  OPENSSL_cleanse(key, sizeof key);
  return good;
}

/* ---- The parts of a token ---- */

static bool sign(const unsigned char *key, const unsigned char *bytes, size_t length, unsigned char mac[MAC]) {
  return HMAC(EVP_sha256(), key, HALF, bytes, length, mac, NULL) != NULL;
}

/* The body: encrypt it, or decrypt it.  out has room for a block more than the input.  False: *refused tells whether
** that is the padding's fault. */
static bool run_cipher(bool encrypt, const unsigned char *key, const unsigned char *iv, const unsigned char *in,
                       size_t length, unsigned char *out, size_t *out_length, bool *refused) {
  int first = 0, last = 0;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  bool good = context && EVP_CipherInit_ex(context, EVP_aes_128_cbc(), NULL, key + HALF, iv, encrypt) == 1 &&
              EVP_CipherUpdate(context, out, &first, in, (int)length) == 1;
  *refused = good && EVP_CipherFinal_ex(context, out + first, &last) != 1;
  EVP_CIPHER_CTX_free(context); /* wipes it */
  *out_length = (size_t)first + (size_t)last;
  return good && !*refused;
}

static void put_seconds(unsigned char out[8], uint64_t seconds) {
  for (int i = 0; i < 8; i++) out[i] = (unsigned char)(seconds >> (56 - 8 * i));
}

static uint64_t get_seconds(const unsigned char in[8]) {
  uint64_t seconds = 0;
  for (int i = 0; i < 8; i++) seconds = seconds << 8 | in[i];
  return seconds;
}

/* ---- Both ways ---- */

static bool stamp_now(st_fernet_stamp *stamp) {
  stamp->seconds = (uint64_t)(st_time_now() / 1000000);
  return random_bytes(stamp->iv, sizeof stamp->iv);
}

st_fernet_status st_fernet_encrypt(const st_fernet_keys *keys, st_arena *arena, const void *bytes, size_t length,
                                   const st_fernet_stamp *stamp, char **token) {
  st_fernet_stamp own;
  size_t body = 0;
  bool refused;
  if (length > TEXT_MAX || (!stamp && !stamp_now(&own))) return ST_FERNET_FAILED;
  if (!stamp) stamp = &own;
  unsigned char *raw = st_arena_alloc(arena, BODY_AT + length + BLOCK + MAC);
  if (!raw) return ST_FERNET_FAILED;
  raw[0] = VERSION;
  put_seconds(raw + TIME_AT, stamp->seconds);
  memcpy(raw + IV_AT, stamp->iv, ST_FERNET_IV);
  if (!run_cipher(true, keys->keys[0], stamp->iv, bytes, length, raw + BODY_AT, &body, &refused) ||
      !sign(keys->keys[0], raw, BODY_AT + body, raw + BODY_AT + body))
    return ST_FERNET_FAILED;
  size_t whole = BODY_AT + body + MAC;
  *token = st_arena_alloc(arena, (whole + 2) / 3 * 4 + 1);
  if (!*token) return ST_FERNET_FAILED;
  st_base64url_write(*token, raw, whole);
  return ST_FERNET_DONE;
}

/* The key that signed, or the count of keys.  All are tried, so that the time taken does not tell which it was. */
static st_fernet_status find_key(const st_fernet_keys *keys, const unsigned char *raw, size_t length, size_t *found) {
  *found = keys->count;
  for (size_t i = keys->count; i-- > 0;) {
    unsigned char mac[MAC];
    if (!sign(keys->keys[i], raw, length - MAC, mac)) return ST_FERNET_FAILED;
    if (CRYPTO_memcmp(mac, raw + length - MAC, MAC) == 0) *found = i;
  }
  return *found < keys->count ? ST_FERNET_DONE : ST_FERNET_REFUSED;
}

st_fernet_status st_fernet_decrypt(const st_fernet_keys *keys, st_arena *arena, const char *token, size_t length,
                                   st_fernet_text *out) {
  size_t whole = 0;
  bool bad = false;
  if (length > 2 * TEXT_MAX) return ST_FERNET_REFUSED;
  unsigned char *raw = st_arena_alloc(arena, length / 4 * 3);
  if (!raw) return ST_FERNET_FAILED;
  if (!st_base64url_read(raw, token, length, &whole)) return ST_FERNET_REFUSED;
  if (whole < BODY_AT + BLOCK + MAC || raw[0] != VERSION) return ST_FERNET_REFUSED;
  size_t body = whole - BODY_AT - MAC;
  if (body % BLOCK != 0) return ST_FERNET_REFUSED;
  st_fernet_status status = find_key(keys, raw, whole, &out->key);
  if (status != ST_FERNET_DONE) return status;
  out->bytes = st_arena_alloc(arena, body + BLOCK + 1);
  if (!out->bytes) return ST_FERNET_FAILED;
  if (!run_cipher(false, keys->keys[out->key], raw + IV_AT, raw + BODY_AT, body, (unsigned char *)out->bytes,
                  &out->length, &bad))
    return bad ? ST_FERNET_REFUSED : ST_FERNET_FAILED;
  out->bytes[out->length] = '\0';
  out->seconds = get_seconds(raw + TIME_AT);
  return ST_FERNET_DONE;
}

/* fernet.h - Fernet tokens: a text that only the holders of a key can read, or make.
**
** A token is URL-safe base64 of: the version 0x80, the seconds since 1970 (64 bits, big-endian), an IV of 16
** bytes, the text in AES-128-CBC with PKCS #7 padding, and HMAC-SHA256 of all that.  A key is 32 bytes, 16 to sign
** and 16 to encrypt, in URL-safe base64 too.  There may be several: the first encrypts, any decrypts, so that keys
** can be exchanged without a moment in which something cannot be read. */
#ifndef ST_FERNET_H
#define ST_FERNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define ST_FERNET_KEYS 16 /* at most */
#define ST_FERNET_KEY 32  /* bytes of a key */
#define ST_FERNET_IV 16
#define ST_FERNET_KEY_TEXT 45 /* of a key as a text, with its NUL */

typedef struct st_fernet_keys {
  size_t count;
  unsigned char keys[ST_FERNET_KEYS][ST_FERNET_KEY];
} st_fernet_keys;

/* Read keys, with commas or white space between them.  0: they were read, and there is at least one.  Otherwise the
** number of the one that is wrong, from 1 (one too many counts as wrong); then there are none. */
size_t st_fernet_keys_read(st_fernet_keys *keys, const char *text);
/* Leave nothing of them in memory. */
void st_fernet_keys_wipe(st_fernet_keys *keys);
/* A new key, as a text.  False: the system gives no random bytes. */
bool st_fernet_key_new(char out[ST_FERNET_KEY_TEXT]);

typedef enum st_fernet_status {
  ST_FERNET_DONE,
  ST_FERNET_REFUSED, /* it is no token, or none of these keys made it: which of the two is not told */
  ST_FERNET_FAILED   /* out of memory, or the system gives no random bytes */
} st_fernet_status;

/* When a token is made, and its IV; both are chosen where there is no stamp. */
typedef struct st_fernet_stamp {
  uint64_t seconds;
  unsigned char iv[ST_FERNET_IV];
} st_fernet_stamp;

/* What a token says.  bytes has a NUL behind it. */
typedef struct st_fernet_text {
  char *bytes;
  size_t length;
  uint64_t seconds; /* when the token was made, as it says */
  size_t key;       /* which of the keys made it, from 0 */
} st_fernet_text;

/* A token in the arena's memory.  There must be a key. */
st_fernet_status st_fernet_encrypt(const st_fernet_keys *keys, st_arena *arena, const void *bytes, size_t length,
                                   const st_fernet_stamp *stamp, char **token);
st_fernet_status st_fernet_decrypt(const st_fernet_keys *keys, st_arena *arena, const char *token, size_t length,
                                   st_fernet_text *out);

#endif

/* sha256.c - see sha256.h. */
#include "base/sha256.h"

#include <openssl/evp.h>

#include "base/hex.h"

bool st_sha256_text(const void *bytes, size_t length, char out[ST_SHA256_TEXT]) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  if (EVP_Digest(bytes, length, digest, NULL, EVP_sha256(), NULL) != 1) return false;
  st_hex(out, digest, (ST_SHA256_TEXT - 1) / 2);
  return true;
}

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

void st_sha256_begin(st_sha256 *sum) {
  sum->context = EVP_MD_CTX_new();
  sum->failed = !sum->context || EVP_DigestInit_ex(sum->context, EVP_sha256(), NULL) != 1;
}

void st_sha256_add(st_sha256 *sum, const void *bytes, size_t length) {
  if (!sum->failed) sum->failed = EVP_DigestUpdate(sum->context, bytes, length) != 1;
}

bool st_sha256_end(st_sha256 *sum, char out[ST_SHA256_TEXT]) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  bool good = !sum->failed && EVP_DigestFinal_ex(sum->context, digest, NULL) == 1;
  if (good) st_hex(out, digest, (ST_SHA256_TEXT - 1) / 2);
  EVP_MD_CTX_free(sum->context);
  sum->context = NULL;
  return good;
}

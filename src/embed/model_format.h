/* model_format.h - the file of a static model: which vector each token has.
**
** It is mapped into memory and used as it stands, so numbers are in the order of bytes of the machine that
** made it, and a file from a machine of the other order is refused.  Behind the header, which tells where
** everything is, come four parts:
**
**   rows    of each vector its numbers as int8, padded to a multiple of four bytes, and one float: what a
**           number is to be multiplied with
**   tokens  where the text of each token is, which row is its, and what it weighs
**   slots   a hash table with open addressing: from the text of a token to its number
**   texts   the texts of the tokens, one behind the other
**
** Vectors are what they are to be added up as: the direction that all texts have in common is taken out of
** them when the file is made (component.h), which is the same as taking it out of each sum. */
#ifndef ST_MODEL_FORMAT_H
#define ST_MODEL_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define ST_MODEL_MAGIC "STELEMOD" /* 8 bytes, without a NUL */
#define ST_MODEL_VERSION 1u
#define ST_MODEL_ENDIAN 0x01020304u
#define ST_MODEL_NAME_MAX 127
#define ST_MODEL_DIMENSION_MAX 4096u
#define ST_MODEL_TOKENS_MAX (1u << 27)
#define ST_MODEL_ALIGN 64u /* where parts begin */

/* How a text becomes tokens. */
typedef enum st_model_tokenizer {
  ST_MODEL_WORDS = 1,  /* words.h */
  ST_MODEL_WORDPIECE,  /* wordpiece.h */
} st_model_tokenizer;

/* Flags: what WordPiece does to a text first. */
#define ST_MODEL_CLEAN 1u     /* control characters are left out, white space is a space */
#define ST_MODEL_LOWER 2u     /* lower case */
#define ST_MODEL_ACCENTS 4u   /* accents are taken off */
#define ST_MODEL_IDEOGRAPHS 8u /* each ideograph is a word */
#define ST_MODEL_FLAGS 15u    /* all that there are */

typedef struct st_model_part {
  uint64_t at, size; /* bytes of the file */
} st_model_part;

typedef enum st_model_part_kind { ST_MODEL_ROWS, ST_MODEL_TOKENS, ST_MODEL_SLOTS, ST_MODEL_TEXTS, ST_MODEL_PARTS } st_model_part_kind;

typedef struct st_model_header {
  char magic[8];
  uint32_t version;
  uint32_t endian;
  uint64_t size;     /* of the file */
  uint64_t checksum; /* of what is behind the header */
  uint32_t dimension;
  uint32_t tokenizer;
  uint32_t flags;
  uint32_t rows;
  uint32_t tokens;
  uint32_t slots;      /* a power of two, more than tokens */
  uint32_t token_max;  /* bytes of the longest token */
  uint32_t word_max;   /* of WordPiece: a word of more characters is unknown */
  st_model_part part[ST_MODEL_PARTS];
  char name[ST_MODEL_NAME_MAX + 1]; /* ends in a NUL */
  uint64_t header_checksum;         /* of all that is above */
} st_model_header;

typedef struct st_model_token {
  uint32_t text;   /* where it begins among the texts */
  uint32_t length;
  uint32_t row;
  float weight; /* in a sum; 0: it says nothing */
} st_model_token;

typedef struct st_model_slot {
  uint32_t tag;   /* the upper half of the hash, so that others are seldom looked at */
  uint32_t token; /* its number and one; 0: nothing is here, and the search ends */
} st_model_slot;

static inline size_t st_model_stride(size_t dimension) {
  return ((dimension + 3) & ~(size_t)3) + sizeof(float);
}

static inline uint64_t st_model_hash(const char *text, size_t length) {
  return st_hash64(0, text, length);
}

static inline uint64_t st_model_header_hash(const st_model_header *header) {
  return st_hash64(0, header, offsetof(st_model_header, header_checksum));
}

#endif

/* fuzz_vectors.c - any bytes as vectors, in the forms in which they are kept: JSON, floats, halves, and files of codes, as they come
** and as good ones with some bytes changed.  The first byte chooses which. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/vector.h"
#include "fuzz/target.h"
#include "search/meaning.h"
#include "unit/vectors.h"
#include "vector/codes_file.h"
#include "vector/half.h"
#include "vector/kernel.h"
#include "vector/near.h"

enum { DIMENSION = 24, ROWS = 40, K = 5 };

static const st_codes_kind ours = {.dimension = DIMENSION, .model = 7, .documents = 9};

/* ---- numbers ---- */

static void try_json(const uint8_t *data, size_t size) {
  static float numbers[ST_VECTOR_MAX], again[ST_VECTOR_MAX];
  static char bytes[ST_VECTOR_MAX * ST_VECTOR_BYTES];
  st_str out;
  size_t count = st_vector_parse((const char *)data, size, numbers);
  for (size_t i = 0; i < count; i++) {
    must(isfinite(numbers[i]), "a number that is none");
    st_vector_put(bytes + i * ST_VECTOR_BYTES, numbers[i]);
  }
  if (!count) return;
  st_str_init(&out, 16 << 20);
  st_vector_add(&out, bytes, count);
  must(!out.failed && st_vector_parse(out.text, out.length, again) == count && memcmp(numbers, again, count * sizeof *again) == 0,
       "what is written is read as something else");
  st_str_free(&out);
}

/* What a store holds as a vector, whatever length it says. */
static void try_kept(const uint8_t *data, size_t size) {
  float numbers[DIMENSION];
  st_value value = {.type = ST_BLOB, .bytes = (const char *)data, .length = size};
  if (!st_meaning_numbers(&value, DIMENSION, numbers)) return;
  bool points = false;
  for (size_t i = 0; i < DIMENSION; i++) {
    must(isfinite(numbers[i]), "a number that is none");
    points |= numbers[i] != 0;
  }
  must(points, "a vector without a direction");
}

static void try_halves(const uint8_t *data, size_t size) {
  size_t count = size / ST_HALF_BYTES, kernels;
  const st_kernel *const *all = st_kernels(&kernels);
  float *numbers = malloc((count + 1) * sizeof *numbers), *wide = malloc((count + 1) * sizeof *wide);
  char *bytes = malloc(count * ST_HALF_BYTES + 1);
  must(numbers && wide && bytes, "no memory");
  st_halves_get((const char *)data, count, numbers);
  st_halves_put(numbers, count, bytes);
  for (size_t i = 0; i < count; i++)
    must(isnan(numbers[i]) || memcmp(bytes + 2 * i, data + 2 * i, ST_HALF_BYTES) == 0, "a half is another one");
  for (size_t k = 0; k < kernels; k++) {
    if (!all[k]->usable()) continue;
    all[k]->widen((const char *)data, count, wide);
    for (size_t i = 0; i < count; i++) must(wide[i] == numbers[i] || (isnan(wide[i]) && isnan(numbers[i])), "processors differ");
  }
  free(numbers);
  free(wide);
  free(bytes);
}

/* ---- files of codes ---- */

static const char *codes_path(void) {
  static char path[300];
  snprintf(path, sizeof path, "%s/codes", own_directory());
  return path;
}

static void put_file(const void *bytes, size_t size) {
  FILE *file = fopen(codes_path(), "wb");
  must(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "no file");
}

static bool fetch(void *context, const st_code_row *const *rows, size_t count, float *out, bool *there) {
  (void)context;
  for (size_t i = 0; i < count; i++) {
    there[i] = rows[i]->number >= 1 && rows[i]->number <= ROWS;
    if (there[i]) make_vector((uint64_t)rows[i]->number, DIMENSION, out + i * DIMENSION);
  }
  return true;
}

static st_codes_result search(st_codes *codes) {
  float query[DIMENSION];
  st_near found[K];
  size_t count = 0;
  bool stopped = false;
  make_vector(3, DIMENSION, query);
  st_near_search wanted = {.codes = codes, .query = query, .k = K, .fetch = fetch};
  st_codes_result result = st_near_find(&wanted, found, &count, &stopped);
  must(count <= K && !stopped, "more than was asked for");
  return result;
}

/* Every way a file is used: it is right, or found to be damaged and begun anew, and then takes everything. */
static void use_file(void) {
  st_codes *codes;
  must(st_codes_open(codes_path(), &ours, &codes) == ST_CODES_OK, "a file cannot be opened, nor begun anew");
  if (search(codes) == ST_CODES_DAMAGED) must(st_codes_renew(codes) == ST_CODES_OK, "it is not begun anew");
  st_codes_result result = st_codes_lock(codes);
  if (result == ST_CODES_OK) result = st_codes_kill(codes, 2);
  if (result == ST_CODES_OK) result = st_codes_compact(codes);
  st_codes_unlock(codes);
  if (result == ST_CODES_DAMAGED) must(st_codes_renew(codes) == ST_CODES_OK, "it is not begun anew");
  else must(result == ST_CODES_OK, "the system refused something");
  catch_up(codes, ROWS);
  search(codes);
  must(st_codes_renew(codes) == ST_CODES_OK && catch_up(codes, ROWS) == 0 && holds(codes, ROWS), "a new file is not whole");
  st_codes_close(codes);
  unlink(codes_path());
}

/* Codes of ROWS vectors, in memory. */
static uint8_t *good_file(size_t *size) {
  static uint8_t *bytes;
  static size_t length;
  if (!bytes) {
    st_codes *codes;
    must(st_codes_open(codes_path(), &ours, &codes) == ST_CODES_OK && catch_up(codes, ROWS) == 0, "no codes");
    length = st_codes_bytes(codes->words, ROWS);
    st_codes_close(codes);
    FILE *file = fopen(codes_path(), "rb");
    bytes = malloc(length);
    must(file && bytes && fread(bytes, 1, length, file) == length && fclose(file) == 0, "codes cannot be read");
    unlink(codes_path());
  }
  *size = length;
  return bytes;
}

/* Head and states get checksums that fit, so that what is behind these is reached. */
static void fit_checks(uint8_t *bytes) {
  st_codes_head head;
  memcpy(&head, bytes, sizeof head);
  head.check = st_codes_head_check(&head);
  memcpy(bytes, &head, sizeof head);
  for (int n = 0; n < 2; n++) {
    st_codes_slot slot;
    memcpy(&slot, bytes + ST_CODES_SLOT_AT(n), sizeof slot);
    if (!slot.sequence) continue;
    slot.check = st_codes_slot_check(&slot, head.identity);
    memcpy(bytes + ST_CODES_SLOT_AT(n), &slot, sizeof slot);
  }
}

/* A part of the file that is in use, from where on and how long. */
static size_t part(size_t which, size_t *length) {
  size_t starts[] = {0, st_codes_code_at(1, 0), st_codes_share_at(1, 0), st_codes_row_at(1, 0), st_codes_fine_at(1, 0)};
  size_t lengths[] = {ST_CODES_PAGE, ROWS * sizeof(uint64_t), ROWS * sizeof(float), ROWS * sizeof(st_code_row), ROWS * st_codes_fine_bytes(1)};
  *length = lengths[which];
  return starts[which];
}

/* A good file with some bytes changed: one says in which part, two where, one how; the part behind the last stands for the end, which is
** cut off. */
static void try_changed(const uint8_t *data, size_t size) {
  size_t length, kept;
  const uint8_t *good = good_file(&length);
  uint8_t *copy = malloc(length);
  must(copy != NULL, "no memory");
  memcpy(copy, good, length);
  kept = length;
  for (size_t i = 1; i + 4 <= size; i += 4) {
    size_t which = data[i] % 6, at = (size_t)(data[i + 1] | data[i + 2] << 8), span;
    if (which == 5) {
      kept = length * at / 0x10000;
      continue;
    }
    size_t start = part(which, &span);
    copy[start + at % span] ^= data[i + 3];
  }
  if (size && data[0] & 1) fit_checks(copy);
  put_file(copy, kept);
  free(copy);
  use_file();
}

static void try_file(const uint8_t *data, size_t size) {
  put_file(data, size);
  use_file();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const tries[])(const uint8_t *data, size_t size) = {try_json, try_kept, try_halves, try_file, try_changed};
  if (size < 1) return 0;
  uint8_t *bytes = malloc(size > 1 ? size - 1 : 1); /* of just this size, so that one byte too many is noticed */
  must(bytes != NULL, "no memory");
  memcpy(bytes, data + 1, size - 1);
  tries[data[0] % 5](bytes, size - 1);
  free(bytes);
  return 0;
}

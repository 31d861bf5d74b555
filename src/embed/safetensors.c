/* safetensors.c - see safetensors.h. */
#include "embed/safetensors.h"

#include <math.h>
#include <string.h>

#include "base/json_pull.h"

#define HEADER_MAX ((uint64_t)100 << 20)
#define LENGTH_BYTES 8

static const struct {
  const char *name;
  size_t size;
} TYPES[] = {[ST_TENSOR_F32] = {"F32", 4}, [ST_TENSOR_F64] = {"F64", 8}, [ST_TENSOR_F16] = {"F16", 2}, [ST_TENSOR_BF16] = {"BF16", 2},
             [ST_TENSOR_I8] = {"I8", 1},   [ST_TENSOR_I32] = {"I32", 4}, [ST_TENSOR_I64] = {"I64", 8}};

/* A whole number of so many bytes, the least first. */
static uint64_t read_bits(const unsigned char *at, size_t size) {
  uint64_t bits = 0;
  for (size_t i = 0; i < size; i++) bits |= (uint64_t)at[i] << (8 * i);
  return bits;
}

/* ---- The header ---- */

/* Up to `most` whole numbers that are not negative; how many there are, or SIZE_MAX: that is not what it is. */
static size_t read_list(st_text list, uint64_t *out, size_t most) {
  st_pull walk = st_pull_into(list);
  size_t count = 0;
  if (!st_pull_is_array(list)) return SIZE_MAX;
  while (st_pull_next(&walk)) {
    int64_t number = st_pull_int(walk.value, -1);
    if (number < 0 || count == most) return SIZE_MAX;
    out[count++] = (uint64_t)number;
  }
  return count;
}

static bool read_type(st_text name, st_tensor_type *type) {
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
    if (!st_pull_is(name, TYPES[i].name)) continue;
    *type = (st_tensor_type)i;
    return true;
  }
  return false;
}

/* Does the table, as the header has it, lie in the data, and is it as large as its shape says? */
static bool read_entry(st_text entry, st_text data, const char *name, st_tensor *out, st_problem *problem) {
  st_text type = {0}, shape = {0}, offsets = {0};
  uint64_t sides[2] = {0, 1}, bounds[2] = {0, 0};
  st_pull_pick(entry, (st_pull_want[]){{"dtype", &type}, {"shape", &shape}, {"data_offsets", &offsets}}, 3);
  if (!read_type(type, &out->type)) return st_problem_say(problem, "%s has numbers of a type that is not known here", name);
  size_t count = read_list(shape, sides, 2);
  if (count != 1 && count != 2) return st_problem_say(problem, "%s is neither a list nor a table", name);
  if (read_list(offsets, bounds, 2) != 2 || bounds[0] > bounds[1] || bounds[1] > data.length)
    return st_problem_say(problem, "%s lies outside of the file", name);
  uint64_t room = (bounds[1] - bounds[0]) / TYPES[out->type].size;
  if (!sides[0] || !sides[1] || sides[0] > room / sides[1] || sides[0] * sides[1] * TYPES[out->type].size != bounds[1] - bounds[0])
    return st_problem_say(problem, "%s is not as large as its shape says", name);
  out->rows = (size_t)sides[0];
  out->columns = (size_t)sides[1];
  out->bytes = (const unsigned char *)data.bytes + bounds[0];
  return true;
}

bool st_tensor_find(st_text file, const char *name, st_tensor *out, st_problem *problem) {
  *out = (st_tensor){0};
  uint64_t length = file.length >= LENGTH_BYTES ? read_bits((const unsigned char *)file.bytes, LENGTH_BYTES) : UINT64_MAX;
  if (length > HEADER_MAX || length > file.length - LENGTH_BYTES) return st_problem_say(problem, "it is not a file of safetensors");
  st_text header = {file.bytes + LENGTH_BYTES, (size_t)length};
  st_text data = {header.bytes + length, file.length - LENGTH_BYTES - (size_t)length};
  if (!st_pull_is_object(header) || !st_pull_skip(header.bytes, header.bytes + header.length, NULL))
    return st_problem_say(problem, "it is not a file of safetensors");
  st_text entry = st_pull_get(header, name);
  return !entry.bytes || read_entry(entry, data, name, out, problem);
}

/* ---- Numbers ---- */

static double half(uint64_t bits) {
  int exponent = (int)(bits >> 10 & 31);
  double fraction = (double)(bits & 1023), value;
  if (exponent == 31) value = fraction != 0 ? NAN : INFINITY;
  else value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
  return bits >> 15 & 1 ? -value : value;
}

static double single(uint64_t bits) {
  uint32_t narrow = (uint32_t)bits;
  float value;
  memcpy(&value, &narrow, sizeof value);
  return value;
}

static double twice(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

double st_tensor_number(const st_tensor *tensor, size_t place) {
  size_t size = TYPES[tensor->type].size;
  uint64_t bits = read_bits(tensor->bytes + place * size, size);
  switch (tensor->type) {
    case ST_TENSOR_F32: return single(bits);
    case ST_TENSOR_F64: return twice(bits);
    case ST_TENSOR_F16: return half(bits);
    case ST_TENSOR_BF16: return single(bits << 16);
    case ST_TENSOR_I8: return (double)(int8_t)bits;
    case ST_TENSOR_I32: return (double)(int32_t)bits;
    case ST_TENSOR_I64: return (double)(int64_t)bits;
  }
  return 0;
}

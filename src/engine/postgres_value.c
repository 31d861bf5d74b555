/* postgres_value.c - values on their way to and from libpq.
**
** Results come in text form: PostgreSQL writes the shortest digits that read back as the same
** number, and libpq ends every value in a NUL, as st_value wants it.  Bytes and times need decoding: a time comes
** in the form that SQLite keeps.  Where there are bytes and nothing that would be hard to read, they come in binary form. */
#include "engine/postgres_value.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/time.h"

/* Fixed numbers of built-in types (pg_type.dat); libpq's headers do not carry them. */
enum {
  OID_BOOL = 16,
  OID_BYTEA = 17,
  OID_INT8 = 20,
  OID_INT2 = 21,
  OID_INT4 = 23,
  OID_TEXT = 25,
  OID_OID = 26,
  OID_FLOAT4 = 700,
  OID_FLOAT8 = 701,
  OID_TIMESTAMPTZ = 1184,
  OID_NUMERIC = 1700
};

#define LITERAL_MAX ((size_t)1 << 30) /* PostgreSQL takes no value of 1 GB or more */

static const char *const no_memory = "out of memory";
static const char *const has_nul = "text with a NUL character cannot be kept on PostgreSQL";

/* PostgreSQL's text holds no NUL, and the stores' mark of a content that is JSON begins with one.  So
** a text that begins with NUL is sent with \x01 N in its place, and one that begins with \x01 with
** \x01 S: every text comes back as it was. */
enum { ESCAPE = '\x01', ESCAPED_NUL = 'N', ESCAPED_SELF = 'S' };

/* ---- To libpq ----------------------------------------------------------------------------- */

static bool reserve(st_postgres_params *to, size_t count) {
  if (count <= to->room) return true;
  size_t each = 2 * sizeof(char *) + 2 * sizeof(int) + ST_REAL_MAX;
  char *block = st_alloc_zero(count * each); /* pointers first: that keeps them aligned */
  if (!block) return false;
  st_free(to->values);
  to->room = count;
  to->values = (const char **)(void *)block;
  to->lists = (char **)(void *)(block + count * sizeof(char *));
  to->lengths = (int *)(void *)(block + count * 2 * sizeof(char *));
  to->formats = to->lengths + count;
  to->numbers = (char(*)[ST_REAL_MAX])(void *)(to->formats + count);
  return true;
}

static void format_real(double value, char out[ST_REAL_MAX]) {
  if (isnan(value)) strcpy(out, "NaN");
  else if (isinf(value)) strcpy(out, value > 0 ? "Infinity" : "-Infinity");
  else st_format_real(value, out);
}

/* How the beginning of a text is escaped: 0, if it is not. */
static char escape_of(const char *text, size_t length) {
  if (length == 0) return 0;
  return text[0] == '\0' ? ESCAPED_NUL : text[0] == ESCAPE ? ESCAPED_SELF : 0;
}

/* Everything but numbers is quoted, so that no text can look like NULL or like structure. */
static void add_text_item(st_str *out, const char *text, size_t length) {
  char escaped = escape_of(text, length);
  st_str_addc(out, '"');
  if (escaped) {
    st_str_addc(out, ESCAPE);
    st_str_addc(out, escaped);
    text++;
    length--;
  }
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '"' || text[i] == '\\') st_str_addc(out, '\\');
    st_str_addc(out, text[i]);
  }
  st_str_addc(out, '"');
}

static void add_blob_item(st_str *out, const char *bytes, size_t length) {
  static const char digits[] = "0123456789abcdef";
  st_str_addz(out, "\"\\\\x");
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)bytes[i];
    st_str_addc(out, digits[c >> 4]);
    st_str_addc(out, digits[c & 15]);
  }
  st_str_addc(out, '"');
}

static stele_status add_item(st_str *out, const st_value *item, const char **why) {
  char number[ST_REAL_MAX];
  switch (item->type) {
    case ST_ABSENT:
    case ST_NULL: st_str_addz(out, "NULL"); break;
    case ST_INT: st_str_addf(out, "%" PRId64, item->integer); break;
    case ST_REAL:
      format_real(item->real, number);
      st_str_addz(out, number);
      break;
    case ST_TEXT:
      if (item->length > 1 && memchr(item->bytes + 1, 0, item->length - 1)) {
        *why = has_nul;
        return STELE_INVALID;
      }
      add_text_item(out, item->bytes, item->length);
      break;
    case ST_BLOB: add_blob_item(out, item->bytes, item->length); break;
    case ST_LIST:
    case ST_RECORDS: *why = "a list inside a list cannot be bound"; return STELE_INTERNAL;
  }
  return STELE_OK;
}

/* The array literal {1,2,"three"}. */
static stele_status bind_list(const st_value *list, char **out, const char **why) {
  stele_status status = STELE_OK;
  st_str literal;
  st_str_init(&literal, LITERAL_MAX);
  st_str_addc(&literal, '{');
  for (uint32_t i = 0; i < list->count && status == STELE_OK; i++) {
    if (i > 0) st_str_addc(&literal, ',');
    status = add_item(&literal, &list->items[i], why);
  }
  st_str_addc(&literal, '}');
  if (status != STELE_OK) {
    st_str_free(&literal);
    return status;
  }
  *out = st_str_take(&literal);
  if (*out) return STELE_OK;
  *why = no_memory;
  return STELE_NOMEM;
}

static stele_status bind_text(st_postgres_params *to, size_t i, const st_value *value, const char **why) {
  char escaped = escape_of(value->bytes, value->length);
  to->values[i] = value->length > 0 ? value->bytes : "";
  if (value->length > 1 && memchr(value->bytes + 1, 0, value->length - 1)) {
    *why = has_nul;
    return STELE_INVALID;
  }
  if (!escaped) return STELE_OK;
  char *copy = to->lists[i] = st_alloc(value->length + 2);
  to->values[i] = copy;
  if (!copy) {
    *why = no_memory;
    return STELE_NOMEM;
  }
  copy[0] = ESCAPE;
  copy[1] = escaped;
  memcpy(copy + 2, value->bytes + 1, value->length - 1);
  copy[value->length + 1] = '\0';
  return STELE_OK;
}

static stele_status bind_one(st_postgres_params *to, size_t i, const st_value *value, const char **why) {
  stele_status status;
  to->values[i] = NULL;
  to->lengths[i] = 0; /* only read for bytes */
  to->formats[i] = 0;
  switch (value->type) {
    case ST_ABSENT:
    case ST_NULL: return STELE_OK;
    case ST_INT:
      snprintf(to->numbers[i], ST_REAL_MAX, "%" PRId64, value->integer);
      to->values[i] = to->numbers[i];
      return STELE_OK;
    case ST_REAL:
      format_real(value->real, to->numbers[i]);
      to->values[i] = to->numbers[i];
      return STELE_OK;
    case ST_TEXT: return bind_text(to, i, value, why);
    case ST_BLOB:
      if (value->length > INT_MAX) {
        *why = "bytes beyond 1 GB cannot be kept on PostgreSQL";
        return STELE_INVALID;
      }
      to->values[i] = value->length > 0 ? value->bytes : "";
      to->lengths[i] = (int)value->length;
      to->formats[i] = 1;
      return STELE_OK;
    case ST_LIST:
      status = bind_list(value, &to->lists[i], why);
      to->values[i] = to->lists[i];
      return status;
    case ST_RECORDS: break;
  }
  *why = "records cannot be bound";
  return STELE_INTERNAL;
}

stele_status st_postgres_bind(st_postgres_params *to, const st_value *const *params, size_t count, const char **why) {
  stele_status status = STELE_OK;
  st_postgres_unbind(to);
  if (!reserve(to, count)) {
    *why = no_memory;
    return STELE_NOMEM;
  }
  to->count = count;
  for (size_t i = 0; i < count && status == STELE_OK; i++) status = bind_one(to, i, params[i], why);
  if (status != STELE_OK) st_postgres_unbind(to);
  return status;
}

void st_postgres_unbind(st_postgres_params *params) {
  for (size_t i = 0; i < params->count; i++) {
    st_free(params->lists[i]);
    params->lists[i] = NULL;
  }
  params->count = 0;
}

void st_postgres_params_free(st_postgres_params *params) {
  st_postgres_unbind(params);
  st_free(params->values);
  *params = (st_postgres_params){0};
}

/* ---- From libpq --------------------------------------------------------------------------- */

/* Length of a bytea in bytes: its text form is \x and two digits for each. */
static size_t blob_length(const PGresult *result, int row, int column) {
  int length = PQgetlength(result, row, column);
  return length > 2 ? (size_t)(length - 2) / 2 : 0;
}

static bool is_binary(const PGresult *result, int column) { return PQfformat(result, column) == 1; }

bool st_postgres_suits_binary(const PGresult *result) {
  bool bytes = false;
  for (int i = 0; i < PQnfields(result); i++) {
    Oid type = PQftype(result, i);
    if (type != OID_BYTEA && type != OID_TEXT && type != OID_INT8) return false;
    bytes = bytes || type == OID_BYTEA;
  }
  return bytes;
}

/* What a value needs among the decoded ones of its row. */
static size_t decoded_size(const PGresult *result, int row, int column) {
  if (PQgetisnull(result, row, column) || is_binary(result, column)) return 0;
  switch (PQftype(result, column)) {
    case OID_BYTEA: return blob_length(result, row, column);
    case OID_TIMESTAMPTZ: return ST_TIME_MAX;
    default: return 0;
  }
}

bool st_postgres_has_decoded(const PGresult *result) {
  for (int i = 0; i < PQnfields(result); i++)
    if (!is_binary(result, i) && (PQftype(result, i) == OID_BYTEA || PQftype(result, i) == OID_TIMESTAMPTZ)) return true;
  return false;
}

static size_t decoded_offset(const PGresult *result, int row, int column) {
  size_t offset = 0;
  for (int i = 0; i < column; i++) offset += decoded_size(result, row, i);
  return offset;
}

size_t st_postgres_decoded_size(const PGresult *result, int row) {
  return decoded_offset(result, row, PQnfields(result));
}

static int hex_digit(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* False: somebody has chosen the other form (bytea_output), in which no \ stands before an x. */
static bool decode_blob(const char *text, size_t length, char *to) {
  if (strncmp(text, "\\x", 2) != 0) return false;
  for (size_t k = 0; k < length; k++) *to++ = (char)(hex_digit(text[2 + 2 * k]) * 16 + hex_digit(text[3 + 2 * k]));
  return true;
}

/* "infinity" and years before Christ are left to the reader as PostgreSQL writes them. */
static void decode_time(const char *text, size_t length, char to[ST_TIME_MAX]) {
  st_micros time;
  if (st_time_parse(text, length, &time) && st_time_iso(time, to)) return;
  snprintf(to, ST_TIME_MAX, "%s", text);
}

bool st_postgres_decode(const PGresult *result, int row, char *to) {
  for (int i = 0; i < PQnfields(result); i++) {
    size_t size = decoded_size(result, row, i);
    const char *text = PQgetvalue(result, row, i);
    if (size == 0) continue;
    if (PQftype(result, i) == OID_TIMESTAMPTZ) decode_time(text, (size_t)PQgetlength(result, row, i), to);
    else if (!decode_blob(text, size, to)) return false;
    to += size;
  }
  return true;
}

static bool parse_real(const char *text, size_t length, double *out) {
  if (strcmp(text, "NaN") == 0) *out = NAN;
  else if (strcmp(text, "Infinity") == 0) *out = INFINITY;
  else if (strcmp(text, "-Infinity") == 0) *out = -INFINITY;
  else return st_parse_real(text, length, out);
  return true;
}

/* Undo bind_text() where the text lies: the row may be read more than once. */
static void unescape(char *text, st_value *out) {
  if (out->length < 2 || text[0] != ESCAPE) return;
  if (text[1] == ESCAPED_NUL) text[1] = '\0';
  if (text[1] == ESCAPED_SELF) text[1] = ESCAPE;
  if (text[1] != '\0' && text[1] != ESCAPE) return; /* somebody else wrote it */
  out->bytes = text + 1;
  out->length--;
}

/* Highest byte first. */
static int64_t read_integer(const char *bytes) {
  uint64_t number = 0;
  for (int i = 0; i < 8; i++) number = number << 8 | (unsigned char)bytes[i];
  return (int64_t)number;
}

static void binary_value(Oid type, char *bytes, size_t length, st_value *out) {
  if (type == OID_INT8) {
    *out = (st_value){.type = ST_INT, .integer = read_integer(bytes)};
    return;
  }
  *out = (st_value){.type = type == OID_BYTEA ? ST_BLOB : ST_TEXT, .bytes = bytes, .length = length};
  if (type == OID_TEXT) unescape(bytes, out);
}

void st_postgres_value(const PGresult *result, int row, int column, const char *decoded, st_value *out) {
  *out = (st_value){.type = ST_NULL};
  if (PQgetisnull(result, row, column)) return;
  char *text = PQgetvalue(result, row, column);
  size_t length = (size_t)PQgetlength(result, row, column);
  if (is_binary(result, column)) {
    binary_value(PQftype(result, column), text, length, out);
    return;
  }
  switch (PQftype(result, column)) {
    case OID_BOOL:
      out->type = ST_INT;
      out->integer = text[0] == 't';
      return;
    case OID_BYTEA:
      out->type = ST_BLOB;
      out->length = blob_length(result, row, column);
      out->bytes = decoded ? decoded + decoded_offset(result, row, column) : "";
      return;
    case OID_TIMESTAMPTZ:
      out->type = ST_TEXT;
      out->bytes = decoded + decoded_offset(result, row, column);
      out->length = strlen(out->bytes);
      return;
    case OID_INT2:
    case OID_INT4:
    case OID_INT8:
    case OID_OID:
    case OID_NUMERIC: /* count and sum of bigint are numeric: an integer if it can be one */
      out->type = ST_INT;
      if (st_parse_int(text, length, &out->integer)) return;
      /* fall through */
    case OID_FLOAT4:
    case OID_FLOAT8:
      out->type = ST_REAL;
      if (parse_real(text, length, &out->real)) return;
      break;
    default: break;
  }
  out->type = ST_TEXT;
  out->bytes = text;
  out->length = length;
  unescape(text, out);
}

/* test_pages.c - pages, cells and records of a SQLite file, read without SQLite: what is whole is read, and nothing else is believed. */
#include <fcntl.h>

#include "engine/pages.h"
#include "fail_alloc.h"
#include "home.h"

#define SIZE 512 /* of the pages that are made here */

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* The bytes of "0f ff"; how many. */
static size_t bytes_of(const char *hex, unsigned char *out) {
  size_t count = 0;
  for (; *hex; hex += hex[2] ? 3 : 2) out[count++] = (unsigned char)(digit(hex[0]) << 4 | digit(hex[1]));
  return count;
}

/* ---- Records ---- */

static void test_records(void **state) {
  static const struct {
    const char *hex;
    int fields; /* -1: it is none */
  } cases[] = {
      {"", -1},                   /* nothing */
      {"01", 0},                  /* a head, and no field */
      {"00", -1},                 /* a head that is not even there */
      {"05 00", -1},              /* a head behind the end */
      {"02 00", 1},               /* null */
      {"02 00 ff", -1},           /* more bytes than fields */
      {"02 01 80", 1},            /* numbers of 1 to 8 bytes */
      {"06 02 03 04 05 06 00 01 00 00 02 00 00 00 03 00 00 00 00 00 04 00 00 00 00 00 00 00 05", 5},
      {"07 02 03 04 05 06 08 00 01 00 00 02 00 00 00 03 00 00 00 00 00 04 00 00 00 00 00 00 00 05", 6},
      {"02 02 01", -1},           /* half a number */
      {"02 07 3f f0 00 00 00 00 00 00", 1}, /* 1.0 */
      {"03 08 09", 2},            /* 0 and 1, of no bytes */
      {"02 0a", -1},              /* types that there are not */
      {"02 0b", -1},
      {"02 0c", 1},               /* a blob of no bytes */
      {"02 0e ff", 1},
      {"02 0d", 1},               /* a text of none */
      {"02 11 c3 a4", 1},
      {"02 11 c3 28", -1},        /* not UTF-8 */
      {"02 0f 00", 1},            /* a zero may be in a text */
      {"02 81", -1},              /* a number that does not end */
      {"0a ff ff ff ff ff ff ff ff 01", -1}, /* one of nine bytes */
      {"09 00 00 00 00 00 00 00 00", -1},    /* more fields than asked for */
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned char bytes[64];
    st_field fields[7];
    int found = st_record_read(bytes, bytes_of(cases[i].hex, bytes), fields, 7);
    if (found != cases[i].fields) fail_msg("%s: %d fields, not %d", cases[i].hex, found, cases[i].fields);
  }
}

static void test_values(void **state) {
  unsigned char bytes[200] = {4, 1, 7, 15, 0xff, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 'x'};
  st_field fields[3];
  (void)state;
  assert_int_equal(st_record_read(bytes, 14, fields, 3), 3);
  assert_int_equal(fields[0].integer, -1);
  assert_true(fields[1].real == 1.0);
  assert_memory_equal(fields[2].bytes, "x", 1);
  memset(bytes, 0, sizeof bytes); /* a text of 64 zeros is what is left of a page, and no text */
  bytes[0] = 3;
  bytes[1] = 0x81;
  bytes[2] = 13;
  assert_int_equal(st_record_read(bytes, 3 + 64, fields, 3), -1);
}

/* ---- Pages and cells ---- */

/* A leaf of a table with two rows, of which the bytes can be changed. */
static void make_leaf(unsigned char page[SIZE]) {
  memset(page, 0, SIZE);
  bytes_of("0d 00 00 00 02 01 f8 00 01 fc 01 f8", page);
  bytes_of("02 05 02 00 02 07 02 00", page + 504); /* at 504 the row 5, at 508 the row 7 */
  page[8] = 0x01, page[9] = 0xf8, page[10] = 0x01, page[11] = 0xfc;
}

static void test_pages(void **state) {
  static const struct {
    int at;
    unsigned char byte;
    bool good;
  } cases[] = {
      {0, 13, true},  {0, 7, false},                  /* the kind */
      {0, 2, true},   {0, 5, true},   {0, 10, true},  /* other kinds */
      {3, 1, false},                                  /* more cells than a page holds */
      {5, 0, false},                                  /* contents that begin within the head */
      {5, 2, false},                                  /* or behind the end */
      {7, 61, false},                                 /* more fragments than there may be */
  };
  st_pages pages = {.fd = -1, .log = -1, .size = SIZE, .usable = SIZE, .count = 10};
  unsigned char bytes[SIZE];
  st_tree_page page;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    make_leaf(bytes);
    bytes[cases[i].at] = cases[i].byte;
    if (cases[i].at == 5 && !cases[i].byte) bytes[6] = 2;
    if (st_tree_page_read(&pages, 2, bytes, &page) != cases[i].good) fail_msg("byte %d is %d", cases[i].at, cases[i].byte);
  }
  make_leaf(bytes);
  bytes[5] = bytes[6] = 0; /* 65536: only a page of that size begins there */
  assert_false(st_tree_page_read(&pages, 2, bytes, &page));
}

static void test_cells(void **state) {
  static const struct {
    int kind;
    uint32_t index;
    const char *hex; /* of the cell, at 504 */
    bool good;
  } cases[] = {
      {13, 0, "02 05 02 00", true},
      {13, 2, "02 05 02 00", false},             /* there are two */
      {13, 0, "ff ff ff ff ff ff ff ff", false}, /* a size that goes on to the end of the page */
      {13, 0, "02 81 81 81 81 81 81 81", false}, /* a row number that does */
      {13, 0, "09 05 00 00", false},             /* a record that does */
      {13, 0, "a8 00 05 00", false},             /* one of 5120 bytes, and no page for the rest */
      {13, 0, "83 ff 7f 05", false},             /* one that is larger than the file */
      {5, 0, "00 00 00 03 05", true},
      {5, 0, "00 00 00 03 81 81 81 81", false},
      {10, 0, "02 02 00", true},
      {2, 0, "00 00 00 03 02 02 00", true},
  };
  st_pages pages = {.fd = -1, .log = -1, .size = SIZE, .usable = SIZE, .count = 10};
  unsigned char bytes[SIZE];
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_tree_page page = {.bytes = bytes, .number = 2, .kind = cases[i].kind, .cells = 2};
    st_cell cell;
    make_leaf(bytes);
    memset(bytes + 504, 0xff, 8);
    bytes[12] = 0x01, bytes[13] = 0xf8; /* where an inner page has its first */
    bytes_of(cases[i].hex, bytes + 504);
    if (st_tree_cell(&pages, &page, cases[i].index, &cell) != cases[i].good) fail_msg("kind %d: %s", cases[i].kind, cases[i].hex);
  }
  st_tree_page page = {.bytes = bytes, .number = 2, .kind = 13, .cells = 2};
  st_cell cell;
  for (int offset = 3; offset <= 511; offset += 508) { /* within the head, and behind the end */
    make_leaf(bytes);
    bytes[8] = (unsigned char)(offset >> 8), bytes[9] = (unsigned char)offset;
    assert_false(st_tree_cell(&pages, &page, 0, &cell));
  }
}

/* ---- Files and logs ---- */

typedef struct shelf {
  char *file, *log;
  size_t file_size, log_size;
} shelf;

/* A file, and the log of a process that was killed. */
static shelf make_shelf(const home *h) {
  const char *path = path_in(h->directory, "a.db"), *log = path_in(h->directory, "a.db-wal");
  sqlite3 *db = NULL;
  shelf s;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "PRAGMA page_size = 1024; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;"
                                    "CREATE TABLE t (id INTEGER PRIMARY KEY, text); INSERT INTO t VALUES (1, 'one');"
                                    "PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO t VALUES (2, hex(zeroblob(40000))); INSERT INTO t VALUES (3, 'three')",
                                NULL, NULL, NULL), SQLITE_OK);
  s.file = read_bytes(path, &s.file_size);
  s.log = read_bytes(log, &s.log_size);
  sqlite3_close(db);
  return s;
}

static void write_bytes(const char *path, const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static stele_status open_pages(const char *path, const char *log, st_pages *pages) {
  char problem[ST_PROBLEM_MAX] = "";
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  assert_true(fd >= 0);
  stele_status status = st_pages_open(fd, log, pages, problem);
  if (status != STELE_OK) close(fd);
  if (status != STELE_OK) assert_true(problem[0]);
  return status;
}

static void close_pages(st_pages *pages) {
  close(pages->fd);
  st_pages_close(pages);
}

/* A log counts up to what is damaged in it, and not at all if its head is. */
static void test_logs(void **state) {
  static const struct {
    long at;
    unsigned char byte;
    bool some; /* pages of it are read */
  } cases[] = {
      {0, 0x37, true}, {0, 0x38, false}, /* the mark */
      {10, 5, false},                    /* a size of pages that there is not */
      {24, 0x55, false}, {28, 0x55, false}, /* the sums of the head */
      {32 + 8, 0x55, false},             /* of which log the first page is */
      {32 + 16, 0x55, false}, {32 + 20, 0x55, false}, /* its sums */
      {32 + 24 + 5, 0x55, false},        /* its bytes */
  };
  home *h = *state;
  shelf s = make_shelf(h);
  const char *path = path_in(h->directory, "b.db"), *log = path_in(h->directory, "b.db-wal");
  st_pages pages;
  write_bytes(path, s.file, s.file_size);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char was = s.log[cases[i].at];
    s.log[cases[i].at] = (char)cases[i].byte;
    write_bytes(log, s.log, s.log_size);
    s.log[cases[i].at] = was;
    assert_int_equal(open_pages(path, log, &pages), STELE_OK);
    if ((pages.logged > 0) != cases[i].some) fail_msg("byte %ld of the log is %d", cases[i].at, cases[i].byte);
    close_pages(&pages);
  }
  write_bytes(log, s.log, s.log_size - 1000); /* the last transaction is not whole: it is as if it were not there */
  assert_int_equal(open_pages(path, log, &pages), STELE_OK);
  assert_true(pages.logged > 0);
  close_pages(&pages);
  write_bytes(log, s.log, 40);
  assert_int_equal(open_pages(path, log, &pages), STELE_OK);
  assert_int_equal(pages.logged, 0);
  close_pages(&pages);
  assert_int_equal(open_pages(path, h->directory, &pages), STELE_OK); /* a directory has no pages */
  close_pages(&pages);
  assert_int_equal(open_pages(path, path_in(h->directory, "b.db/x"), &pages), STELE_IO); /* there, and cannot be opened */
  free(s.file);
  free(s.log);
}

/* Without a head that can be believed, the size of its pages is what makes pages of the most bytes, or what the log says. */
static void test_heads(void **state) {
  static const struct {
    int at;
    unsigned char byte;
  } cases[] = {{0, 'X'}, {16, 3}, {16, 0}, {21, 0}, {22, 0}, {23, 0}};
  home *h = *state;
  shelf s = make_shelf(h);
  const char *path = path_in(h->directory, "b.db"), *log = path_in(h->directory, "b.db-wal");
  st_pages pages;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char was = s.file[cases[i].at];
    s.file[cases[i].at] = (char)cases[i].byte;
    write_bytes(path, s.file, s.file_size);
    write_bytes(log, s.log, s.log_size);
    s.file[cases[i].at] = was;
    for (int with = 0; with < 2; with++) {
      assert_int_equal(open_pages(path, with ? log : NULL, &pages), STELE_OK);
      if (pages.header || pages.size != 1024) fail_msg("byte %d is %d: pages of %u", cases[i].at, cases[i].byte, pages.size);
      close_pages(&pages);
    }
  }
  s.log[10] = 2; /* of another file: the head says 1024 */
  write_bytes(path, s.file, s.file_size);
  write_bytes(log, s.log, s.log_size);
  assert_int_equal(open_pages(path, log, &pages), STELE_OK);
  assert_int_equal(pages.logged, 0);
  close_pages(&pages);
  write_bytes(path, "", 0);
  assert_int_equal(open_pages(path, NULL, &pages), STELE_CORRUPT);
  free(s.file);
  free(s.log);
}

/* What the map tells of a page; a page of the map, those before it and those behind the end have no parent. */
static void test_parents(void **state) {
  home *h = *state;
  shelf s = make_shelf(h);
  const char *path = path_in(h->directory, "b.db");
  st_pages pages;
  unsigned char bytes[1024];
  write_bytes(path, s.file, s.file_size);
  assert_int_equal(open_pages(path, NULL, &pages), STELE_OK);
  assert_true(pages.pointer_map);
  for (uint32_t number = 1; number <= 3; number++) assert_int_equal(st_pages_parent(&pages, number), 0);
  assert_int_equal(st_pages_parent(&pages, 5000), 0);
  assert_false(st_pages_read(&pages, 0, bytes));
  assert_false(st_pages_read(&pages, pages.count + 1, bytes));
  pages.pointer_map = false;
  assert_int_equal(st_pages_parent(&pages, 3), 0);
  close_pages(&pages);
  free(s.file);
  free(s.log);
}

static void test_no_memory(void **state) {
  home *h = *state;
  shelf s = make_shelf(h);
  const char *path = path_in(h->directory, "b.db"), *log = path_in(h->directory, "b.db-wal");
  st_pages pages;
  s.file[0] = 'X'; /* with a head, nothing would have to be guessed */
  write_bytes(path, s.file, s.file_size);
  write_bytes(log, s.log, s.log_size);
  for (int with = 0; with < 2; with++)
    for (int n = 1, reached = true; reached; n++) {
      fail_alloc_nth(n);
      stele_status status = open_pages(path, with ? log : NULL, &pages);
      reached = fail_alloc_end();
      assert_int_equal(status, reached ? STELE_NOMEM : STELE_OK);
      if (status == STELE_OK) close_pages(&pages);
    }
  free(s.file);
  free(s.log);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_records), cmocka_unit_test(test_values), cmocka_unit_test(test_pages), cmocka_unit_test(test_cells),
      home_test(test_logs),           home_test(test_heads),         home_test(test_parents),      home_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

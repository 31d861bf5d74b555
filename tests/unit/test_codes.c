/* test_codes.c - files of codes: grown by several processes, damaged, cut short, foreign. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "home.h"
#include "vectors.h"

#include "vector/code.h"
#include "vector/codes_file.h"

enum { DIMENSION = 40, FEW = 100, MANY = 2 * ST_CODES_BLOCK + 300 };

static const st_codes_kind ours = {.dimension = DIMENSION, .model = 7, .documents = 9};

static st_codes *open_codes(home *h, const st_codes_kind *kind) {
  st_codes *codes;
  assert_int_equal(st_codes_open(path_in(h->directory, "codes"), kind, &codes), ST_CODES_OK);
  return codes;
}

static void make_codes(home *h, int64_t count) {
  st_codes *codes = open_codes(h, &ours);
  assert_int_equal(catch_up(codes, count), 0);
  assert_true(holds(codes, count));
  st_codes_close(codes);
}

static int open_file(home *h) {
  int fd = open(path_in(h->directory, "codes"), O_RDWR);
  assert_true(fd >= 0);
  return fd;
}

/* After something happened to the file: it is whole, or begun anew, at once or when its rows are looked at; never
** anything between.  Leaves it whole.  True if it had to be made anew. */
static bool recovers(home *h, int64_t count) {
  st_codes *codes = open_codes(h, &ours);
  bool anew = st_codes_state_of(codes)->count == 0;
  if (!anew && !holds(codes, count)) {
    anew = true;
    assert_int_equal(st_codes_renew(codes), ST_CODES_OK);
    assert_int_equal(st_codes_state_of(codes)->count, 0);
  }
  assert_int_equal(catch_up(codes, count), 0);
  assert_true(holds(codes, count));
  st_codes_close(codes);
  return anew;
}

/* ---- kept ---- */

static void rows_are_kept(void **state) {
  home *h = *state;
  make_codes(h, MANY);
  st_codes *codes = open_codes(h, &ours);
  assert_true(holds(codes, MANY));
  st_codes_close(codes);
}

static void others_see_what_is_published(void **state) {
  home *h = *state;
  st_codes *writer = open_codes(h, &ours), *reader = open_codes(h, &ours);
  float vector[DIMENSION];
  make_vector(1, DIMENSION, vector);
  assert_int_equal(st_codes_lock(writer), ST_CODES_OK);
  assert_int_equal(st_codes_add(writer, 1, 2, vector), ST_CODES_OK);
  assert_int_equal(st_codes_refresh(reader), ST_CODES_OK);
  assert_int_equal(st_codes_state_of(reader)->count, 0);
  assert_int_equal(st_codes_publish(writer, 1, 0), ST_CODES_OK);
  st_codes_unlock(writer);
  assert_int_equal(st_codes_refresh(reader), ST_CODES_OK);
  assert_true(holds(reader, 1));
  for (int64_t count = 2; count < MANY; count += 997) { /* across blocks, with each mapped before */
    assert_int_equal(catch_up(writer, count), 0);
    assert_int_equal(st_codes_refresh(reader), ST_CODES_OK);
    assert_true(holds(reader, count));
  }
  st_codes_close(writer);
  st_codes_close(reader);
}

static void what_was_not_published_is_not_there(void **state) {
  home *h = *state;
  make_codes(h, FEW);
  st_codes *codes = open_codes(h, &ours);
  float vector[DIMENSION];
  assert_int_equal(st_codes_lock(codes), ST_CODES_OK);
  for (int64_t n = FEW + 1; n < MANY; n++) {
    make_vector((uint64_t)n + 5, DIMENSION, vector);
    assert_int_equal(st_codes_add(codes, n, n, vector), ST_CODES_OK);
  }
  st_codes_close(codes);
  codes = open_codes(h, &ours);
  assert_true(holds(codes, FEW));
  assert_int_equal(catch_up(codes, MANY), 0);
  assert_true(holds(codes, MANY));
  st_codes_close(codes);
}

/* ---- damaged ---- */

static void any_byte_of_the_first_page_may_be_wrong(void **state) {
  home *h = *state;
  int anew = 0;
  make_codes(h, FEW);
  for (off_t at = 0; at < 1024; at++) {
    int fd = open_file(h);
    unsigned char byte;
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= (unsigned char)(1 << at % 8);
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
    anew += recovers(h, FEW);
  }
  assert_true(anew >= (int)(sizeof(st_codes_head) + sizeof(st_codes_slot)) / 2); /* the rest is padding, or an old state */
}

static void any_byte_of_a_row_may_be_wrong(void **state) {
  home *h = *state;
  size_t words = st_code_words(DIMENSION);
  make_codes(h, MANY);
  for (int i = 0; i < 200; i++) {
    uint64_t row = st_hash64_mix((uint64_t)i + 99) % MANY;
    size_t inside = st_hash64_mix((uint64_t)i + 777);
    const size_t starts[] = {st_codes_code_at(words, row), st_codes_share_at(words, row), st_codes_row_at(words, row), st_codes_fine_at(words, row)};
    const size_t sizes[] = {st_codes_code_bytes(words), sizeof(float), sizeof(st_code_row), st_codes_fine_bytes(words)};
    size_t at = starts[i % 4] + inside % sizes[i % 4];
    int fd = open_file(h);
    unsigned char byte;
    assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
    byte ^= (unsigned char)(1 << i % 8);
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
    close(fd);
    assert_true(recovers(h, MANY));
  }
}

static void a_file_may_be_cut_anywhere(void **state) {
  home *h = *state;
  size_t block = st_codes_block_bytes(st_code_words(DIMENSION));
  const off_t lengths[] = {0, 1, 63, 64, 300, 400, ST_CODES_PAGE - 1, ST_CODES_PAGE, ST_CODES_PAGE + 1, (off_t)(ST_CODES_PAGE + block - 1),
                           (off_t)(ST_CODES_PAGE + block), (off_t)(ST_CODES_PAGE + 2 * block), (off_t)(ST_CODES_PAGE + 3 * block - 1)};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    make_codes(h, MANY);
    assert_int_equal(truncate(path_in(h->directory, "codes"), lengths[i]), 0);
    assert_true(recovers(h, MANY));
  }
}

/* A row that is good in itself, but of another place or another file. */
static void rows_do_not_change_places(void **state) {
  home *h = *state;
  size_t words = st_code_words(DIMENSION);
  char row[sizeof(st_code_row)], code[8];
  make_codes(h, FEW);
  int fd = open_file(h);
  assert_int_equal(pread(fd, row, sizeof row, (off_t)st_codes_row_at(words, 5)), sizeof row);
  assert_int_equal(pread(fd, code, sizeof code, (off_t)st_codes_code_at(words, 5)), sizeof code);
  assert_int_equal(pwrite(fd, row, sizeof row, (off_t)st_codes_row_at(words, 6)), sizeof row);
  assert_int_equal(pwrite(fd, code, sizeof code, (off_t)st_codes_code_at(words, 6)), sizeof code);
  close(fd);
  assert_true(recovers(h, FEW));
}

static void another_kind_is_made_anew(void **state) {
  home *h = *state;
  const st_codes_kind kinds[] = {{DIMENSION + 1, 7, 9}, {DIMENSION, 8, 9}, {DIMENSION, 7, 10}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    make_codes(h, FEW);
    st_codes *codes = open_codes(h, &kinds[i]);
    assert_int_equal(st_codes_state_of(codes)->count, 0);
    st_codes_close(codes);
  }
  assert_true(recovers(h, FEW));
}

/* One who has the old file goes on with it, and sees the new one when he looks. */
static void a_replaced_file_stays_readable(void **state) {
  home *h = *state;
  make_codes(h, MANY);
  st_codes *old = open_codes(h, &ours), *other = open_codes(h, &ours);
  assert_int_equal(st_codes_renew(other), ST_CODES_OK);
  assert_true(holds(old, MANY));
  assert_int_equal(catch_up(other, FEW), 0);
  assert_true(holds(old, MANY));
  assert_int_equal(st_codes_refresh(old), ST_CODES_OK);
  assert_true(holds(old, FEW));
  st_codes_close(old);
  st_codes_close(other);
}

static void no_file_can_be_made_where_there_is_no_directory(void **state) {
  home *h = *state;
  st_codes *codes;
  assert_int_equal(st_codes_open(path_in(h->directory, "none/codes"), &ours, &codes), ST_CODES_FAILED);
  assert_int_equal(errno, ENOENT);
  assert_null(codes);
}

/* ---- dead rows ---- */

static size_t count_living(st_codes *codes) {
  size_t living = 0;
  for (uint64_t i = 0; i < st_codes_state_of(codes)->count; i++) {
    st_codes_block block;
    assert_int_equal(st_codes_read(codes, (size_t)(i / ST_CODES_BLOCK), &block), ST_CODES_OK);
    living += st_code_row_alive(&block.rows[i % ST_CODES_BLOCK]);
  }
  return living;
}

static void dead_rows_are_left_out(void **state) {
  home *h = *state;
  make_codes(h, MANY);
  st_codes *codes = open_codes(h, &ours), *other = open_codes(h, &ours);
  assert_int_equal(st_codes_lock(codes), ST_CODES_OK);
  for (int64_t n = 1; n <= MANY; n += 2) assert_int_equal(st_codes_kill(codes, n), ST_CODES_OK);
  assert_int_equal(st_codes_kill(codes, 1), ST_CODES_OK);        /* once only */
  assert_int_equal(st_codes_kill(codes, MANY + 1), ST_CODES_OK); /* there is none */
  assert_int_equal(st_codes_publish(codes, MANY, 55), ST_CODES_OK);
  assert_int_equal(st_codes_state_of(codes)->dead, MANY / 2);
  assert_int_equal(count_living(codes), MANY - MANY / 2);
  assert_int_equal(st_codes_compact(codes), ST_CODES_OK);
  st_codes_unlock(codes);
  assert_int_equal(st_codes_refresh(other), ST_CODES_OK);
  const st_codes_state *now = st_codes_state_of(other);
  assert_int_equal(now->count, MANY - MANY / 2);
  assert_int_equal(now->dead, 0);
  assert_int_equal(now->through, MANY);
  assert_int_equal(now->erased, 55);
  assert_int_equal(count_living(other), now->count);
  st_codes_close(codes);
  st_codes_close(other);
}

/* ---- several processes ---- */

/* In a child: bring the codes to a number, a few at a time. */
static int write_on(const char *path, int64_t last) {
  st_codes *codes;
  if (st_codes_open(path, &ours, &codes) != ST_CODES_OK) return 1;
  while (st_codes_state_of(codes)->through < last) {
    int64_t next = st_codes_state_of(codes)->through + 37;
    if (catch_up(codes, next < last ? next : last)) return 2;
    if (st_codes_refresh(codes) != ST_CODES_OK) return 3;
  }
  int wrong = holds(codes, last) ? 0 : 4;
  st_codes_close(codes);
  return wrong;
}

static pid_t start_writer(const char *path) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(write_on(path, MANY));
  return child;
}

static void processes_take_turns(void **state) {
  home *h = *state;
  const char *path = path_in(h->directory, "codes");
  pid_t children[4];
  for (int i = 0; i < 4; i++) children[i] = start_writer(path);
  for (int i = 0; i < 4; i++) {
    int status;
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
  st_codes *codes = open_codes(h, &ours);
  assert_true(holds(codes, MANY));
  st_codes_close(codes);
}

static void a_writer_may_be_killed(void **state) {
  home *h = *state;
  const char *path = path_in(h->directory, "codes");
  for (int i = 0; i < 20; i++) {
    pid_t child = start_writer(path);
    nanosleep(&(struct timespec){.tv_nsec = 1000000L + i * 700000L}, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    st_codes *codes = open_codes(h, &ours);
    assert_true(holds(codes, st_codes_state_of(codes)->through));
    st_codes_close(codes);
  }
  assert_int_equal(write_on(path, MANY), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(rows_are_kept),
      home_test(others_see_what_is_published),
      home_test(what_was_not_published_is_not_there),
      home_test(any_byte_of_the_first_page_may_be_wrong),
      home_test(any_byte_of_a_row_may_be_wrong),
      home_test(a_file_may_be_cut_anywhere),
      home_test(rows_do_not_change_places),
      home_test(another_kind_is_made_anew),
      home_test(a_replaced_file_stays_readable),
      home_test(no_file_can_be_made_where_there_is_no_directory),
      home_test(dead_rows_are_left_out),
      home_test(processes_take_turns),
      home_test(a_writer_may_be_killed),
  };
  return cmocka_run_group_tests_name("codes", tests, NULL, NULL);
}

/* reading.h - for the tests of one reader: lines in, what was heard out; and that it stops cleanly anywhere. */
#ifndef TEST_READING_H
#define TEST_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/drive.h"
#include "capture/heard.h"
#include "unit/fail_alloc.h"

#define MODIFIED 1770000000.0

/* Read these lines as a file of that name. */
static inline void hears(const st_reader *reader, const char *path, const char *lines, const char *wanted) {
  heard h;
  drive d;
  heard_open(&h);
  drive_open(&d, reader, path, MODIFIED, &h.taker);
  assert_true(drive_bytes(&d, lines, strlen(lines), 0));
  assert_string_equal(h.log.text, wanted);
  if (h.wrong) fail_msg("%s", h.wrong);
  drive_close(&d);
  heard_close(&h);
}

/* The same with the taker wanting no more after 0, 1, 2 … things, and with each allocation failing: it is said, and
** what was told until then is a beginning of it all. */
static inline void stops_anywhere(const st_reader *reader, const char *path, const char *lines) {
  heard whole, h;
  drive d;
  heard_open(&whole);
  drive_open(&d, reader, path, MODIFIED, &whole.taker);
  assert_true(drive_bytes(&d, lines, strlen(lines), 0));
  drive_close(&d);
  bool stopped = true;
  for (int left = 0; stopped; left++) {
    heard_open(&h);
    h.left = left;
    drive_open(&d, reader, path, MODIFIED, &h.taker);
    stopped = !drive_bytes(&d, lines, strlen(lines), 0);
    assert_memory_equal(whole.log.text, h.log.text, h.log.length);
    assert_true(stopped || h.log.length == whole.log.length);
    drive_close(&d);
    heard_close(&h);
  }
  bool reached = true;
  for (int n = 1; reached; n++) {
    heard_open(&h);
    st_str_add(&h.log, whole.log.text, whole.log.length); /* room that needs no more memory */
    st_str_clear(&h.log);
    drive_open(&d, reader, path, MODIFIED, &h.taker);
    fail_alloc_nth(n);
    bool all = drive_bytes(&d, lines, strlen(lines), 0);
    reached = fail_alloc_end();
    if (all) assert_string_equal(h.log.text, whole.log.text);
    assert_true(reached || all);
    drive_close(&d);
    heard_close(&h);
  }
  heard_close(&whole);
}

#endif

/* test_zone.c - time zones: the system's, those of bytes made up here, and the rules at the end of files. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/zone.h"
#include "base/zone_rule.h"
#include "unit/fail_alloc.h"

static st_micros at(const char *text) {
  st_micros time;
  if (!st_time_parse(text, strlen(text), &time)) fail_msg("%s is no time", text);
  return time;
}

/* A local time, written without a zone. */
static st_civil civil(const char *text) {
  return st_civil_from_micros(at(text));
}

static void assert_time(st_micros is, const char *wanted, const char *what) {
  char text[ST_TIME_MAX];
  st_time_rfc3339(is, text);
  if (is != at(wanted)) fail_msg("%s: is %s, not %s", what, text, wanted);
}

static const st_zone *zone_of(st_zones *zones, const char *name) {
  const st_zone *zone;
  st_zone_status status = st_zones_get(zones, name, &zone);
  if (status != ST_ZONE_OK) fail_msg("%s %s", name, st_zone_problem(status));
  return zone;
}

/* ---- The system's zones ---- */

static void utc_becomes_local(void **state) {
  static const struct {
    const char *zone, *utc, *local;
    int offset;
  } cases[] = {
      {"UTC", "2026-03-29T01:30:00Z", "2026-03-29T01:30:00", 0},
      {"Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29T01:59:59", 3600},
      {"Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00", 7200},
      {"Europe/Berlin", "2026-10-25T00:59:59.999999Z", "2026-10-25T02:59:59.999999", 7200},
      {"Europe/Berlin", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00", 3600},
      {"Europe/Berlin", "1893-03-31T23:06:31Z", "1893-03-31T23:59:59", 3208},  /* local mean time */
      {"Europe/Berlin", "1893-03-31T23:06:32Z", "1893-04-01T00:06:32", 3600},
      {"Europe/Berlin", "9999-07-01T00:00:00Z", "9999-07-01T02:00:00", 7200},   /* by the rule */
      {"America/New_York", "2500-03-14T06:59:59Z", "2500-03-14T01:59:59", -18000},
      {"America/New_York", "2500-03-14T07:00:00Z", "2500-03-14T03:00:00", -14400},
      {"Australia/Lord_Howe", "2026-04-04T14:59:59Z", "2026-04-05T01:59:59", 39600},
      {"Australia/Lord_Howe", "2026-04-04T15:00:00Z", "2026-04-05T01:30:00", 37800},
      {"Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29T23:59:59", -36000},
      {"Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31T00:00:00", 50400},
      {"Asia/Kathmandu", "2026-01-01T00:00:00Z", "2026-01-01T05:45:00", 20700},
      {"Africa/Casablanca", "2026-02-15T02:00:00Z", "2026-02-15T02:00:00", 0}, /* Ramadan: summer time is below */
      {"Africa/Casablanca", "2026-07-01T02:00:00Z", "2026-07-01T03:00:00", 3600},
      {"Europe/Dublin", "2026-01-01T02:00:00Z", "2026-01-01T02:00:00", 0}, /* negative summer time */
      {"Europe/Dublin", "2060-07-01T02:00:00Z", "2060-07-01T03:00:00", 3600},
      {"America/Nuuk", "2060-03-28T00:59:59Z", "2060-03-27T22:59:59", -7200}, /* a rule of the day before: /-1 */
      {"America/Nuuk", "2060-03-28T01:00:00Z", "2060-03-28T00:00:00", -3600},
      {"Etc/GMT+5", "2026-01-01T05:00:00Z", "2026-01-01T00:00:00", -18000},
  };
  st_zones zones;
  (void)state;
  st_zones_init(&zones, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int offset;
    st_civil local = st_zone_local(zone_of(&zones, cases[i].zone), at(cases[i].utc), &offset);
    assert_time(st_micros_from_civil(&local), cases[i].local, cases[i].utc);
    assert_int_equal(offset, cases[i].offset);
  }
  st_zones_free(&zones);
}

static void local_becomes_utc(void **state) {
  static const struct {
    const char *zone, *local;
    st_zone_kind kind;
    const char *earlier, *later;
  } cases[] = {
      {"UTC", "2026-03-29T02:30:00.5", ST_ZONE_ONCE, "2026-03-29T02:30:00.5Z", "2026-03-29T02:30:00.5Z"},
      {"Europe/Berlin", "2026-03-29T01:59:59", ST_ZONE_ONCE, "2026-03-29T00:59:59Z", "2026-03-29T00:59:59Z"},
      {"Europe/Berlin", "2026-03-29T02:00:00", ST_ZONE_GAP, "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"},
      {"Europe/Berlin", "2026-03-29T02:59:59.9", ST_ZONE_GAP, "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"},
      {"Europe/Berlin", "2026-03-29T03:00:00", ST_ZONE_ONCE, "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"},
      {"Europe/Berlin", "2026-10-25T01:59:59", ST_ZONE_ONCE, "2026-10-24T23:59:59Z", "2026-10-24T23:59:59Z"},
      {"Europe/Berlin", "2026-10-25T02:00:00", ST_ZONE_FOLD, "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"},
      {"Europe/Berlin", "2026-10-25T02:59:59.9", ST_ZONE_FOLD, "2026-10-25T00:59:59.9Z", "2026-10-25T01:59:59.9Z"},
      {"Europe/Berlin", "2026-10-25T03:00:00", ST_ZONE_ONCE, "2026-10-25T02:00:00Z", "2026-10-25T02:00:00Z"},
      {"America/New_York", "2499-11-01T01:30:00", ST_ZONE_FOLD, "2499-11-01T05:30:00Z", "2499-11-01T06:30:00Z"},
      {"Australia/Lord_Howe", "2026-10-04T02:15:00", ST_ZONE_GAP, "2026-10-03T15:30:00Z", "2026-10-03T15:30:00Z"},
      {"Australia/Lord_Howe", "2026-04-05T01:45:00", ST_ZONE_FOLD, "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"},
      {"Pacific/Apia", "2011-12-30T12:00:00", ST_ZONE_GAP, "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"},
      {"America/Sao_Paulo", "2018-11-04T00:30:00", ST_ZONE_GAP, "2018-11-04T03:00:00Z", "2018-11-04T03:00:00Z"},
      {"America/Sao_Paulo", "2018-02-17T23:30:00", ST_ZONE_FOLD, "2018-02-18T01:30:00Z", "2018-02-18T02:30:00Z"},
      {"America/Sao_Paulo", "2018-02-18T00:00:00", ST_ZONE_ONCE, "2018-02-18T03:00:00Z", "2018-02-18T03:00:00Z"},
      {"Pacific/Kwajalein", "1969-09-30T12:00:00", ST_ZONE_FOLD, "1969-09-30T01:00:00Z", "1969-10-01T00:00:00Z"},
  };
  st_zones zones;
  (void)state;
  st_zones_init(&zones, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_civil local = civil(cases[i].local);
    st_micros earlier, later;
    st_zone_kind kind = st_zone_time(zone_of(&zones, cases[i].zone), &local, &earlier, &later);
    assert_time(earlier, cases[i].earlier, cases[i].local);
    assert_time(later, cases[i].later, cases[i].local);
    assert_int_equal(kind, cases[i].kind);
  }
  st_zones_free(&zones);
}

static void days_begin_and_end(void **state) {
  static const struct {
    const char *zone, *time, *start, *end;
  } cases[] = {
      {"UTC", "2026-03-29T00:00:00Z", "2026-03-29T00:00:00Z", "2026-03-30T00:00:00Z"},
      {"UTC", "2026-03-29T23:59:59.999999Z", "2026-03-29T00:00:00Z", "2026-03-30T00:00:00Z"},
      {"Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"}, /* 23 hours */
      {"Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"}, /* 25 hours */
      {"Europe/Berlin", "2026-12-31T23:00:00Z", "2026-12-31T23:00:00Z", "2027-01-01T23:00:00Z"},
      {"America/Sao_Paulo", "2018-11-04T12:00:00Z", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"}, /* from 01:00 */
      {"Pacific/Apia", "2011-12-29T12:00:00Z", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"},
      {"America/Toronto", "1987-10-25T05:00:00Z", "1987-10-25T04:00:00Z", "1987-10-26T05:00:00Z"},
      /* St. John's put clocks back at 00:01, so that the day began twice: the first counts. */
      {"America/St_Johns", "2000-10-29T12:00:00Z", "2000-10-29T02:30:00Z", "2000-10-30T03:30:00Z"},
  };
  st_zones zones;
  (void)state;
  st_zones_init(&zones, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_micros start, end;
    st_zone_day(zone_of(&zones, cases[i].zone), at(cases[i].time), &start, &end);
    assert_time(start, cases[i].start, cases[i].time);
    assert_time(end, cases[i].end, cases[i].time);
  }
  st_zones_free(&zones);
}

/* Through all of its spans, local times come back to where they came from. */
static void spans_join(void **state) {
  static const char *const names[] = {"UTC",          "Europe/Berlin", "America/New_York",  "Australia/Lord_Howe",
                                      "Pacific/Apia", "Europe/Dublin", "Africa/Casablanca", "America/Nuuk"};
  st_zones zones;
  (void)state;
  st_zones_init(&zones, NULL);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const st_zone *zone = zone_of(&zones, names[i]);
    st_zone_span span = st_zone_span_at(zone, at("1800-01-01") / ST_MICROS_PER_SECOND);
    for (int count = 0; span.end < at("2200-01-01") / ST_MICROS_PER_SECOND; count++) {
      st_zone_span next = st_zone_span_at(zone, span.end);
      assert_true(next.start == span.end && next.end > next.start && count < 2000);
      for (int64_t t = span.end - 2; t < span.end + 2; t++) {
        st_micros earlier, later;
        st_civil local = st_zone_local(zone, t * ST_MICROS_PER_SECOND, NULL);
        assert_int_not_equal(st_zone_time(zone, &local, &earlier, &later), ST_ZONE_GAP);
        assert_true(earlier == t * ST_MICROS_PER_SECOND || later == t * ST_MICROS_PER_SECOND);
      }
      span = next;
    }
  }
  st_zones_free(&zones);
}

/* ---- Names ---- */

static void names_are_checked(void **state) {
  static const char *const cases[] = {
      "",          "/",         "/etc/passwd", "../zoneinfo/UTC", "Europe/../UTC", "Europe//Berlin", "Europe/Berlin/", "Europe",
      "Nowhere",   "europe/berlin", "./UTC",   "zone.tab",        "tzdata.zi",     "leapseconds?",   " UTC",           "UTC ",
      "Europe/B\nerlin", "+05:30", "Berlin",   "Europe/Berlin/x", "-1",            "Europe\\Berlin", "Etc/\xc3\xa9",
      "Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
  st_zones zones;
  const st_zone *zone;
  (void)state;
  st_zones_init(&zones, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (st_zones_get(&zones, cases[i], &zone) != ST_ZONE_UNKNOWN) fail_msg("\"%s\" was taken for a zone", cases[i]);
  assert_ptr_equal(zone_of(&zones, "Europe/Berlin"), zone_of(&zones, "Europe/Berlin")); /* read once */
  st_zones_free(&zones);
}

static void a_system_without_zones_has_utc(void **state) {
  st_zones zones;
  const st_zone *zone;
  (void)state;
  st_zones_init(&zones, "/nonexistent/zoneinfo");
  assert_int_equal(st_zones_get(&zones, "UTC", &zone), ST_ZONE_OK);
  assert_int_equal(st_zones_get(&zones, "Europe/Berlin", &zone), ST_ZONE_NO_DATA);
  st_zones_free(&zones);
}

/* ---- Rules ---- */

static void rules_are_read(void **state) {
  static const struct {
    const char *rule, *utc;
    int offset;
  } cases[] = {
      {"UTC0", "2026-01-01", 0},
      {"<-03>3", "2026-01-01", -10800},
      {"<+0545>-5:45", "2026-01-01", 20700},
      {"LMT-0:53:28", "2026-01-01", 3208},
      {"CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T00:59:59Z", 3600},
      {"CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00:00Z", 7200},
      {"CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T01:00:00Z", 3600},
      {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01", 39600}, /* summer over the new year */
      {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01", 36000},
      {"IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01", 0}, /* negative */
      {"IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-01", 3600},
      {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7200},
      {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3600},
      {"EST5EDT,0/0,J365/25", "2026-01-01T05:00:00Z", -14400}, /* all the year, without a break */
      {"EST5EDT,0/0,J365/25", "2026-01-01T04:59:59Z", -14400},
      {"EST5EDT,0/0,J365/25", "2026-07-01", -14400},
      {"AAA0BBB,J59,J60", "2028-02-28T02:00:00Z", 3600}, /* J59 is February 28, J60 March 1, in every year */
      {"AAA0BBB,J59,J60", "2028-02-29T12:00:00Z", 3600},
      {"AAA0BBB,J59,J60", "2028-03-01T01:00:00Z", 0},
      {"AAA0BBB,59,60", "2028-02-29T02:00:00Z", 3600}, /* 59 is February 29 in a leap year */
      {"AAA0BBB,59,60", "2027-03-01T02:00:00Z", 3600},
      {"AAA0BBB,M12.5.0/167,M7.1.0", "2027-01-02T22:59:59Z", 0}, /* December 27, 2026, and a week */
      {"AAA0BBB,M12.5.0/167,M7.1.0", "2027-01-02T23:00:00Z", 3600},
      {"AAA0BBB,M1.1.1/-167,M7.1.0", "2026-12-28T01:00:00Z", 3600}, /* January 4, 2027, less a week */
      {"AAA0BBB,M1.1.1/-167,M7.1.0", "2026-12-28T00:59:59Z", 0},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_zone_rule rule;
    if (!st_zone_rule_parse(cases[i].rule, strlen(cases[i].rule), &rule)) fail_msg("%s was refused", cases[i].rule);
    int offset = st_zone_rule_span(&rule, at(cases[i].utc) / ST_MICROS_PER_SECOND).offset;
    if (offset != cases[i].offset) fail_msg("%s at %s: %d, not %d", cases[i].rule, cases[i].utc, offset, cases[i].offset);
  }
}

static void other_texts_are_no_rules(void **state) {
  static const char *const cases[] = {
      "",           "CET",           "CE-1",           "<CET-1",           "<>-1",          "CET-25",
      "CET-1:60",   "CET-1CEST",     "CET-1CEST,",     "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,", "CET-1CEST,M13.5.0,M10.5.0",
      "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.0.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M0.5.0,M10.5.0",
      "CET-1CEST,J0,J10", "CET-1CEST,J366,J10", "CET-1CEST,366,10", "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0/,M10.5.0",
      "CET-1CEST,M3.5.0,M10.5.0/3 ", "CET-1CEST,M3.5.0,M10.5.0,", "CET-1CEST,M3.5,M10.5.0", "CET--1", "CET-1C3,M3.5.0,M10.5.0",
      "CET-99999999999", "CET-1CEST,M3.5.0/-168,M10.5.0"};
  st_zone_rule rule;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (st_zone_rule_parse(cases[i], strlen(cases[i]), &rule)) fail_msg("\"%s\" was read", cases[i]);
}

/* ---- Files ---- */

/* A file being put together. */
typedef struct made {
  uint8_t bytes[1024];
  size_t length;
} made;

static void put(made *m, int64_t value, size_t size) {
  for (size_t i = size; i-- > 0;) m->bytes[m->length++] = (uint8_t)((uint64_t)value >> 8 * i);
}

static void put_header(made *m, char version, int64_t leapcnt, int64_t timecnt, int64_t typecnt) {
  const int64_t counts[] = {0, 0, leapcnt, timecnt, typecnt, 4};
  memcpy(m->bytes + m->length, "TZif", 4);
  memset(m->bytes + m->length + 4, 0, 16);
  m->bytes[m->length + 4] = (uint8_t)version;
  m->length += 20;
  for (size_t i = 0; i < 6; i++) put(m, counts[i], 4);
}

/* Two kinds of time, two changes: 0 and one hour ahead from 1,000,000 s on, half an hour from 2,000,000 on. */
static void put_data(made *m, size_t wide) {
  put(m, 1000000, wide);
  put(m, 2000000, wide);
  put(m, 0x0102, 2);
  for (int i = 0; i < 3; i++) {
    static const int offsets[] = {0, 3600, 1800};
    put(m, offsets[i], 4);
    put(m, 0, 2);
  }
  put(m, 0x41414100, 4);
}

static made make(char version, const char *footer) {
  made m = {.length = 0};
  put_header(&m, version, 0, 2, 3);
  put_data(&m, 4);
  if (version < '2') return m;
  put_header(&m, version, 0, 2, 3);
  put_data(&m, 8);
  m.length += (size_t)snprintf((char *)m.bytes + m.length, 100, "\n%s\n", footer);
  return m;
}

/* From a copy that ends where the bytes end, so that a sanitizer sees any step beyond. */
static st_zone_status read_made(const made *m, size_t length, st_zone **out) {
  uint8_t *exact = malloc(length ? length : 1);
  memcpy(exact, m->bytes, length);
  st_zone_status status = st_zone_read(exact, length, out);
  free(exact);
  return status;
}

static int offset_at(const st_zone *zone, int64_t seconds) {
  return st_zone_span_at(zone, seconds).offset;
}

static void files_of_every_version_are_read(void **state) {
  static const char versions[] = {'\0', '2', '3', '4', '5'};
  (void)state;
  for (size_t i = 0; i < sizeof versions; i++) {
    made m = make(versions[i], "XXX-2");
    st_zone *zone;
    assert_int_equal(read_made(&m, m.length, &zone), ST_ZONE_OK);
    assert_int_equal(offset_at(zone, -5000000), 0);
    assert_int_equal(offset_at(zone, 999999), 0);
    assert_int_equal(offset_at(zone, 1000000), 3600);
    assert_int_equal(offset_at(zone, 2000000), versions[i] ? 7200 : 1800);
    st_zone_free(zone);
  }
  made m = make('2', ""); /* no rule: the last offset stays */
  st_zone *zone;
  assert_int_equal(read_made(&m, m.length, &zone), ST_ZONE_OK);
  assert_int_equal(offset_at(zone, 9000000), 1800);
  st_zone_free(zone);
}

static void damaged_files_are_refused(void **state) {
  made whole = make('2', "XXX-2"), m;
  st_zone *zone;
  (void)state;
  for (size_t length = 0; length < whole.length; length++)
    assert_int_equal(read_made(&whole, length, &zone), ST_ZONE_DAMAGED);
  size_t second = 44 + 2 * 5 + 3 * 6 + 4, times = second + 44, kinds = times + 16, types = kinds + 2;
  const struct {
    size_t place;
    uint8_t byte;
  } wrong[] = {
      {0, 'X'},               /* another kind of file */
      {second, 'X'},          /* the second block is elsewhere */
      {second + 28 + 3, 1},   /* a leap second */
      {second + 36 + 3, 0},   /* no kind of time */
      {second + 36 + 2, 200}, /* more than there can be */
      {second + 32, 0x80},    /* a negative count */
      {times, 0x7f},          /* a time beyond all bounds */
      {times + 8 + 5, 0},     /* times that fall */
      {kinds, 3},             /* a kind that there is not */
      {types, 0x7f},          /* an offset of years */
      {whole.length - 2, 'x'} /* no rule */
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    m = whole;
    m.bytes[wrong[i].place] = wrong[i].byte;
    if (read_made(&m, m.length, &zone) != ST_ZONE_DAMAGED) fail_msg("damage %zu was not seen", i);
  }
}

static void files_of_a_directory_are_read(void **state) {
  char directory[] = "/tmp/stele_zone_XXXXXX", path[100];
  made m = make('2', "XXX-2");
  st_zones zones;
  const st_zone *zone;
  (void)state;
  assert_non_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/Made", directory);
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  assert_true(fd >= 0 && write(fd, m.bytes, m.length) == (ssize_t)m.length);
  st_zones_init(&zones, directory);
  assert_int_equal(offset_at(zone_of(&zones, "Made"), 9000000), 7200);
  st_zones_free(&zones);
  for (int n = 1, reached = 1; reached; n++) { /* every allocation may fail */
    fail_alloc_nth(n);
    st_zone_status status = st_zones_get(&zones, "Made", &zone);
    reached = fail_alloc_end();
    assert_int_equal(status, reached ? ST_ZONE_NOMEM : ST_ZONE_OK);
  }
  st_zones_free(&zones);
  assert_int_equal(ftruncate(fd, 30), 0);
  assert_int_equal(st_zones_get(&zones, "Made", &zone), ST_ZONE_DAMAGED);
  assert_int_equal(ftruncate(fd, 1 << 20), 0); /* nobody's zone is so large */
  assert_int_equal(st_zones_get(&zones, "Made", &zone), ST_ZONE_DAMAGED);
  close(fd);
  unlink(path);
  assert_int_equal(mkfifo(path, 0600), 0); /* nothing is waited for */
  assert_int_equal(st_zones_get(&zones, "Made", &zone), ST_ZONE_DAMAGED);
  unlink(path);
  rmdir(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(utc_becomes_local),
      cmocka_unit_test(local_becomes_utc),
      cmocka_unit_test(days_begin_and_end),
      cmocka_unit_test(spans_join),
      cmocka_unit_test(names_are_checked),
      cmocka_unit_test(a_system_without_zones_has_utc),
      cmocka_unit_test(rules_are_read),
      cmocka_unit_test(other_texts_are_no_rules),
      cmocka_unit_test(files_of_every_version_are_read),
      cmocka_unit_test(damaged_files_are_refused),
      cmocka_unit_test(files_of_a_directory_are_read),
  };
  return cmocka_run_group_tests_name("zone", tests, NULL, NULL);
}

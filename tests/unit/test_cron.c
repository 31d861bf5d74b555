/* test_cron.c - schedules of cron: what is read, what is refused, and when they fire. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cron.h"

#define FIRES 8

static st_micros at(const char *text) {
  st_micros time;
  if (!st_time_parse(text, strlen(text), &time)) fail_msg("%s is no time", text);
  return time;
}

/* From a copy that ends where the text ends, so that a sanitizer sees any step beyond. */
static bool parse(const char *text, st_cron *out, char why[ST_CRON_WHY_MAX]) {
  size_t length = strlen(text);
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  bool ok = st_cron_parse(exact, length, out, why);
  free(exact);
  return ok;
}

static st_cron cron_of(const char *text) {
  st_cron cron;
  char why[ST_CRON_WHY_MAX];
  if (!parse(text, &cron, why)) fail_msg("%s: %s", text, why);
  return cron;
}

/* ---- When they fire ---- */

/* From a moment on, local times with their offsets (a time without one is UTC). */
static const struct {
  const char *cron, *zone, *after;
  const char *fires[FIRES];
} cases[] = {
    /* plain fields */
    {"* * * * *", "UTC", "2026-01-01T00:00:00Z", {"2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z"}},
    {"* * * * *", "UTC", "2025-12-31T23:59:59.999999Z", {"2026-01-01T00:00:00Z"}},
    {"30 9 * * *", "UTC", "2026-01-01T09:30:00Z", {"2026-01-02T09:30:00Z"}}, /* strictly after */
    {"30 9 * * *", "UTC", "2026-01-01T09:29:59.5Z", {"2026-01-01T09:30:00Z"}},
    {"0,30 8-10 * * *", "UTC", "2026-01-01T08:40:00Z",
     {"2026-01-01T09:00:00Z", "2026-01-01T09:30:00Z", "2026-01-01T10:00:00Z", "2026-01-01T10:30:00Z", "2026-01-02T08:00:00Z"}},
    {"*/20 * * * *", "UTC", "2026-01-01T00:50:00Z", {"2026-01-01T01:00:00Z", "2026-01-01T01:20:00Z", "2026-01-01T01:40:00Z"}},
    {"5/25 0 * * *", "UTC", "2026-01-01", {"2026-01-01T00:05:00Z", "2026-01-01T00:30:00Z", "2026-01-01T00:55:00Z"}},
    {"10-20/5 0 * * *", "UTC", "2026-01-01", {"2026-01-01T00:10:00Z", "2026-01-01T00:15:00Z", "2026-01-01T00:20:00Z", "2026-01-02T00:10:00Z"}},
    {"0 0 1 JAN,jul *", "UTC", "2026-01-01", {"2026-07-01", "2027-01-01"}},
    {"0 0 * Mar-May MON", "UTC", "2026-05-20", {"2026-05-25", "2027-03-01"}},
    {" 0\t0  1 1 * ", "UTC", "2026-06-01", {"2027-01-01"}},
    /* days of the week */
    {"0 0 * * 7", "UTC", "2026-01-01", {"2026-01-04", "2026-01-11"}},
    {"0 0 * * 0", "UTC", "2026-01-01", {"2026-01-04", "2026-01-11"}},
    {"0 0 * * fri-SUN", "UTC", "2026-01-01", {"2026-01-02", "2026-01-03", "2026-01-04", "2026-01-09"}},
    {"0 0 * * 5-7", "UTC", "2026-01-01", {"2026-01-02", "2026-01-03", "2026-01-04", "2026-01-09"}},
    {"0 0 * * 1-5", "UTC", "2026-01-02", {"2026-01-05", "2026-01-06"}},
    {"0 0 * * */2", "UTC", "2026-01-01", {"2026-01-03", "2026-01-04", "2026-01-06", "2026-01-08"}},
    /* a day of the month or a day of the week; both where one begins with a star */
    {"0 0 13 * FRI", "UTC", "2026-01-01", {"2026-01-02", "2026-01-09", "2026-01-13", "2026-01-16"}},
    {"0 0 */13 * FRI", "UTC", "2026-01-01", {"2026-02-27", "2026-03-27", "2026-05-01", "2026-08-14"}},
    {"0 0 13 * */5", "UTC", "2026-01-01", {"2026-02-13", "2026-03-13", "2026-09-13", "2026-11-13"}},
    {"0 0 1-31 2 MON", "UTC", "2026-01-01", {"2026-02-01", "2026-02-02", "2026-02-03"}},
    {"0 0 30 2 MON", "UTC", "2026-01-01", {"2026-02-02", "2026-02-09"}}, /* there is no February 30, but Mondays are */
    /* leap years and month ends */
    {"0 0 29 2 *", "UTC", "2026-01-01", {"2028-02-29", "2032-02-29"}},
    {"0 0 29 2 *", "UTC", "2096-03-01", {"2104-02-29"}},
    {"0 0 29 2 */7", "UTC", "2061-01-01", {"2088-02-29", "2128-02-29"}}, /* on a Sunday */
    {"0 0 31 * *", "UTC", "2026-01-31", {"2026-03-31", "2026-05-31", "2026-07-31", "2026-08-31"}},
    {"59 23 31 12 *", "UTC", "2026-01-01", {"2026-12-31T23:59:00Z"}},
    {"0 0 30,31 2,4 *", "UTC", "2026-01-01", {"2026-04-30", "2027-04-30"}},
    {"0 0 1 1 *", "UTC", "9998-06-01", {"9999-01-01", NULL}},
    /* short forms */
    {"@hourly", "UTC", "2026-01-01", {"2026-01-01T01:00:00Z"}},
    {"@daily", "UTC", "2026-01-01", {"2026-01-02"}},
    {"@Midnight", "UTC", "2026-01-01", {"2026-01-02"}},
    {"@weekly", "UTC", "2026-01-01", {"2026-01-04"}},
    {"@monthly", "UTC", "2026-01-01", {"2026-02-01"}},
    {"@yearly", "UTC", "2026-01-01", {"2027-01-01"}},
    {"@ANNUALLY", "UTC", "2026-01-01", {"2027-01-01"}},
    /* Berlin, spring: from 02:00 to 03:00 */
    {"30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00+01:00",
     {"2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"}},
    {"*/10 2 * * *", "Europe/Berlin", "2026-03-28T02:45:00+01:00",
     {"2026-03-28T02:50:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00"}},
    {"0 2,3 * * *", "Europe/Berlin", "2026-03-29T00:00:00+01:00",
     {"2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00"}},
    {"30 2 * * MON", "Europe/Berlin", "2026-03-28T00:00:00+01:00", {"2026-03-30T02:30:00+02:00"}},
    {"30 * * * *", "Europe/Berlin", "2026-03-29T00:45:00+01:00",
     {"2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00", "2026-03-29T04:30:00+02:00"}},
    {"0 */2 * * *", "Europe/Berlin", "2026-03-28T23:00:00+01:00",
     {"2026-03-29T00:00:00+01:00", "2026-03-29T04:00:00+02:00"}},
    {"0 3 * * *", "Europe/Berlin", "2026-03-28T12:00:00+01:00", {"2026-03-29T03:00:00+02:00", "2026-03-30T03:00:00+02:00"}},
    /* Berlin, autumn: from 03:00 back to 02:00 */
    {"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00+02:00", {"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"}},
    {"30 2 * * *", "Europe/Berlin", "2026-10-25T02:15:00+01:00", {"2026-10-26T02:30:00+01:00"}},
    {"*/30 2 * * *", "Europe/Berlin", "2026-10-25T00:00:00+02:00",
     {"2026-10-25T02:00:00+02:00", "2026-10-25T02:30:00+02:00", "2026-10-26T02:00:00+01:00"}},
    {"30 * * * *", "Europe/Berlin", "2026-10-25T01:00:00+02:00",
     {"2026-10-25T01:30:00+02:00", "2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "2026-10-25T03:30:00+01:00"}},
    {"0 3 * * *", "Europe/Berlin", "2026-10-24T12:00:00+02:00", {"2026-10-25T03:00:00+01:00", "2026-10-26T03:00:00+01:00"}},
    /* New York, by the rule at the end of its file */
    {"30 2 * * *", "America/New_York", "2060-03-13T12:00:00-05:00", {"2060-03-14T03:00:00-04:00", "2060-03-15T02:30:00-04:00"}},
    {"30 1 * * *", "America/New_York", "2060-11-06T12:00:00-04:00", {"2060-11-07T01:30:00-04:00", "2060-11-08T01:30:00-05:00"}},
    {"0 0 29 2 *", "America/New_York", "2096-03-01T00:00:00Z", {"2104-02-29T00:00:00-05:00"}},
    /* Lord Howe: half an hour, 02:00 to 02:30, and 02:00 back to 01:30 */
    {"15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00+10:30", {"2026-10-04T02:30:00+11:00", "2026-10-05T02:15:00+11:00"}},
    {"45 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00+10:30", {"2026-10-04T02:45:00+11:00"}},
    {"0 * * * *", "Australia/Lord_Howe", "2026-10-04T00:30:00+10:30", {"2026-10-04T01:00:00+10:30", "2026-10-04T03:00:00+11:00"}},
    {"45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00+11:00", {"2026-04-05T01:45:00+11:00", "2026-04-06T01:45:00+10:30"}},
    {"45 * * * *", "Australia/Lord_Howe", "2026-04-05T01:00:00+11:00",
     {"2026-04-05T01:45:00+11:00", "2026-04-05T01:45:00+10:30", "2026-04-05T02:45:00+10:30"}},
    /* Casablanca is an hour back in Ramadan: 2026-02-15 03:00 to 02:00, 2026-03-22 02:00 to 03:00 */
    {"30 2 * * *", "Africa/Casablanca", "2026-02-14T12:00:00+01:00", {"2026-02-15T02:30:00+01:00", "2026-02-16T02:30:00+00:00"}},
    {"30 2 * * *", "Africa/Casablanca", "2026-03-21T12:00:00+00:00", {"2026-03-22T03:00:00+01:00", "2026-03-23T02:30:00+01:00"}},
    /* Dublin keeps its summer time below its standard time */
    {"30 1 * * *", "Europe/Dublin", "2026-03-28T12:00:00Z", {"2026-03-29T02:00:00+01:00", "2026-03-30T01:30:00+01:00"}},
    {"30 1 * * *", "Europe/Dublin", "2026-10-24T12:00:00Z", {"2026-10-25T01:30:00+01:00", "2026-10-26T01:30:00+00:00"}},
    /* Apia had no 30th of December 2011 */
    {"0 12 * * *", "Pacific/Apia", "2011-12-29T00:00:00-10:00",
     {"2011-12-29T12:00:00-10:00", "2011-12-31T00:00:00+14:00", "2011-12-31T12:00:00+14:00"}},
    {"0 12 30 12 *", "Pacific/Apia", "2011-06-01T00:00:00Z", {"2011-12-31T00:00:00+14:00", "2012-12-30T12:00:00+14:00"}},
    {"0 */6 * * *", "Pacific/Apia", "2011-12-29T17:00:00-10:00", {"2011-12-29T18:00:00-10:00", "2011-12-31T00:00:00+14:00"}},
    /* Sao Paulo left out its midnight, and in autumn came back from it */
    {"0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00-03:00", {"2018-11-04T01:00:00-02:00", "2018-11-05T00:00:00-02:00"}},
    {"0 0 4 11 *", "America/Sao_Paulo", "2018-01-01T00:00:00Z", {"2018-11-04T01:00:00-02:00"}},
    {"0 0 * * *", "America/Sao_Paulo", "2018-02-17T12:00:00-02:00", {"2018-02-18T00:00:00-03:00"}},
    {"30 23 * * *", "America/Sao_Paulo", "2018-02-17T12:00:00-02:00", {"2018-02-17T23:30:00-02:00", "2018-02-18T23:30:00-03:00"}},
    /* St. John's put its clocks back at 00:01 to 23:01 of the day before */
    {"0 0 * * *", "America/St_Johns", "2000-10-28T12:00:00Z", {"2000-10-29T00:00:00-02:30", "2000-10-30T00:00:00-03:30"}},
    {"0 * * * *", "America/St_Johns", "2000-10-29T01:45:00Z",
     {"2000-10-29T00:00:00-02:30", "2000-10-29T00:00:00-03:30", "2000-10-29T01:00:00-03:30"}},
};

/* Forwards from the moment, and backwards from the last fire. */
static void schedules_fire(void **state) {
  st_zones zones;
  (void)state;
  st_zones_init(&zones, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_cron cron = cron_of(cases[i].cron);
    const st_zone *zone;
    st_micros after = at(cases[i].after), time = after;
    assert_int_equal(st_zones_get(&zones, cases[i].zone, &zone), ST_ZONE_OK);
    int count = 0;
    for (; count < FIRES && cases[i].fires[count]; count++) {
      char is[ST_TIME_MAX] = "never";
      bool fires = st_cron_next(&cron, zone, time, &time);
      if (fires) st_time_rfc3339(time, is);
      if (!fires || time != at(cases[i].fires[count]))
        fail_msg("%s in %s, number %d: %s, not %s", cases[i].cron, cases[i].zone, count, is, cases[i].fires[count]);
    }
    for (; count-- > 0; time--) {
      char is[ST_TIME_MAX] = "never";
      bool fired = st_cron_last(&cron, zone, after, time, &time);
      if (fired) st_time_rfc3339(time, is);
      if (!fired || time != at(cases[i].fires[count]))
        fail_msg("%s in %s, back to number %d: %s, not %s", cases[i].cron, cases[i].zone, count, is, cases[i].fires[count]);
    }
    assert_false(st_cron_last(&cron, zone, after, time, &time));
  }
  st_zones_free(&zones);
}

static void nothing_fires_after_the_year_9999(void **state) {
  st_cron cron = cron_of("0 0 1 1 *");
  st_zones zones;
  const st_zone *zone;
  st_micros time;
  (void)state;
  st_zones_init(&zones, NULL);
  assert_int_equal(st_zones_get(&zones, "UTC", &zone), ST_ZONE_OK);
  assert_false(st_cron_next(&cron, zone, at("9999-01-01"), &time));
  st_zones_free(&zones);
}

/* ---- What is refused ---- */

static void other_texts_are_refused(void **state) {
  static const struct {
    const char *text, *why;
  } wrong[] = {
      {"", "it has 0 fields, not five"},
      {"   ", "it has 0 fields, not five"},
      {"*", "it has 1 field, not five"},
      {"* * * *", "it has 4 fields, not five: minute, hour, day of month, month, day of week"},
      {"* * * * * *", "it has 6 fields, not five"},
      {"@reboot", "\"@reboot\" is not @hourly"},
      {"@", "\"@\" is not @hourly"},
      {"60 * * * *", "minute: \"60\" is not a number from 0 to 59"},
      {"* 24 * * *", "hour: \"24\" is not a number from 0 to 23"},
      {"* * 0 * *", "day of month: \"0\" is not a number from 1 to 31"},
      {"* * 32 * *", "day of month: \"32\""},
      {"* * * 13 *", "month: \"13\" is not a number from 1 to 12 or a name of three letters"},
      {"* * * 0 *", "month: \"0\""},
      {"* * * * 8", "day of week: \"8\" is not a number from 0 to 7 or a name of three letters"},
      {"* * * JANUARY *", "month: \"JANUARY\""},
      {"* * * MON *", "month: \"MON\""},
      {"* * * * JAN", "day of week: \"JAN\""},
      {"MON * * * *", "minute: \"MON\""},
      {"-1 * * * *", "minute: \"\" is not a number"},
      {"1.5 * * * *", "minute: \"1.5\""},
      {"+5 * * * *", "minute: \"+5\""},
      {"0x5 * * * *", "minute: \"0x5\""},
      {"? * * * *", "minute: \"?\""},
      {"** * * * *", "minute: \"**\""},
      {"*5 * * * *", "minute: \"*5\""},
      {"*-5 * * * *", "minute: \"*\""},
      {"* * L * *", "day of month: \"L\""},
      {"* * * * 5#2", "day of week: \"5#2\""},
      {"5-3 * * * *", "minute: the range 5-3 runs backwards"},
      {"* * * * FRI-MON", "day of week: the range FRI-MON runs backwards"},
      {"* * * DEC-JAN *", "month: the range DEC-JAN runs backwards"},
      {"1-2-3 * * * *", "minute: \"2-3\""},
      {"1- * * * *", "minute: \"\" is not a number"},
      {"1,,2 * * * *", "minute: a list has an empty place"},
      {",1 * * * *", "minute: a list has an empty place"},
      {"1, * * * *", "minute: a list has an empty place"},
      {"*/0 * * * *", "minute: a step is a number from 1 to 59"},
      {"*/60 * * * *", "minute: a step is a number from 1 to 59"},
      {"*/ * * * *", "minute: a step is a number"},
      {"*/x * * * *", "minute: a step is a number"},
      {"*/2/3 * * * *", "minute: a step is a number"},
      {"/5 * * * *", "minute: \"\" is not a number"},
      {"* */24 * * *", "hour: a step is a number from 1 to 23"},
      {"9999999999 * * * *", "minute: \"9999999999\""},
      {"123456789012345678901234567890 * * * *", "minute: \"12345678901234567890\""}, /* cut */
      {"5\xc3\xa9 * * * *", "minute: \"5\" is not"},
      {"5\n6 * * * *", "minute: \"5\" is not"},
      {"0 0 30 2 *", "it never fires: no month that it names has such a day of month"},
      {"0 0 31 2,4,6,9,11 *", "it never fires"},
      {"0 0 30 2 */2", "it never fires"},
      {"* * * *\n*", "it has 4 fields"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    st_cron cron;
    char why[ST_CRON_WHY_MAX] = "";
    if (parse(wrong[i].text, &cron, why)) fail_msg("\"%s\" was read", wrong[i].text);
    if (strncmp(why, wrong[i].why, strlen(wrong[i].why)) != 0)
      fail_msg("\"%s\": \"%s\", not \"%s\"", wrong[i].text, why, wrong[i].why);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(schedules_fire),
      cmocka_unit_test(nothing_fires_after_the_year_9999),
      cmocka_unit_test(other_texts_are_refused),
  };
  return cmocka_run_group_tests_name("cron", tests, NULL, NULL);
}

/* fuzz_forge.c - any bytes as a reply of the forge: nothing breaks, and what is made of it is JSON that the capture store's
** methods take or refuse.  The first byte chooses what the reply is taken for. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forge/told.h"
#include "fuzz/target.h"
#include "stele.h"

static char *keep(void *user, const char *text, bool as_json) {
  (void)user;
  (void)as_json;
  return strdup(text);
}

/* What is made is one JSON value, and the method lives with it. */
static void take(stele_db *db, const char *method, char *args) {
  if (args) {
    must(json_read(args, strlen(args)).text != NULL, "arguments that are not JSON");
    stele_status status = stele_call(db, method, args, NULL);
    must(status == STELE_OK || status == STELE_INVALID || status == STELE_NOTFOUND, stele_error(db)->message);
  }
  free(args);
}

static void take_annotations(stele_db *db, const cleaner *c, json list) {
  json one = {NULL, 0};
  while (json_next(list, &one)) {
    char *lesson = NULL, *element = told_annotation(c, "me/stele", "lint types pytest", one, &lesson);
    must(!element || json_read(element, strlen(element)).text, "an annotation that is not JSON");
    take(db, "capture.record_lesson", lesson);
    free(element);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static stele_db *db;
  const cleaner c = {keep, NULL};
  if (!db)
    must(stele_open(&(stele_options){.size = sizeof(stele_options), .home = ":memory:"}, &db) == STELE_OK, "no home");
  if (size == 0) return 0;
  char *text = strndup((const char *)data + 1, size - 1); /* a NUL is behind a reply, as http.c promises */
  must(text != NULL, "no memory");
  json reply = json_read(text, strlen(text));
  if (data[0] % 4 == 0) take(db, "capture.upsert_workflow_run", told_run(&c, "me/stele", reply));
  if (data[0] % 4 == 1) take(db, "capture.upsert_workflow_job", told_job(&c, 70, reply));
  if (data[0] % 4 == 2) take_annotations(db, &c, reply);
  if (data[0] % 4 == 3) take(db, "capture.put_log_excerpt", told_log(&c, 700, text, data[0] & 4));
  told_end(reply);
  free(text);
  return 0;
}

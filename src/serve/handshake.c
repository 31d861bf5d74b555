/* handshake.c - see handshake.h. */
#include "handshake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "log.h"

static void add_number(char numbers[SV_NUMBERS_MAX], const char *store, long long number) {
  size_t used = strlen(numbers);
  snprintf(numbers + used, SV_NUMBERS_MAX - used, "%s%s=%lld", used ? " " : "", store, number);
}

static void tell(json row, const char *store) {
  char *cause = json_text(json_member(row, "cause")), *fix = json_text(json_member(row, "fix"));
  sv_log(STELE_LOG_ERROR, "the server does not start: programs that expect another version of %s are at work: %s: %s", store, cause ? cause : "",
         fix ? fix : "");
  free(cause);
  free(fix);
}

static bool agrees(json list, char numbers[SV_NUMBERS_MAX]) {
  bool all = true;
  for (json row = {0}; json_next(list, &row);) {
    char *store = json_text(json_member(row, "store"));
    if (!store) return false;
    add_number(numbers, store, json_int(json_member(row, "library"), 0));
    if (json_kind(json_member(row, "refuses")) == 't') {
      tell(row, store);
      all = false;
    }
    free(store);
  }
  return all;
}

bool sv_handshake(const sv_server *server, char numbers[SV_NUMBERS_MAX]) {
  stele_db *db = sv_server_open(server, STELE_OPEN_READONLY);
  char *reply = NULL;
  numbers[0] = '\0';
  bool asked = stele_call(db, "stele.handshake", NULL, &reply) == STELE_OK;
  if (!asked) sv_log(STELE_LOG_ERROR, "%s", stele_error(db)->message);
  bool agreed = asked && agrees(json_read(reply, strlen(reply)), numbers);
  stele_free(reply);
  stele_close(db);
  return agreed;
}

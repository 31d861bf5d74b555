/* redact_doctor.c - stele.doctor_redaction: can the rules of redaction be used? */
#include <string.h>

#include "capture/redact_handle.h"
#include "engine/doctor.h"
#include "engine/handle.h"

void st_stele_doctor_redaction(st_call *call) {
  st_redact_problem problem = {.nomem = true};
  const char *rules = call->db->redaction;
  st_redactor *redactor = st_redactor_new(rules, rules ? strlen(rules) : 0, &problem);
  if (!redactor && problem.nomem) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  } else if (redactor) {
    st_doctor_line(call, ST_HEALTH_OK, "redaction", "%zu rules%s", st_redactor_count(redactor), rules ? ", some of your own" : ", all built in");
  } else {
    st_doctor_line(call, ST_HEALTH_FAIL, "redaction", "your rules cannot be read: %s", problem.message);
    st_doctor_cause(call, "rather than keep a secret that a rule would have found, nothing is taken in or redacted");
    st_doctor_fix(call, "mend that line of redact.toml (or of the file of --redact); `stele redact rules` lists the built-in ones");
  }
  st_redactor_free(redactor);
}

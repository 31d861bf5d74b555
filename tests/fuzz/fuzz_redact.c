/* fuzz_redact.c - any text through redaction: nothing breaks, a second time changes nothing more, JSON stays
** JSON, and it does not grow without bound.  The first byte chooses text or JSON, and with which rules. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "capture/redact.h"
#include "fuzz/target.h"

static const char RULES[] = "[builtin]\ndisable=['jwt']\n[allow]\nliterals=['allowed']\nregex=['^ok']\n"
                            "[[rule]]\nname='number'\nregex='\\d{6,}'\nreplacement='<n>'\n"
                            "[[rule]]\nname='slow'\nregex='(a+)+$'\nliterals=['aaa']\n"
                            "[[rule]]\nname='part'\nregex='x(?<secret>.)y'\nreplacement='*'\n";

typedef struct set {
  st_redactor *redactor;
  st_redact_scratch *scratch;
} set;

static set make(const char *rules) {
  st_redact_problem problem;
  set made = {.redactor = st_redactor_new(rules, rules ? strlen(rules) : 0, &problem)};
  if (made.redactor) made.scratch = st_redact_scratch_new(made.redactor);
  if (!made.scratch) abort();
  return made;
}

static int is_json(st_arena *arena, const char *text, size_t length) {
  st_json_error error;
  return st_json_parse(arena, text, length, 0, &error) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static set sets[2];
  st_arena arena;
  st_redacted once, twice;
  if (!sets[0].scratch) sets[0] = make(NULL), sets[1] = make(RULES);
  if (size == 0 || size > 100000) return 0;
  const char *text = (const char *)data + 1;
  size_t length = size - 1;
  st_redact_scratch *scratch = sets[data[0] >> 1 & 1].scratch;
  bool (*redact)(st_redact_scratch *, st_arena *, const char *, size_t, st_redacted *) =
      data[0] & 1 ? st_redact_json : st_redact_text;
  st_arena_init(&arena, (size_t)1 << 30);
  must(redact(scratch, &arena, text, length, &once), "no memory");
  must(once.length <= 6 * length + 16, "it grew");
  must(once.text != text || once.length == length, "the same, and of another length");
  if (data[0] & 1)
    must(!is_json(&arena, text, length) || is_json(&arena, once.text, once.length), "JSON is none any more");
  must(redact(scratch, &arena, once.text, once.length, &twice), "no memory");
  must(twice.text == once.text, "changed again the second time");
  st_arena_free(&arena);
  return 0;
}

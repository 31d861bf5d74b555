/* trial.c - see trial.h. */
#include "trial.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

static bool dry(const cli *c) {
  return c->options.local[OPTION_DRY_RUN] != NULL;
}

static bool offers_dry_run(const stele_method *method) {
  for (size_t i = 0; i < method->nparams; i++)
    if (strcmp(method->params[i].name, "dry_run") == 0) return true;
  return false;
}

bool trial_begin(cli *c, const char *name, int *status) {
  const stele_method *method = stele_method_find(name);
  bool library = (method->flags & STELE_METHOD_LIBRARY) != 0;
  if (!dry(c) || strcmp(method->access, "read") == 0) return true;
  if (library || (method->flags & STELE_METHOD_OUTSIDE)) {
    char *message = text_format("%s makes its own transactions: it cannot be tried and taken back", name);
    const char *hint = offers_dry_run(method) ? "it has an argument for that: \"dry_run\":true" : "";
    *status = out_failure(&c->out, &(stele_failure){STELE_UNSUPPORTED, name, "", message, hint});
    free(message);
    return false;
  }
  if (stele_begin(c->db, method->store) == STELE_OK) {
    c->trial = true;
    return true;
  }
  *status = command_failed(c);
  return false;
}

void trial_end(cli *c) {
  if (c->trial && stele_rollback(c->db) != STELE_OK) command_failed(c);
  c->trial = false;
  if (dry(c) && !c->out.json) out_notes(&c->out, "a dry run: nothing was changed");
}

bool trial_agreed(cli *c, const char *question, int *status) {
  char answer[16] = "";
  if (dry(c) || c->options.local[OPTION_YES]) return true;
  if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
    *status = out_bad(&c->out, "--yes does it, --dry-run shows what would be done", "%s: nobody is there to be asked",
                      command_argument(c, 0));
    return false;
  }
  char *clean = text_clean(question);
  fprintf(stderr, "%s [y/N] ", clean);
  free(clean);
  fflush(stderr);
  bool yes = fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y');
  if (!yes) {
    out_notes(&c->out, "nothing was changed");
    *status = 1;
  }
  return yes;
}

/* codex.h - what the reader of Codex transcripts remembers from record to record (read_codex.c). */
#ifndef ST_CODEX_H
#define ST_CODEX_H

#include "capture/telling.h"

/* Who says it: the model's history, or the events for the screen. */
typedef enum st_codex_family { ST_CODEX_ITEM, ST_CODEX_EVENT } st_codex_family;

#define ST_CODEX_TEXTS 32 /* the two families are never further apart than a step */
#define ST_CODEX_CALLS 32 /* at once */

typedef struct st_codex {
  st_text id;     /* of the session, where the name of the file does not say it */
  st_text thread; /* as its meta says */
  st_text model, cwd;
  double started; /* the only time there is for items of the first generation */
  bool has_meta, has_parent;
  bool has_base, base_known;
  int64_t base[4]; /* tokens of the thread it goes on from */
  struct {
    uint64_t texts[ST_CODEX_TEXTS]; /* hashes of what one family said and the other did not, oldest first */
    size_t count;
  } said[2];
  struct {
    st_text id, name;
  } calls[ST_CODEX_CALLS]; /* not answered yet, oldest first */
  size_t call_count;
  bool changed;
} st_codex;

/* From and to the state of the source.  Texts live as long as the record. */
void st_codex_remember(st_tell *tell, st_codex *codex);
void st_codex_keep(st_tell *tell, const st_codex *codex);

/* Has the other family said this (a string, or a list of parts)?  Then it has now been said by both, and is
** forgotten.  If not, it is remembered for the other. */
bool st_codex_said(st_tell *tell, st_codex *codex, st_codex_family family, char kind, st_text content);

void st_codex_called(st_codex *codex, st_text id, st_text name);
/* The name of the tool that was called with this id; none: not known. */
st_text st_codex_answered(st_codex *codex, st_text id);

#endif

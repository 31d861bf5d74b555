/* parts.h - what the files of stele.forget share. */
#ifndef ST_FORGET_PARTS_H
#define ST_FORGET_PARTS_H

#include "engine/call.h"
#include "forget/needles.h"

/* What a text may be written as: itself, and inside JSON, with letters beyond ASCII as they are or escaped. */
#define ST_FORGET_FORMS 3

/* One call of stele.forget. */
typedef struct st_forget {
  st_call *call;
  bool dry;
  const char *forms[ST_FORGET_FORMS]; /* of the text; none: it is not by text */
  int nforms;
  bool narrowed;      /* a session, project, source or time was said */
  bool partial;       /* what is forgotten may stand elsewhere, too: by more or something other than a text in all stores */
  st_needles needles; /* what must not be found any more */
} st_forget;

/* A part of it in one store. */
typedef struct st_forget_store {
  st_forget *all;
  st_call *part;     /* a call in that store */
  int64_t removed, redacted;
  int64_t held;      /* rows that a legal hold keeps */
  st_row *last;      /* of the reply, before this store */
} st_forget_store;

/* A row of the reply; NULL when the call has failed. */
st_value *st_forget_tell(st_forget *all, const char *store, const char *action, const char *name, const char *note);

/* ---- rows.c ---- */

/* In a write transaction: note what goes, tell it, and, unless it is a dry run, remove it.  True: it is to be kept. */
bool st_forget_rows(st_call *part, void *store);
/* In a transaction that is taken back: how many rows of the store still hold a text. */
int64_t st_forget_left(st_call *part, const char *text);
/* Has the store the table? */
bool st_forget_has(const st_call *part, const st_forgettable *table);

/* ---- derived.c ---- */

/* Make anew what was made of the rows, and write the store anew, so that no free page of it holds anything. */
void st_forget_derived(st_forget_store *store);

/* ---- proof.c ---- */

/* Nothing is left in the store, its files and the words of its index: or the call fails. */
void st_forget_prove(st_forget_store *store);
/* Search a file.  Tells it; false: something was found, or it cannot be read. */
bool st_forget_search(st_forget *all, const char *store, const char *path, int64_t *found);

/* ---- words.c ---- */

/* Compare the words of the index with those of the rows: how many it has, and how many no row has. */
void st_forget_words(st_call *part, int64_t *words, int64_t *strange);

/* ---- beside.c ---- */

/* Files of the home that are no store's: lines that hold the text are blanked, backups kept, written anew or deleted. */
void st_forget_beside(st_forget *all);

#endif

/* common.h - terms that very many rows have: their postings are kept in the index file, packed (postings.h).
**
** They are made when the index is put in order, and by the first search for one that was not.  Rows that were indexed since
** are asked of FTS5; rows that were indexed anew are noted by the indexer (stele_rewritten).  What is found is so always
** what FTS5 would find.  With the commonest their places are kept, of which the
** postings of phrases are made (common_phrase.h). */
#ifndef ST_COMMON_H
#define ST_COMMON_H

#include "search/index.h"
#include "search/postings.h"

#define ST_COMMON_ROWS 20000  /* of such a term: FTS5 needs some milliseconds for them */
#define ST_PLACED_ROWS 50000  /* and of one with whose postings its places are kept: for a phrase of such words FTS5 needs as long */
#define ST_REWRITTEN_MAX 200  /* rows, each of which a search has to ask FTS5 for; with more, postings are made anew */

#define ST_COMMON_NAME_MAX 500 /* bytes of what a term is known by: of a longer one nothing is kept */

#define ST_COMMON_TABLES                                                                                                    \
  "CREATE TABLE stele_common (term TEXT PRIMARY KEY, upto INTEGER NOT NULL, rewritten INTEGER NOT NULL, rows INTEGER NOT NULL," \
  " packed BLOB NOT NULL, places BLOB);"                                                                                                 \
  "CREATE TABLE stele_rewritten (number INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL);"

/* A term that is being read. */
typedef struct st_common {
  st_postings postings;
  double rows; /* that have it, about */
  int64_t upto, rewritten;
  st_loose loose;
  st_spots places;      /* of the loose ones, and */
  st_slice kept_places; /* of the packed ones, where they are to be kept */
} st_common;

typedef enum st_kept { ST_NOT_COMMON, ST_NOT_KEPT, ST_KEPT } st_kept;

/* Is it such a term, and are its postings there?  A SQLite result code. */
int st_common_look(st_index *index, st_arena *arena, const st_term *term, st_kept *kept);

/* Read the postings of a term, whether they are kept or not; of a word with its places, if they are to be kept.  A SQLite result code. */
int st_common_open(st_index *index, st_arena *arena, const st_term *term, bool to_keep, st_common *common);
void st_common_close(st_common *common);

/* ---- common_keep.c ---- */

/* Keep those of a word or of a beginning, as they were opened and not yet read; not if another process has written the index meanwhile.  A SQLite result code;
** where a search does it, failing costs only time. */
int st_common_keep(st_index *index, st_arena *arena, const st_term *term, const st_common *common);

/* ---- common_update.c ---- */

/* Note that a row is indexed anew.  A SQLite result code. */
int st_common_note(st_index *index, int64_t id);
/* The number of the last such note. */
int64_t st_common_last_note(st_index *index, int *code);
/* Forget the notes that no kept postings need, and postings that need too many. */
int st_common_trim(st_index *index);

/* Keep the postings of every such word, and bring what is kept up to date. */
void st_common_update(st_call *call, st_index *index);

#endif

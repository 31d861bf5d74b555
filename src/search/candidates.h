/* candidates.h - which messages may match a query, by the search tables that a compatible store has
** inside: as good as all that do, and some more.  match.h has the last word.
**
** These tables cut texts in another way than our tokeniser.  messages_fts takes a run of CJK with the
** Latin words in it for one word, and tool calls as the JSON they are, where \nfoo is the word nfoo;
** messages_fts_trigram finds any three characters, but knows nothing of diacritics.  So a word is
** looked up in both, and in the ways it may be written in JSON; a run of three CJK characters in the
** second; and where neither helps, every message is a candidate.  What is missed: words that differ from
** the query in diacritics which messages_fts keeps (ё, й, ệ), and CJK in another form than the query's
** (half width, or with spaces inside).
**
** Inside of words (inside.h) nothing may be missed, and only the second table can help: it finds what is
** written in ASCII.  All messages in which something else stands are candidates, whatever they say. */
#ifndef ST_CANDIDATES_H
#define ST_CANDIDATES_H

#include "engine/call.h"
#include "search/query.h"

/* Messages, by ascending id. */
typedef struct st_ids {
  bool all; /* every message; then there is no list */
  int64_t *ids;
  size_t count;
  size_t room;
} st_ids;

typedef struct st_candidates {
  st_ids found;
  bool narrowed; /* words of one or two letters were looked up as words only: others may stand beside CJK, or in JSON */
  double rows[ST_QUERY_TERMS_MAX]; /* by number of the term: about how many messages have it; -1: not known */
} st_candidates;

/* The candidates, in the arena.  narrow: rather than all messages take those that have short words as words. */
void st_candidates_find(st_call *call, st_arena *arena, const st_query *query, bool narrow, st_candidates *out);

void st_ids_add(st_call *call, st_arena *arena, st_ids *list, int64_t id); /* greater than those before */
/* All ids that one of the methods without filters answers (find_words, find_unlisted...), in their order. */
st_ids st_ids_read(st_call *call, st_arena *arena, int method, const st_value *args);
st_ids st_ids_both(st_call *call, st_arena *arena, st_ids one, st_ids other);
st_ids st_ids_either(st_call *call, st_arena *arena, st_ids one, st_ids other);
/* The place of the first one that is `id` or greater. */
size_t st_ids_place(const st_ids *list, int64_t id);

/* At least those that match, by what a function tells of each term; what stands behind NOT is not asked, nor
** is a further term where there are few: reading them is no more work. */
#define ST_IDS_FEW 128
typedef st_ids st_ids_of_term(void *with, const st_term *term);
st_ids st_ids_of(st_call *call, st_arena *arena, const st_query_node *node, st_ids_of_term *of_term, void *with);

/* The words of the query that are to be found, joined by OR, for messages_fts; nothing if there are none. */
void st_candidates_words(const st_query *query, st_str *out);

#endif

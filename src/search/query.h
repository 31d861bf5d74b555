/* query.h - the query language: any text is a query; none is an error.
**
**   deploy plan        both words                     deploy OR plan     one of them, or both
**   "deploy plan"      the words in this order        deploy NOT plan    the first without the second
**   depl*              words that begin so            "deploy pl"*       the same for the last word
**
** NOT binds tighter than AND, which may be left out, and AND tighter than OR.  Operators are upper
** case; and, or, not are words.  A term with punctuation inside (chat-send, a/b.py, it's, my-app*) is
** the phrase of its tokens, and so is a run of CJK.  Everything else is punctuation: brackets do not
** group, -x is x, content:x is content x, a quote without its partner is none.  “ and ” quote too.
**
** What was asked and what is searched may so differ.  The remark says how. */
#ifndef ST_QUERY_H
#define ST_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/token.h"

#define ST_QUERY_TERMS_MAX 64   /* terms of a query; what follows is not searched, and remarked */
#define ST_TYPED_MAX 256        /* bytes */
#define ST_PHRASE_TOKENS_MAX 64 /* tokens of a phrase; likewise.  match.c has a bit for each */

typedef struct st_query_token {
  const char *text; /* NUL-terminated */
  size_t length;
  st_token_kind kind; /* never BOUNDARY at either end of a term */
  const char *typed;  /* as it stands in the query, not folded; "" if that is very long */
} st_query_token;

/* A word, or a phrase: tokens that follow each other in one column. */
typedef struct st_term {
  st_query_token *tokens;
  int count;     /* at least 1 */
  int number;    /* its place in st_query.terms, and among the phrases of the FTS5 expression */
  bool prefix;   /* the last token may go on */
  bool negative; /* stands behind NOT */
} st_term;

typedef enum st_query_kind {
  ST_QUERY_EMPTY, /* finds nothing; only as the root */
  ST_QUERY_TERM,
  ST_QUERY_AND, /* left and right */
  ST_QUERY_OR,  /* left or right */
  ST_QUERY_NOT, /* left and not right */
} st_query_kind;

/* Terms joined alike lean to the left: ((a AND b) AND c).  An OR holds ANDs and NOTs; the left of a NOT
** is its terms joined by AND, the right those joined by OR. */
typedef struct st_query_node st_query_node;
struct st_query_node {
  st_query_kind kind;
  const st_term *term; /* of a TERM */
  const st_query_node *left;
  const st_query_node *right;
};

typedef struct st_query {
  const st_query_node *root;
  st_term *terms; /* all of them, from left to right in the tree */
  int term_count;
  bool quick;         /* an answer soon rather than whole (quick.h); the parser never says so */
  bool inside;        /* its words are looked for inside of words (inside.h); the parser never says so */
  bool common_may_go; /* words that very many rows have need not be looked for, where others are (question.h) */
  const char *remark; /* what was read in another way than it may have been meant; "" if nothing */
} st_query;

/* Read a query, in time linear in its length; the result needs the text no more.  NULL: out of memory. */
const st_query *st_query_parse(st_arena *arena, const char *text, size_t length);

/* The words joined by OR, without those behind NOT: whatever has some of them.  Phrases of words are taken
** apart, the first 64 words are looked for.  NULL: out of memory. */
const st_query *st_query_any(st_arena *arena, const st_query *query);

/* Give a query its tree and its terms their numbers: any of its terms.  False: out of memory. */
bool st_query_join_any(st_arena *arena, st_query *query);

/* All words that are not behind NOT, in their order, as one phrase; EMPTY if that is one word or more than a phrase
** has room for.  NULL: out of memory. */
const st_query *st_query_phrase(st_arena *arena, const st_query *query);

/* The terms that do not stand behind NOT, for snippets and ranking; at most max of them.  How many. */
int st_query_terms(const st_query *query, const st_term **terms, int max);

/* What a term is known by: its tokens with spaces between; a prefix has a star behind it.  False: it is longer. */
bool st_term_name(const st_term *term, char *out, size_t size);

/* Append the query as an FTS5 MATCH expression for our tokeniser, or as a PostgreSQL tsquery for our
** tsvectors (tsvector.h), which documents of all kinds but messages have.  An EMPTY query is written too, as an empty phrase or nothing: the engines take
** it and find nothing.  In FTS5 a boundary is written as a full stop, which the tokeniser reads as a boundary again. */
void st_query_fts5(const st_query *query, st_str *out);
void st_query_tsquery(const st_query *query, st_str *out);

/* A tsquery that finds at least the same rows, also in a tsvector that lost positions: phrases ask for
** their tokens in any order, and NOT leaves nothing out.  st_match() then decides. */
void st_query_tsquery_loose(const st_query *query, st_str *out);

#endif

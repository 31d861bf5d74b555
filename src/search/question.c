/* question.c - see question.h. */
#include "search/question.h"

#include <stdlib.h>
#include <string.h>

#include "search/inflect.h"

#define WORDS_MAX 64
#define NAMED 1.25 /* the weight of what names something */
#define LIGHT 0.5

/* ---- words that do not tell what a question is about ---- */

static const char *const left_out[] = {
    "a",      "about",   "after",   "again",  "all",     "also",  "am",     "an",     "and",     "any",     "are",    "aren",  "as",     "at",
    "be",     "been",    "before",  "being",  "between", "but",   "by",     "can",    "could",   "couldn",  "d",      "did",   "didn",   "do",
    "does",   "doesn",   "doing",   "don",    "during",  "each",  "ever",   "for",    "from",    "had",     "has",    "have",  "haven",  "having",
    "he",     "her",     "here",    "hers",   "him",     "his",   "how",    "i",      "if",      "in",      "into",   "is",    "isn",    "it",
    "its",    "just",    "ll",      "m",      "many",    "may",   "me",     "might",  "mine",    "more",    "most",   "much",  "must",   "my",
    "no",     "nor",     "not",     "of",     "off",     "on",    "or",     "other",  "our",     "ours",    "out",    "over",  "please", "re",
    "s",      "shall",   "she",     "should", "so",      "some",  "t",      "tell",   "than",    "that",    "the",    "their", "theirs", "them",
    "then",   "there",   "these",   "they",   "this",    "those", "to",     "up",     "us",      "ve",      "very",   "was",   "wasn",   "we",
    "were",   "what",    "when",    "where",  "which",   "while", "who",    "whom",   "whose",   "why",     "will",   "with",  "would",  "you",
    "your",   "yours"};

static const char *const beginnings[] = {"am",   "are", "can",  "could", "did",  "do",   "does",  "has",   "have",  "how", "is",    "remind",
                                         "shall", "should", "tell", "was", "were", "what", "when", "where", "which", "who", "whom", "whose",
                                         "why",  "will", "would"};

/* These say little. */
static const char *const light[] = {"come", "get", "go", "going", "gone", "got", "kind", "kinds", "like", "sort", "take", "taken", "thing", "things",
                                    "time", "type", "types", "use", "used", "want", "way", "went"};

static int compare(const void *word, const void *entry) { return strcmp(word, *(const char *const *)entry); }

#define IS_IN(word, list) (bsearch(word, list, sizeof(list) / sizeof *(list), sizeof *(list), compare) != NULL)

/* ---- its words ---- */

typedef struct word {
  char text[ST_TOKEN_MAX + 1];
  size_t length;
  st_token_kind kind;
  bool named;    /* written as a name or a number, or in quotes */
  bool question; /* left out, where there are others */
} word;

typedef struct reader {
  const char *text;
  size_t length;
  size_t quotes_upto; /* where quotes were counted up to */
  bool quoted;        /* an odd number of them: inside */
  int seen;           /* words, with those there was no room for */
  int count;
  word words[WORDS_MAX];
} reader;

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool take(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  reader *r = to;
  (void)end;
  if (kind == ST_TOKEN_BOUNDARY) return true;
  for (; r->quotes_upto < start; r->quotes_upto++)
    if (r->text[r->quotes_upto] == '"') r->quoted = !r->quoted;
  word *w = &r->words[r->count];
  memcpy(w->text, token, length);
  w->text[length] = '\0';
  w->length = length;
  w->kind = kind;
  w->named = r->quoted || (r->seen > 0 && is_upper(r->text[start])) || is_digit(token[0]);
  w->question = IS_IN(w->text, left_out);
  r->seen++;
  return ++r->count < WORDS_MAX;
}

static void read_words(reader *r, const char *text, size_t length) {
  *r = (reader){.text = text, .length = length};
  if (length) st_tokenize(text, length, take, r);
}

/* ---- is it one? ---- */

/* A word of the query language stands in it: a star behind a word, or AND, OR, NOT between words. */
static bool has_operators(const char *text, size_t length) {
  for (size_t i = 1; i < length; i++)
    if (text[i] == '*' && text[i - 1] != ' ') return true;
  for (size_t i = 0; i + 4 < length; i++)
    if (text[i] == ' ' && (!strncmp(text + i + 1, "OR ", 3) || (i + 5 < length && (!strncmp(text + i + 1, "AND ", 4) || !strncmp(text + i + 1, "NOT ", 4)))))
      return true;
  return false;
}

bool st_question_is(const char *text, size_t length) {
  reader r;
  int common = 0;
  while (length && (text[length - 1] == ' ' || text[length - 1] == '\n')) length--;
  if (!length || has_operators(text, length)) return false;
  read_words(&r, text, length);
  for (int i = 0; i < r.count; i++) common += r.words[i].question;
  if (r.count < 3) return false;
  return text[length - 1] == '?' || IS_IN(r.words[0].text, beginnings) || (r.count >= 5 && common >= 2);
}

/* ---- as a query ---- */

typedef struct builder {
  st_arena *arena;
  st_question *question;
  st_query *query;
  bool nomem;
} builder;

static void add_term(builder *b, const char *text, size_t length, st_token_kind kind) {
  st_query_token *token = st_arena_alloc(b->arena, sizeof *token);
  char *copy = st_arena_copy(b->arena, text, length);
  if (!token || !copy) {
    b->nomem = true;
    return;
  }
  *token = (st_query_token){.text = copy, .length = length, .kind = kind, .typed = copy};
  b->query->terms[b->query->term_count++] = (st_term){.tokens = token, .count = 1};
}

/* The word was asked for already, as it is or in another form. */
static bool is_known(const builder *b, const word *w) {
  for (int i = 0; i < b->query->term_count; i++)
    if (!strcmp(b->query->terms[i].tokens[0].text, w->text)) return true;
  return false;
}

static void add_group(builder *b, const word *w, int room) {
  st_form forms[ST_FORMS_MAX];
  st_group *group = &b->question->groups[b->question->ngroups++];
  *group = (st_group){.first = b->query->term_count, .weight = w->named ? NAMED : IS_IN(w->text, light) ? LIGHT : 1};
  add_term(b, w->text, w->length, w->kind);
  int count = w->kind == ST_TOKEN_WORD ? st_inflect(w->text, w->length, forms, room - 1 < ST_FORMS_MAX ? room - 1 : ST_FORMS_MAX) : 0;
  for (int i = 0; i < count && !b->nomem; i++) add_term(b, forms[i], strlen(forms[i]), ST_TOKEN_WORD);
  group->count = b->query->term_count - group->first;
}

static void add_groups(builder *b, const reader *r) {
  int wanted = 0;
  for (int i = 0; i < r->count; i++) wanted += !r->words[i].question;
  bool all = wanted == 0;
  if (all) wanted = r->count;
  if (wanted > ST_QUESTION_GROUPS) wanted = ST_QUESTION_GROUPS;
  for (int i = 0; i < r->count && b->question->ngroups < ST_QUESTION_GROUPS && !b->nomem; i++) {
    if ((!all && r->words[i].question) || is_known(b, &r->words[i])) continue;
    add_group(b, &r->words[i], ST_QUERY_TERMS_MAX / wanted);
  }
}

/* ---- persons and times ---- */

static int month_of(const char *text) {
  static const char *const months[] = {"january", "february", "march",     "april",   "may",      "june",
                                       "july",    "august",   "september", "october", "november", "december"};
  for (int i = 0; i < 12; i++)
    if (!strcmp(text, months[i])) return i;
  return -1;
}

/* may and march are months if they are written so. */
static void read_hints(st_question *q, const reader *r) {
  static const char *const mine[] = {"i", "me", "mine", "my", "our", "we"};
  for (int i = 0; i < r->count; i++) {
    const word *w = &r->words[i];
    int month = w->named ? month_of(w->text) : -1;
    if (month >= 0) q->months |= 1u << month;
    if (w->length == 4 && !q->year && strspn(w->text, "0123456789") == 4 && (!strncmp(w->text, "19", 2) || !strncmp(w->text, "20", 2)))
      q->year = atoi(w->text);
    q->of_me = q->of_me || IS_IN(w->text, mine);
    q->of_you = q->of_you || !strcmp(w->text, "you") || !strcmp(w->text, "your");
  }
}

const st_question *st_question_read(st_arena *arena, const char *text, size_t length) {
  reader *r = st_arena_alloc(arena, sizeof *r);
  st_question *question = st_arena_zero(arena, sizeof *question);
  builder b = {arena, question, st_arena_zero(arena, sizeof *b.query), false};
  st_term *terms = st_arena_zero(arena, ST_QUERY_TERMS_MAX * sizeof *terms);
  if (!r || !question || !b.query || !terms) return NULL;
  *b.query = (st_query){.terms = terms, .common_may_go = true, .remark = ""};
  read_words(r, text, length);
  add_groups(&b, r);
  read_hints(question, r);
  question->query = b.query;
  return b.nomem || !st_query_join_any(arena, b.query) ? NULL : question;
}

/* side.h - who takes part in a comparison: what users do with conversations, done by Stele and by what it is held against.
**
** Every side writes the same messages and is asked the same questions.  A side lives in a directory of its own, named
** as it is, or in a schema of that name of a PostgreSQL. */
#ifndef BENCH_SIDE_H
#define BENCH_SIDE_H

#include "conversation/messages.h"

/* What is done.  X(name, how often).  Appending comes last: what is searched has been indexed. */
#define BENCH_DEEDS(X) \
  X(words, 200)        \
  X(common, 20)        \
  X(chinese, 40)       \
  X(list, 200)         \
  X(read, 40)          \
  X(page, 200)         \
  X(export, 1)         \
  X(append, 400)

enum {
#define BENCH_DEED_NUMBER(name, count) BENCH_##name,
  BENCH_DEEDS(BENCH_DEED_NUMBER)
#undef BENCH_DEED_NUMBER
      BENCH_DEED_COUNT
};

extern const struct bench_deed_told {
  const char *name;
  int times;
} bench_deeds[BENCH_DEED_COUNT];

/* Messages on one page of a conversation; rows of every other answer. */
#define BENCH_PAGE 50
#define BENCH_ANSWER 20
/* Messages that a bare loop writes in one transaction when it writes many. */
#define BENCH_FILL 200

typedef struct bench_side bench_side;
/* Do it for the n-th time; answers how many rows there were. */
typedef int bench_deed(bench_side *side, int n);

struct bench_side {
  const char *name;
  void (*open)(bench_side *side, const bench_options *options, bool make); /* make: what is to be filled */
  void (*close)(bench_side *side);
  double (*fill)(bench_side *side, unsigned rows);  /* answers the seconds */
  double (*bytes)(bench_side *side);                /* on the disk */
  bench_deed *deeds[BENCH_DEED_COUNT];              /* NULL: it has no such thing */
  unsigned rows;                                    /* that it was filled with */
  void *state;                                      /* its own */
};

/* Stele itself; the limit: the same tables by a bare C loop, and SQLite's own full-text index without a trigger; the
** documented original by a bare C loop; plain PostgreSQL, NULL in a build without it. */
extern bench_side bench_stele, bench_limit, bench_original;
extern bench_side *const bench_plain;

/* What the original does about old sessions: all that have ended go in one transaction.  Answers how many messages went.
** Ending them all comes before. */
int64_t bench_original_prune(bench_side *side);
void bench_original_end_sessions(bench_side *side);

/* The sides that a program compares, Stele first, up to NULL: those on files, or those in the database it was given. */
bench_side **bench_sides(const bench_options *options);
/* Bytes that the tables of a schema take, with their indexes; 0 in a build without PostgreSQL. */
double bench_schema_bytes(const char *database, const char *schema);
/* The directory of a side. */
bench_path bench_side_home(const bench_side *side, const bench_options *options);

#endif

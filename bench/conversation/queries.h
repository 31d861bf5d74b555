/* queries.h - what benchmarks ask for: the arguments of a search, different ones in every call and the same in every run. */
#ifndef BENCH_QUERIES_H
#define BENCH_QUERIES_H

#include "conversation/messages.h"

unsigned bench_below(unsigned limit); /* a number by chance */
const char *bench_some_word(void);

/* The arguments of the i-th query. */
typedef void bench_write(int i, char *out, size_t size);
bench_write bench_write_mixed;     /* one to four words, in every form that the language has */
bench_write bench_write_common;    /* the commonest word */
bench_write bench_write_chinese;   /* one and two characters */
bench_write bench_write_substring; /* three to six letters of a word */
bench_write bench_write_typing;    /* the next letter of a word, or of the second of two */

#endif

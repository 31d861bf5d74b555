/* asked.h - the questions that every side is asked: the same ones in every run. */
#ifndef BENCH_ASKED_H
#define BENCH_ASKED_H

/* Each is valid until the next of its kind is made.  Two words of the ranks 50 to 5,000; one or two Chinese characters. */
const char *bench_two_words(int n);
const char *bench_characters(int n);
/* One of the sessions that so many messages make. */
const char *bench_some_session(int n, unsigned rows);

/* Leave them in a file, as JSON, for a program that is not written in C. */
void bench_leave_questions(const char *path, unsigned rows);

#endif

/* remote_reply.h - what an endpoint answers, read and checked. */
#ifndef ST_REMOTE_REPLY_H
#define ST_REMOTE_REPLY_H

#include "base/problem.h"
#include "base/text.h"

/* Hands over one vector: it is that of the index-th text that was sent.  False stops. */
typedef bool st_remote_vector_fn(void *to, size_t index, const float *numbers, size_t count);

/* Read a reply with the vectors of `count` texts: {"data":[{"index":0,"embedding":[...]},...]}.  Every one of them must
** be there once.  False: the problem says what is wrong, or fn stopped it. */
bool st_remote_read(st_text reply, size_t count, st_remote_vector_fn *fn, void *to, st_problem *problem);

#endif

/* answer.h - what a language model says of a bundle, read and checked: it becomes a node only if all of it is as it was asked for. */
#ifndef ST_ANSWER_H
#define ST_ANSWER_H

#include "base/problem.h"
#include "enrich/enricher.h"

/* The JSON object in the text: alone, between the marks of a code block, or behind what a model thinks aloud.
** ST_LEARN_FAILED: the problem says what is wrong with it, in words that the model understands too. */
st_learning st_answer_read(st_arena *arena, const st_bundle *bundle, st_text text, st_learned *out, st_problem *problem);

#endif

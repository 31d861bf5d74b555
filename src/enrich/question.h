/* question.h - a bundle as a question to a language model. */
#ifndef ST_QUESTION_H
#define ST_QUESTION_H

#include "chat/prompt.h"
#include "enrich/bundle.h"

/* What the model is for, and what it shall answer; in words of ours. */
st_text st_question_task(const st_bundle *bundle);

/* The bundle, every text of it between marks.  The prompt is begun here, and to be freed in any case; false: out of memory, or of random bytes. */
bool st_question_ask(const st_bundle *bundle, size_t tokens, st_prompt *prompt);

#endif

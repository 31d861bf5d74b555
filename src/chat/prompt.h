/* prompt.h - a question to a model: words of ours, and texts of others, which are data.
**
** A text of others stands between two marks with a word in them that is new in every prompt and that nobody can know beforehand.  Should it be
** in the text all the same, it is made unreadable there; so whatever a text says, and whatever marks it imitates, it ends inside its own.
** Characters that people do not see but models read are left out.  The prompt has a budget, counted in tokens. */
#ifndef ST_PROMPT_H
#define ST_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/text.h"
#include "base/uuid.h"

typedef struct st_prompt {
  st_str text;
  char word[ST_UUID_SIZE]; /* of the marks */
  size_t budget;           /* in tokens */
} st_prompt;

/* How many tokens so many bytes are, estimated on the safe side: every model counts differently. */
size_t st_prompt_tokens(size_t bytes);

/* False: the system gave no random bytes. */
bool st_prompt_begin(st_prompt *prompt, size_t tokens);
void st_prompt_free(st_prompt *prompt);

/* Words of ours; never a text of others. */
void st_prompt_say(st_prompt *prompt, const char *words);
/* What the marks mean, in words of ours; it belongs before the first text of others. */
void st_prompt_say_rule(st_prompt *prompt);

/* A text of others, under a label of ours ("command").  Of one that is longer than `most` tokens, or than what is left of the budget, the
** beginning and the end stay.  False: there was no room for it, and it is not there. */
bool st_prompt_quote(st_prompt *prompt, const char *label, st_text text, size_t most);

/* Tokens that are left. */
size_t st_prompt_left(const st_prompt *prompt);

#endif

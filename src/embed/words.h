/* words.h - the tokens of a model of words.
**
** Words are those of search (base/token.h): folded, in lower case.  A word that the model does not know is
** taken apart where a program's names are put together (parseHTTPHeader2: parse, http, header, 2); a part or
** a word that is still not known is looked for without its ending (refactorings: refactoring, refactor). */
#ifndef ST_WORDS_H
#define ST_WORDS_H

#include "embed/model.h"

/* Add the vectors of all known words of a text to a sum. */
void st_words_add(const st_model *model, const char *text, size_t length, float *sum);

/* The folded form of what is one word, at most ST_TOKEN_MAX bytes; its length, or 0: it is not one word. */
size_t st_words_fold(const char *text, size_t length, char *out);

#endif

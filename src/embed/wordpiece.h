/* wordpiece.h - the tokens of a model in the manner of BERT.
**
** A text is cleaned (flags of the model), cut into words at white space and around punctuation, and each word
** into the longest pieces that the model has: embedding is em, ##bed, ##ding.  A word that cannot be cut so,
** or is too long, is left out as a whole.  Special tokens are neither added nor recognised. */
#ifndef ST_WORDPIECE_H
#define ST_WORDPIECE_H

#include "embed/model.h"

#define ST_WORDPIECE_WORD_MAX 200 /* most characters that a model may allow in a word */

/* Add the vectors of all pieces of a text to a sum. */
void st_wordpiece_add(const st_model *model, const char *text, size_t length, float *sum);

#endif

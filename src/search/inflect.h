/* inflect.h - the forms in which an English word may stand in a text: for camp also camps, camped, camping; for buy
** also bought.
**
** So a question finds them in an index that keeps words as they are.  A form that is no word costs a look and
** finds nothing. */
#ifndef ST_INFLECT_H
#define ST_INFLECT_H

#include <stddef.h>

#define ST_FORM_MAX 32 /* bytes, with the NUL: longer words have one form */
#define ST_FORMS_MAX 24

typedef char st_form[ST_FORM_MAX];

/* The forms of a word as the tokeniser gives it, likelier ones first; the word itself, which is one of them, is left out.
** At most max of them.  How many. */
int st_inflect(const char *word, size_t length, st_form *forms, int max);

#endif

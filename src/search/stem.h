/* stem.h - English words without their endings, by Porter's algorithm of 1980: camping, camped and camps give camp.
**
** The index keeps words as they are; stems tell which forms of a word are one (inflect.h). */
#ifndef ST_STEM_H
#define ST_STEM_H

#include <stddef.h>

/* Cut a word of lower-case ASCII letters down to its stem, in place; its new length, never more than before and at
** least 1 of a word that has a letter.  A word with other bytes in it stays as it is. */
size_t st_stem(char *word, size_t length);

#endif

/* said.h - what the options of a command said, as JSON for a call.
**
** Each returns new memory, or NULL if nothing was said.  What makes no sense is told, and *status
** becomes the exit status; a command puts its arguments together and then asks once. */
#ifndef CLI_SAID_H
#define CLI_SAID_H

#include "command.h"

char *said_text(cli *c, local_option id, int *status);
char *said_texts(cli *c, local_option id, int *status); /* a list: one text, or several with commas between */
char *said_directory(cli *c, local_option id, int *status); /* by its whole name if it is there, else as it was said */
char *said_number(cli *c, local_option id, int *status);
char *said_time(cli *c, local_option id, int *status);
char *said_words(cli *c); /* the arguments of the command, spaces between; NULL: they are not UTF-8 */
char *said_list_of(char *quoted); /* a list of one that is JSON already, which is freed; NULL stays NULL */
char *said_flag(cli *c, local_option id); /* true, or nothing */

#endif

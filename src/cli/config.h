/* config.h - the configuration file: where it is, what it says, and how one key of it is changed. */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include "command.h"

/* Everything that says something of the settings: the file, the environment, the options. */
void config_load(settings *s, const options *o);

/* Set a key in the file, and from now on.  Returns the exit status; what was set, or why not, is told. */
int config_set(cli *c, const char *name, const char *value);

/* A file's text with one key set, in new memory: comments, order and everything else stay.  value is as it stands in
** the file.  NULL: the text cannot be read as settings. */
char *config_edit(const char *text, const char *key, const char *value);

/* The file with every key, its default and what it is; each is a comment. */
char *config_template(void);

/* A list of the settings as JSON, or NULL if it is empty. */
char *config_texts(const settings *s, const char *name);

#endif

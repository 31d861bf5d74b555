/* sample.h - conversations that nobody had, to look at before there are any of one's own. */
#ifndef CLI_SAMPLE_H
#define CLI_SAMPLE_H

#include "output.h"
#include "stele.h"

/* src/cli/sample/conversations.json; "@-90" in it is ninety seconds ago. */
extern const char sample_json[];

/* Take them into a home.  Returns the exit status. */
int sample_import(output *out, const char *home);

#endif

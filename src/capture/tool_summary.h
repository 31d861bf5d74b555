/* tool_summary.h - what a tool was told, in a few words: the command, the file, the pattern.
**
** Secrets are taken out before the words are cut, since half of one may not be known as one. */
#ifndef ST_TOOL_SUMMARY_H
#define ST_TOOL_SUMMARY_H

#include "capture/redact.h"
#include "capture/segment.h"

/* Of a tool of some names: which of its arguments are told, and how many characters of each. */
typedef struct st_tool_words {
  const char *names[4]; /* of tools; NULL: of all that none before this was for */
  const char *members[8]; /* the first that is there is told, NULL-terminated */
  const char *also;     /* is told after it: "pattern in path"; NULL: nothing is */
  size_t most;          /* 0: all */
} st_tool_words;

/* How the tools of an agent are told. */
typedef struct st_tool_style {
  const st_tool_words *words; /* the last one is for all others: {0} ends the list */
  bool named;                 /* of a tool that no words are for, "name=value" is told of the first argument; else the first text */
  size_t most;                /* characters of that */
} st_tool_style;

extern const st_tool_style st_tools_of_claude, st_tools_of_codex, st_tools_of_opencode;

/* `arguments` is the JSON that the model wrote, or any text.  False: out of memory. */
bool st_tool_summary(const st_tool_style *style, st_redact_scratch *scratch, st_arena *arena, st_text name, st_text arguments,
                     st_text *out);

#endif

/* cursor_text.h - texts in Cursor's transcripts: what wraps a prompt, and the plain-text form of the first builds. */
#ifndef ST_CURSOR_TEXT_H
#define ST_CURSOR_TEXT_H

#include "capture/telling.h"

/* A prompt is what stands in <user_query>; what the program put around it is told before it, as the system's.
** `message` has key, role and time.  False: there is neither. */
bool st_cursor_tell_prompt(st_tell *tell, const st_told_message *message, st_text text);

/* What was shown of an answer: without the "[REDACTED]" that stands for hidden thinking at its end. */
st_text st_cursor_shown(st_text text);

/* A plain-text transcript is read from its start to its end in one go: the state holds the message that is
** being read, and is empty again at the end. */
bool st_cursor_line(st_source *source, const char *line, size_t length);
bool st_cursor_end(st_source *source);

#endif

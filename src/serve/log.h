/* log.h - what the server says: one line on stderr per event, as JSON unless a terminal shows it; and the same in
** words in logs/server.log, if that is wanted. */
#ifndef SERVE_LOG_H
#define SERVE_LOG_H

#include "stele.h"

void sv_log(stele_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From now on to logs/server.log in this home too.  The text must stay; NULL: no longer. */
void sv_log_to(const char *home);

/* From now on this shows what stderr would; NULL: stderr again.  Not while threads log. */
void sv_log_shown_by(void (*show)(void *user, stele_log_level level, const char *message), void *user);

/* For stele_options.log. */
void sv_log_library(void *user, stele_log_level level, const char *message);

#endif

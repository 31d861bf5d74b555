/* redact_assign.h - a name that says what it holds, and its value: key=value, key: value, "key": "value",
** export KEY=value, --key value, <key>value</key>, in any language. */
#ifndef ST_REDACT_ASSIGN_H
#define ST_REDACT_ASSIGN_H

#include "capture/redact_rules.h"

bool st_find_assigned(const char *text, size_t length, size_t at, size_t after, st_span *secret);

#endif

/* assistant.h - native methods of the assistant store; the registry refers to them. */
#ifndef ST_ASSISTANT_H
#define ST_ASSISTANT_H

#include "engine/call.h"

/* raw_sql.c */
void st_assistant_raw_sql_query(st_call *call);
void st_assistant_raw_sql_execute(st_call *call);
void st_assistant_raw_sql_dryrun(st_call *call);
extern const char *const st_assistant_hidden[]; /* tables that raw SQL does not see: see engine/confine.h */
/* describe_schema.c */
void st_assistant_describe_schema(st_call *call);

#endif

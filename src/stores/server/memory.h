/* memory.h - native methods of the memory files; the registry refers to them. */
#ifndef ST_MEMORY_H
#define ST_MEMORY_H

#include "engine/call.h"

void st_server_memory_view(st_call *call);
void st_server_memory_create(st_call *call);
void st_server_memory_str_replace(st_call *call);
void st_server_memory_insert(st_call *call);
void st_server_memory_delete(st_call *call);
void st_server_memory_rename(st_call *call);

#endif

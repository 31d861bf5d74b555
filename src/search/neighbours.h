/* neighbours.h - what stands next to a document: of a message, those before and after it in its session. */
#ifndef ST_NEIGHBOURS_H
#define ST_NEIGHBOURS_H

#include "search/documents.h"

/* The one before and the one after, if the filter allows them; else id.type is ST_NULL.  Only messages have neighbours.  In
** the call's memory. */
void st_neighbours(st_call *call, const st_document *of, const st_document_filter *filter, st_document out[2]);

#endif

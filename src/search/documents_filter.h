/* documents_filter.h - the filter of documents.h, for those who look in the index themselves. */
#ifndef ST_DOCUMENTS_FILTER_H
#define ST_DOCUMENTS_FILTER_H

#include "search/documents.h"
#include "search/find.h"

/* Is there anything that could be found? */
bool st_documents_possible(st_call *call, const st_document_filter *filter);

/* The same filter for the index file of the call's store. */
st_filter st_documents_filter(st_call *call, const st_document_filter *filter);

/* On PostgreSQL, where changes are noted: put all of them into the index.  False: they are not noted, or the call has failed. */
bool st_documents_complete(st_call *call);

#endif

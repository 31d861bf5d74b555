/* documents_postgres.h - what documents.h does where the store is on PostgreSQL: the index is a table of it. */
#ifndef ST_DOCUMENTS_POSTGRES_H
#define ST_DOCUMENTS_POSTGRES_H

#include "search/documents.h"

void st_documents_postgres_find(st_call *call, const st_query *query, const st_document_filter *filter, st_order order, int k,
                                st_documents_found *found);
void st_documents_postgres_list(st_call *call, const st_document_filter *filter, st_order order, int k, st_documents_found *found);

/* Index what was noted as new, changed or deleted. */
void st_documents_postgres_catch_up(st_call *call, int64_t *indexed);

/* Throw the index away, and note every document: the next catch-up makes it anew. */
void st_documents_postgres_restart(st_call *call);

#endif

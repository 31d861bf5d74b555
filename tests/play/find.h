/* find.h - asks the search index of a store directly: what can be found in it, of whatever kind. */
#ifndef ST_TEST_FIND_H
#define ST_TEST_FIND_H

#include "base/str.h"
#include "engine/error.h"
#include "stele.h"

/* Append an array of {kind, id, time, title, text}: what the query finds in the store, best first; without a query all there
** is, oldest first.  OPTIONS is JSON: query, kinds, roles, sessions, projects, since, until, limit.  Else *error tells why. */
bool find_add(st_str *out, stele_db *db, const char *store, const char *options, st_error *error);

/* Bring the index up to date, or make it anew; append how many documents were indexed. */
bool find_index(st_str *out, stele_db *db, const char *store, bool rebuild, st_error *error);

/* OPTIONS: {"model","rows":[{"kind","id","vector"}]}: keep embeddings, in one transaction; a row without a vector is forgotten, and
** {"clear":DIMENSION} forgets a collection first. */
bool find_embed(st_str *out, stele_db *db, const char *store, const char *options, st_error *error);

/* Append an array of [kind, id, similarity]: what is nearest to {"vector"}, within the filter of find_add(). */
bool find_near(st_str *out, stele_db *db, const char *store, const char *options, st_error *error);

/* Bring the codes of embeddings up to date; append how many were coded. */
bool find_code(st_str *out, stele_db *db, const char *store, st_error *error);

#endif

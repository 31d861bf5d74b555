/* nodes.h - knowledge nodes as searches read them: candidates of the search index, as far as filters let them through. */
#ifndef ST_CAPTURE_NODES_H
#define ST_CAPTURE_NODES_H

#include "engine/call.h"
#include "registry_ids.h"
#include "search/documents.h"
#include "search/find.h"
#include "search/fuse.h"

enum {
  ST_NODES_PARAMS = ST_P_CAPTURE_SCAN_NODES_DIMENSION + 1,
  ST_NODE_VALUES = ST_R_CAPTURE_SCAN_NODES_TEXT_HASH + 1
};

/* Which nodes, whose texts or embeddings are then read: the arguments of scan_nodes, from those of search_knowledge. */
void st_nodes_filter(st_call *call, st_value which[ST_NODES_PARAMS]);

/* One node by its number, in the call's memory; false: there is none. */
bool st_nodes_find(st_call *call, int64_t id, st_value node[ST_NODE_VALUES]);

/* What is told of a node beside its columns, in the call's memory: the summary that its content has, "" if none, and the
** names of what it speaks about. */
st_value st_node_summary(st_call *call, const st_value *content);
st_value st_node_names(st_call *call, const st_value *id);

/* ---- candidates (node_candidates.c) ---- */

/* The index may tell first what a filter then leaves out: whoever has too few asks for so many more, unless it told all. */
enum { ST_NODES_FIRST = 512, ST_NODES_DEEPER = 8, ST_NODES_DEEPEST = 1 << 27 };

typedef struct st_node_candidates {
  bool every; /* the index cannot tell, and every node may be wanted */
  st_value *ids;
  size_t count, room;
} st_node_candidates;

/* Add one by its key. */
void st_nodes_add(st_call *call, const char *key, st_node_candidates *to);

/* What of the filters the index knows; it lives as long as the two arguments. */
typedef struct st_node_filter {
  st_value kind, kinds, roles;
  st_document_filter documents;
} st_node_filter;
const st_document_filter *st_nodes_within(const st_value *which, st_node_filter *out);

/* Add the first nodes by the index: up to so many that match a query, or without one (NULL) by time.  True: it has no more. */
bool st_nodes_candidates(st_call *call, const st_value *which, const st_query *query, st_order order, int most, st_node_candidates *to);

/* Read those that the filters let through, each once; take() is given the rows of scan_nodes. */
typedef void st_take_node(void *to, st_rows *rows);
void st_nodes_read(st_call *call, const st_value *which, st_node_candidates *from, st_take_node *take, void *to);

/* ---- by words (node_words.c) ---- */

/* How well a node fits the words: st_hit.grade. */
typedef enum st_fit { ST_FIT_SOME, ST_FIT_ALL, ST_FIT_PHRASE, ST_FITS } st_fit;

/* The best k of the nodes that have the words; by rank, the better fits first. */
typedef struct st_wanted_words {
  const st_query *query, *any, *phrase; /* the words as they were asked for, some of them, all in a row */
  st_order order;
  st_fit least; /* worse ones are not found */
  int k;
} st_wanted_words;

/* Read the words; false: there are none, which a remark says, or the call has failed. */
bool st_words_read(st_call *call, const st_value *text, st_wanted_words *words);
void st_nodes_with(st_call *call, const st_value *which, const st_wanted_words *words, st_found *found);

/* The latest k nodes. */
void st_nodes_latest(st_call *call, const st_value *which, int k, st_found *found);

/* ---- by meaning (node_vectors.c) ---- */

/* What recall calls the embeddings of a collection. */
const char *st_node_kind(const st_value *collection);

/* Fail the call unless a vector can be compared with the embeddings that there are: it has a direction, their dimension,
** and was made by their model, if that is told. */
void st_vector_check(st_call *call, const st_value *collection, const st_value *vector, const st_value *model);

/* The k nearest; their scores are cosines. */
void st_nodes_near(st_call *call, const st_value *which, const st_value *vector, int k, st_found *found);

/* Set the vectors of nodes, by their numbers, where they have one. */
void st_nodes_vectors(st_call *call, const st_value *which, size_t dimension, const int64_t *ids, int count, st_choice *out);

#endif

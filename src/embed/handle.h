/* handle.h - the embedder of a handle: made when it is first needed, of what its caller said, and freed with it. */
#ifndef ST_EMBED_HANDLE_H
#define ST_EMBED_HANDLE_H

#include "base/problem.h"
#include "embed/embedder.h"
#include "engine/call.h"

/* In the home: what is embedded with if nobody says otherwise. */
#define ST_EMBED_FILE "embedding.model"

/* NULL: there is none, and the call goes on.  `why` says it in words that a reply can carry: none is configured,
** or the one that is cannot be used.  A model that has come or was replaced since is seen. */
st_embedder *st_handle_embedder(st_call *call, st_problem *why);

/* Is one configured at all, whether it can be used or not? */
bool st_handle_embeds(st_call *call);

/* The file of the static model that is used; NULL: there is none, and `why` says so.  In the call's memory. */
const char *st_handle_model(st_call *call, st_problem *why);

/* Methods: sql/stele/embedding.sql. */
void st_stele_import_model(st_call *call);
void st_stele_embedding_model(st_call *call);
void st_stele_embed_texts(st_call *call);
void st_stele_doctor_embedding(st_call *call); /* sql/stele/methods.sql */

#endif

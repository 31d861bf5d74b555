/* embedding.h - how a handle's texts become vectors: what the caller said, kept for the layer above. */
#ifndef ST_EMBEDDING_H
#define ST_EMBEDDING_H

#include "engine/handle.h"

/* STELE_INVALID: it has not the size that is known. */
stele_status st_embedding_keep(stele_db *db, const stele_embedding *from);
void st_embedding_forget(stele_db *db);

#endif

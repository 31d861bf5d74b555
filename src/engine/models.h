/* models.h - which models a handle uses, to embed and to answer: what the caller said, kept for the layers above. */
#ifndef ST_MODELS_H
#define ST_MODELS_H

#include "engine/handle.h"

/* Either may be NULL.  STELE_INVALID: one has not the size that is known, and *wrong says which. */
stele_status st_models_keep(stele_db *db, const stele_embedding *embedding, const stele_chat *chat, const char **wrong);
void st_models_forget(stele_db *db);

#endif

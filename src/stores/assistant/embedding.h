/* embedding.h - where embeddings are kept: those of the dimension of the documented format in the column of their
** row, others in stele_vectors. */
#ifndef ST_ASSISTANT_EMBEDDING_H
#define ST_ASSISTANT_EMBEDDING_H

#define ST_EMBEDDING_DIMENSION 3072

#endif

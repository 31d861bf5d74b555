/* embedding.h - where embeddings are kept: all in the store's collections (search/meaning.h), where recall finds them; those of the
** dimension of the documented format in the column of their row too, where other programs do. */
#ifndef ST_ASSISTANT_EMBEDDING_H
#define ST_ASSISTANT_EMBEDDING_H

#define ST_EMBEDDING_DIMENSION 3072

#endif

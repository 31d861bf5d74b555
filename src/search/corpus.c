/* corpus.c - see corpus.h. */
#include "search/corpus.h"

#include "search/sources.h"

st_corpus st_corpus_of(const st_call *call) {
  return st_sources_numbered(call->store->store) ? st_corpus_messages() : st_corpus_documents(call);
}

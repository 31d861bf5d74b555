/* ingest_request.h - what may be asked at the socket of events, besides keeping one: each request is a call of a method. */
#ifndef SERVE_INGEST_REQUEST_H
#define SERVE_INGEST_REQUEST_H

#include <stdbool.h>

#include "../door/json.h"
#include "text.h"

typedef struct sv_request_kind {
  const char *type;   /* "GetEvents" */
  const char *method; /* NULL: it is not served here, */
  const char *answer; /* and this says why; else the type of the answer */
  struct {
    const char *member, *param;
  } members[5]; /* of the data, and which arguments they are; NULL: no more */
  bool told;    /* the reply is a part of the answer */
} sv_request_kind;

/* The kind of a request; NULL: there is none of that type. */
const sv_request_kind *sv_request_find(json type);

/* The arguments of its method. */
void sv_request_arguments(const sv_request_kind *kind, json data, sv_text *out);

#endif

/* postgres_stream.c - see postgres_stream.h. */
#include "engine/postgres_stream.h"

#include "base/alloc.h"
#include "engine/postgres_conn.h"

/* The link is free once it has said so with a NULL. */
static void release(st_postgres_stream *stream) {
  PGresult *rest;
  while ((rest = PQgetResult(stream->pg->link)) != NULL) PQclear(rest);
  stream->open = false;
  stream->pg->stream = NULL;
}

/* What the link has next.  Anything but a row is the last that comes. */
static PGresult *receive(st_postgres_stream *stream) {
  PGresult *result = PQgetResult(stream->pg->link);
  if (PQresultStatus(result) != PGRES_SINGLE_TUPLE) release(stream);
  return result;
}

PGresult *st_postgres_stream_begin(st_postgres_stream *stream, st_postgres *pg, const char *name, int count,
                                   const char *const *values, const int *lengths, const int *formats, bool binary) {
  stream->pg = pg;
  stream->lost = false;
  stream->next = stream->count = 0;
  if (!PQsendQueryPrepared(pg->link, name, count, values, lengths, formats, binary)) return NULL;
  stream->open = true;
  pg->stream = stream;
  PQsetSingleRowMode(pg->link); /* cannot fail here; if it did, all rows would come at once */
  return receive(stream);
}

PGresult *st_postgres_stream_next(st_postgres_stream *stream) {
  if (stream->next < stream->count) return stream->kept[stream->next++];
  return stream->open && !stream->lost ? receive(stream) : NULL;
}

static bool keep(st_postgres_stream *stream, PGresult *result) {
  if (stream->count == stream->room) {
    size_t room = stream->room ? stream->room * 2 : 64;
    PGresult **kept = st_realloc(stream->kept, room * sizeof *kept);
    if (!kept) return false;
    stream->kept = kept;
    stream->room = room;
  }
  stream->kept[stream->count++] = result;
  return true;
}

void st_postgres_settle(st_postgres *pg) {
  st_postgres_stream *stream = pg->stream;
  while (stream && stream->open) {
    PGresult *result = receive(stream);
    if (!stream->lost && result && keep(stream, result)) continue;
    stream->lost = true;
    PQclear(result);
  }
}

/* The server need not go on; inside a transaction that would be its end. */
static void cancel(const st_postgres *pg) {
  char why[256];
  PGcancel *request = pg->in_transaction ? NULL : PQgetCancel(pg->link);
  if (request) PQcancel(request, why, sizeof why);
  PQfreeCancel(request);
}

void st_postgres_stream_end(st_postgres_stream *stream) {
  if (stream->open) {
    cancel(stream->pg);
    release(stream);
  }
  while (stream->next < stream->count) PQclear(stream->kept[stream->next++]);
  st_free(stream->kept);
  *stream = (st_postgres_stream){0};
}

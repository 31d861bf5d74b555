/* fuzz_frames.c - any bytes at the socket of events: frames are the same in whatever pieces they come, and what they hold is taken in by a
** capture store in memory, or refused, one by one.  The first byte chooses the size of the pieces and the order of the length's bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/door/json.h"
#include "../../src/ingest/frame.h"
#include "fuzz/target.h"
#include "stele.h"

#define FRAME_MAX (64u << 10)

/* What a frame holds, given to the store: all of it is answered. */
static void ingest(stele_db *db, json envelope) {
  char *arguments = NULL, *reply = NULL;
  must(asprintf(&arguments, "{\"envelopes\":[%.*s]}", (int)envelope.length, envelope.text) > 0, "no memory");
  must(stele_call(db, "capture.ingest", arguments, &reply) == STELE_OK, stele_error(db)->message);
  json told = json_read(reply, strlen(reply));
  long long answered = json_int(json_member(told, "stored"), 0) + json_int(json_member(told, "duplicates"), 0) +
                       json_int(json_member(told, "refused"), 0);
  must(answered == 1, "one envelope has one answer");
  stele_free(reply);
  free(arguments);
}

/* A number that tells the frames apart; db NULL: they are only read. */
static uint64_t read_frames(st_frame_form form, const uint8_t *data, size_t size, size_t piece, stele_db *db) {
  st_frames frames = {.form = form};
  uint64_t hash = 0;
  st_frame_status status = ST_FRAME_MORE;
  for (size_t at = 0; at < size && status == ST_FRAME_MORE; at += piece) {
    size_t length;
    char *text;
    must(st_frames_feed(&frames, (const char *)data + at, size - at < piece ? size - at : piece) == ST_FRAME_OK, "no memory");
    while ((status = st_frames_next(&frames, &text, &length)) == ST_FRAME_OK) {
      must(text[length] == '\0' && length <= form.max, "a text ends in a NUL");
      for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
      json envelope = json_member(json_read(text, length), "data");
      if (db && json_kind(envelope) == '{') ingest(db, envelope);
    }
  }
  st_frames_free(&frames);
  return hash + (uint64_t)status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static stele_db *db;
  if (size == 0) return 0;
  if (!db) must(stele_open(&(stele_options){.size = sizeof(stele_options), .home = ":memory:"}, &db) == STELE_OK, "no home");
  st_frame_form form = {.max = FRAME_MAX, .native = data[0] & 1};
  size_t piece = (size_t)(data[0] >> 1) + 1;
  uint64_t whole = read_frames(form, data + 1, size - 1, size, db);
  must(whole == read_frames(form, data + 1, size - 1, piece, NULL), "the pieces make a difference");
  return 0;
}

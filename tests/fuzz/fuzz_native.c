/* fuzz_native.c - any bytes from a browser, in pieces: frames are taken apart, and what is a visit becomes an envelope that is
** JSON.  The first byte tells how long the pieces are. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/json.h"
#include "fuzz/target.h"
#include "ingest/frame.h"
#include "stele.h"

static const st_frame_form NATIVE = {.max = 1u << 20, .native = true};

static stele_db *handle(void) {
  static stele_db *db;
  if (!db) must(stele_open(&(stele_options){.size = sizeof(stele_options), .home = ":memory:"}, &db) == STELE_OK, "no handle");
  return db;
}

/* The members of a message have the names of the arguments. */
static void take(const char *text, size_t length) {
  json message = json_read(text, length);
  char *reply = NULL, *copy = message.text ? strndup(message.text, message.length) : NULL;
  if (copy && stele_call(handle(), "stele.read_visit", copy, &reply) == STELE_OK) {
    json read = json_read(reply, strlen(reply)), envelope = json_member(read, "envelope");
    int wanted = json_kind(json_member(read, "wanted")) == 't';
    must(wanted == (json_kind(envelope) == '{'), "an envelope if it is wanted, and only then");
    if (wanted) must(json_member(envelope, "envelope_id").length == 38, "no UUID");
  }
  stele_free(reply);
  free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  st_frames frames = {.form = NATIVE};
  if (size < 2) return 0;
  size_t piece = 1 + data[0];
  for (size_t at = 1; at < size; at += piece) {
    size_t length = size - at < piece ? size - at : piece;
    char *text;
    size_t bytes;
    must(st_frames_feed(&frames, (const char *)data + at, length) == ST_FRAME_OK, "no memory");
    st_frame_status status;
    while ((status = st_frames_next(&frames, &text, &bytes)) == ST_FRAME_OK) take(text, bytes);
    if (status != ST_FRAME_MORE) break;
  }
  st_frames_free(&frames);
  return 0;
}

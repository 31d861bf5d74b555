/* fuzz_reader_cursor.c - any bytes as a transcript of Cursor, of JSON and of plain text. */
#include "fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  heard h;
  drive d;
  read_both_ways(&st_reader_cursor, "/h/.cursor/projects/srv-me-my-app/agent-transcripts/id/id.jsonl", data, size);
  heard_open(&h); /* plain text is always read in one go */
  drive_open(&d, &st_reader_cursor, "/h/.cursor/projects/srv-me-my-app/agent-transcripts/id.txt", 1770000000, &h.taker);
  hear(&h, &d, (const char *)data, size, 0);
  drive_close(&d);
  heard_close(&h);
  return 0;
}

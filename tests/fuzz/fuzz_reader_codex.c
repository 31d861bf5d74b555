/* fuzz_reader_codex.c - any bytes as a rollout file of Codex. */
#include "fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char path[] = "/h/.codex/sessions/rollout-2025-10-09T08-53-20-0199c0de-0001-7000-8000-000000000001.jsonl";
  read_both_ways(&st_reader_codex, path, data, size);
  read_both_ways(&st_reader_codex, "/h/.codex/session_index.jsonl", data, size);
  read_both_ways(&st_reader_codex_exec, "/x/out.jsonl", data, size);
  return 0;
}

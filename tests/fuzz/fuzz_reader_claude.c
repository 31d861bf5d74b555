/* fuzz_reader_claude.c - any bytes as a transcript of Claude Code: of a session, and of a sub-agent. */
#include "fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_both_ways(&st_reader_claude, "/h/.claude/projects/-w/11111111-1111-4111-8111-111111111111.jsonl", data, size);
  read_both_ways(&st_reader_claude, "/h/.claude/projects/-w/11111111-1111-4111-8111-111111111111/subagents/agent-a1.jsonl", data, size);
  return 0;
}

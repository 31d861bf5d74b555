/* segment_rules.c - where the segments of each harness end, and what of its words they keep. */
#include "capture/segmenter.h"
#include "capture/telling.h"

#define PAUSE 300 /* seconds */

/* What the program itself put there begins with a tag. */
static st_text prompt_of_claude(st_text said) { return st_starts(said, "<") ? (st_text){0} : said; }

static st_text prompt_of_cursor(st_text said) { return said; }

static st_text after(st_text said, const char *mark) {
  const char *at = said.length ? memmem(said.bytes, said.length, mark, strlen(mark)) : NULL;
  if (!at) return (st_text){0};
  at += strlen(mark);
  return st_trim((st_text){at, said.length - (size_t)(at - said.bytes)});
}

static st_text last_paragraph(st_text said) {
  for (size_t i = said.length; i >= 2; i--)
    if (said.bytes[i - 1] == '\n' && said.bytes[i - 2] == '\n') return (st_text){said.bytes + i, said.length - i};
  return said;
}

/* Editors put what they show before what the user asks. */
static st_text prompt_of_codex(st_text said) {
  static const char *const contexts[] = {"# Context from my IDE", "The user is currently inside this file",
                                         "The user has no code selected", "The user has selected"};
  bool context = false;
  for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++) context = context || st_starts(said, contexts[i]);
  if (!context) return said;
  return st_either(after(said, "## My request for Codex:"), last_paragraph(said));
}

const st_segment_rules st_segments_of_claude = {
  .by_record = true,
  .gap = PAUSE,
  .least = 20,
  .project_in_path = true,
  .tools = &st_tools_of_claude,
  .prompt = prompt_of_claude,
};

const st_segment_rules st_segments_of_codex = {
  .from_prompt = true,
  .characters = true,
  .gap = PAUSE,
  .tools = &st_tools_of_codex,
  .caps = {30, 60, 5},
  .prompt = prompt_of_codex,
};

const st_segment_rules st_segments_of_cursor = {
  .characters = true,
  .project_in_path = true,
  .tools = &st_tools_of_codex,
  .prompt = prompt_of_cursor,
};

const st_segment_rules st_segments_of_opencode = {
  .characters = true,
  .tools = &st_tools_of_opencode,
  .prompt = prompt_of_cursor,
  .database = st_segment_of_opencode,
};

/* test_reader_codex.c - the reader of Codex transcripts: names, families, what it remembers. */
#include "capture/reading.h"
#include "capture/readers.h"

#define THREAD "0199c0de-0001-7000-8000-000000000001"
#define ROLLOUT "/h/.codex/sessions/2025/10/09/rollout-2025-10-09T08-53-20-" THREAD ".jsonl"
#define META "{\"timestamp\":\"2025-10-09T08:53:20Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\"" THREAD "\",\"cwd\":\"/w\"}}\n"
#define ITEM(payload) "{\"timestamp\":\"2025-10-09T08:53:21Z\",\"type\":\"response_item\",\"payload\":" payload "}\n"
#define EVENT(payload) "{\"timestamp\":\"2025-10-09T08:53:22Z\",\"type\":\"event_msg\",\"payload\":" payload "}\n"
#define SAYS(role, words) ITEM("{\"type\":\"message\",\"role\":\"" role "\",\"content\":[{\"type\":\"input_text\",\"text\":\"" words "\"}]}")

static void names_give_the_session(void **state) {
  (void)state;
  hears(&st_reader_codex, ROLLOUT, SAYS("user", "a"), "message " THREAD " r1 user text=a\n");
  hears(&st_reader_codex, ROLLOUT ".zst", SAYS("user", "a"), "message " THREAD " r1 user text=a\n");
  hears(&st_reader_codex, "/x/rollout-" THREAD ".jsonl", SAYS("user", "a"), "message " THREAD " r1 user text=a\n");
  hears(&st_reader_codex, "/x/other.jsonl", SAYS("user", "a"), "message other r1 user text=a\n");
  hears(&st_reader_codex, "/x/other.jsonl", META SAYS("user", "a"),
        "session " THREAD " cwd=/w\nmessage " THREAD " r2 user text=a\n");
}

static void records_on_one_line_have_different_keys(void **state) {
  (void)state;
  hears(&st_reader_codex, ROLLOUT, "{\"type\":\"x\",\"payload\":{}}{\"type\":\"y\",\"payload\":{}}",
        "message " THREAD " r1 event json={\"type\":\"x\",\"payload\":{}}\n"
        "message " THREAD " r1+1 event json={\"type\":\"y\",\"payload\":{}}\n");
}

static void a_text_is_told_by_the_first_family(void **state) {
  (void)state;
  hears(&st_reader_codex, ROLLOUT,
        EVENT("{\"type\":\"agent_message\",\"message\":\"one two\"}") SAYS("assistant", "one\\n two")
        SAYS("user", "q") EVENT("{\"type\":\"user_message\",\"message\":\"q\"}") EVENT("{\"type\":\"user_message\",\"message\":\"q\"}"),
        "message " THREAD " r1 assistant text=one two\naside\nmessage " THREAD " r3 user text=q\naside\nmessage " THREAD " r5 user text=q\n");
}

#define USER_EVENT(words) EVENT("{\"type\":\"user_message\",\"message\":\"" words "\"}")
#define THOUGHT ITEM("{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"a\"},{\"type\":\"summary_text\",\"text\":\"b\"}]}")
#define THOUGHT_EVENT EVENT("{\"type\":\"item_completed\",\"item\":{\"type\":\"Reasoning\",\"summary_text\":[\"a\",\"b\"]}}")

static void what_was_said_twice_is_told_twice(void **state) {
  (void)state;
  hears(&st_reader_codex, ROLLOUT, USER_EVENT("go") USER_EVENT("go") SAYS("user", "go") SAYS("user", "go"),
        "message " THREAD " r1 user text=go\nmessage " THREAD " r2 user text=go\naside\naside\n");
  hears(&st_reader_codex, ROLLOUT, THOUGHT_EVENT THOUGHT THOUGHT,
        "message " THREAD " r1 assistant thought=a\nb\naside\nmessage " THREAD " r3 assistant thought=a\nb\n");
}

static void thinking_is_read_in_both_forms(void **state) {
  (void)state;
  hears(&st_reader_codex, ROLLOUT,
        ITEM("{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"s\"}],\"content\":[{\"type\":\"reasoning_text\",\"text\":\"c\"}]}")
        EVENT("{\"type\":\"agent_reasoning\",\"text\":\"s\"}") EVENT("{\"type\":\"agent_reasoning_raw_content\",\"text\":\"c\"}"),
        "message " THREAD " r1 assistant thought=s\nmessage " THREAD " r1.raw assistant thought=c\naside\naside\n");
}

static void meta_may_come_again(void **state) {
  (void)state;
  hears(&st_reader_codex, ROLLOUT, META META "{\"type\":\"session_meta\",\"payload\":{}}\n{\"type\":\"session_meta\",\"payload\":{\"id\":\"x\"}}\n"
        "{\"type\":\"session_meta\",\"payload\":{\"id\":\"y\"}}\n",
        "session " THREAD " cwd=/w\nsession " THREAD " cwd=/w\naside\nsession " THREAD " parent=x link=fork\naside\n");
}

static void unknown_and_broken_things_are_kept_or_told(void **state) {
  (void)state;
  hears(&st_reader_codex, ROLLOUT, "[1]\n7\nnope\n" EVENT("{\"type\":\"thread_rolled_back\",\"num_turns\":-3}")
        EVENT("{\"type\":\"thread_rolled_back\",\"num_turns\":2}") EVENT("{\"type\":\"brand_new\"}"),
        "bad not an object\nbad not an object\nbad a value is missing\nbad a rollback of no turns\nwithdraw " THREAD " 2\n"
        "message " THREAD " r6 event json={\"timestamp\":\"2025-10-09T08:53:22Z\",\"type\":\"event_msg\",\"payload\":{\"type\":\"brand_new\"}}\n");
}

static void an_answer_knows_its_call(void **state) {
  (void)state;
  hears(&st_reader_codex, ROLLOUT,
        ITEM("{\"type\":\"custom_tool_call\",\"name\":\"patch\",\"call_id\":\"c\",\"input\":\"a\\\"b\"}")
        ITEM("{\"type\":\"custom_tool_call_output\",\"call_id\":\"c\",\"output\":{\"content\":\"ok\",\"success\":true}}")
        ITEM("{\"type\":\"function_call_output\",\"call_id\":\"d\",\"output\":\"{\\\"output\\\":5}\"}"),
        "message " THREAD " r1 assistant calls=[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"patch\",\"arguments\":\"a\\\"b\"}}]"
        " finish=tool_calls\n"
        "message " THREAD " r2 tool text=ok call=c tool=patch\n"
        "message " THREAD " r3 tool text={\"output\":5} call=d\n");
}

static void what_it_remembers_may_be_anything(void **state) {
  (void)state;
  static const char *const kept[] = {"", "{}", "nonsense", "[1,2]", "{\"item\":[\"zz\",7,\"\"],\"calls\":[1,[],[2]],\"base\":[1,2,3,4,5,6],\"flags\":\"x\"}"};
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    heard h;
    drive d;
    heard_open(&h);
    drive_open(&d, &st_reader_codex, ROLLOUT, MODIFIED, &h.taker);
    st_str_addz(&d.state, kept[i]);
    static const char lines[] = META SAYS("user", "a") ITEM("{\"type\":\"function_call_output\",\"call_id\":\"d\",\"output\":\"o\"}");
    assert_true(drive_bytes(&d, lines, sizeof lines - 1, 0));
    assert_non_null(strstr(h.log.text, "user text=a"));
    assert_null(h.wrong);
    drive_close(&d);
    heard_close(&h);
  }
}

#define STARTED "{\"type\":\"thread.started\",\"thread_id\":\"" THREAD "\"}\n"
#define DONE(item) "{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":" item "}}\n"
#define PRINTED \
  STARTED "{\"type\":\"turn.started\"}\n" DONE("\"reasoning\",\"text\":\"hm\"") \
  DONE("\"command_execution\",\"command\":\"ls\",\"aggregated_output\":\"a b\",\"exit_code\":0") \
  DONE("\"agent_message\",\"text\":\"done\"") DONE("\"todo_list\"") \
  "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":9,\"cached_input_tokens\":4,\"output_tokens\":2}}\n"

static void what_exec_prints_is_read(void **state) {
  (void)state;
  assert_ptr_equal(st_reader_of_file("/x/out.log", STARTED, sizeof STARTED - 1), &st_reader_codex_exec);
  hears(&st_reader_codex_exec, "/x/out.jsonl", PRINTED,
        "session " THREAD "\naside\nmessage " THREAD " r3 assistant thought=hm\n"
        "message " THREAD " r4 assistant calls=[{\"id\":\"i\",\"type\":\"function\",\"function\":{\"name\":\"shell\",\"arguments\":\"ls\"}}]\n"
        "message " THREAD " r4.output tool text=a b call=i tool=shell\nmessage " THREAD " r5 assistant text=done\n"
        "message " THREAD " r6 event json={\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"todo_list\"}}\n"
        "usage " THREAD " key=r7 5 2 4 0 0\n");
  stops_anywhere(&st_reader_codex_exec, "/x/out.jsonl", PRINTED);
}

static void it_stops_anywhere(void **state) {
  (void)state;
  stops_anywhere(&st_reader_codex, ROLLOUT,
    META SAYS("user", "a\\u00e9") EVENT("{\"type\":\"user_message\",\"message\":\"a\\u00e9\"}")
    ITEM("{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"b\"},{\"type\":\"input_image\",\"image_url\":\"u\"}]}")
    ITEM("{\"type\":\"function_call\",\"name\":\"f\",\"call_id\":\"c\",\"arguments\":\"{}\"}")
    ITEM("{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"{\\\"output\\\":\\\"x\\\",\\\"metadata\\\":{\\\"exit_code\\\":1}}\"}")
    EVENT("{\"type\":\"token_count\",\"info\":{\"total_token_usage\":{\"input_tokens\":5}}}") EVENT("{\"type\":\"brand_new\"}"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_give_the_session),
    cmocka_unit_test(records_on_one_line_have_different_keys),
    cmocka_unit_test(a_text_is_told_by_the_first_family),
    cmocka_unit_test(what_was_said_twice_is_told_twice),
    cmocka_unit_test(thinking_is_read_in_both_forms),
    cmocka_unit_test(meta_may_come_again),
    cmocka_unit_test(unknown_and_broken_things_are_kept_or_told),
    cmocka_unit_test(an_answer_knows_its_call),
    cmocka_unit_test(what_it_remembers_may_be_anything),
    cmocka_unit_test(what_exec_prints_is_read),
    cmocka_unit_test(it_stops_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

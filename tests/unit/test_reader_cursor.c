/* test_reader_cursor.c - the reader of Cursor transcripts: places, prompts, plain text. */
#include "capture/reading.h"
#include "capture/readers.h"

#define FILE_OF(slug) "/h/.cursor/projects/" slug "/agent-transcripts/id/id.jsonl"
#define USER(words) "{\"role\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"" words "\"}]}}\n"
#define READS(path) "{\"role\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"name\":\"R\",\"input\":{\"p\":\"" path "\"}}]}}\n"
#define CALL(line, path) \
  "message id r" line " assistant calls=[{\"id\":\"r" line ".1\",\"type\":\"function\",\"function\":{\"name\":\"R\",\"arguments\":\"{\\\"p\\\":\\\"" path "\\\"}\"}}]\n"

static void a_place_is_guessed_and_then_known(void **state) {
  (void)state;
  hears(&st_reader_cursor, FILE_OF("srv-me-my-app"), READS("/other/x") READS("/srv/me/my.app/src/a.c") READS("/srv/me/my-app/b"),
        "session id cwd=/srv/me/my/app\n" CALL("1", "/other/x") "session id cwd=/srv/me/my.app\n"
        CALL("2", "/srv/me/my.app/src/a.c") CALL("3", "/srv/me/my-app/b"));
  hears(&st_reader_cursor, FILE_OF("1712345678"), USER("a"), "session id\nmessage id r1 user text=a\n");
  hears(&st_reader_cursor, FILE_OF("empty-window"), USER("a"), "session id\nmessage id r1 user text=a\n");
  hears(&st_reader_cursor, "/p/a-b/agent-transcripts/one/subagents/two.jsonl", USER("a"),
        "session two parent=one link=subagent cwd=/a/b\nmessage two r1 user text=a\n");
}

static void prompts_are_unwrapped_and_nothing_is_lost(void **state) {
  (void)state;
  hears(&st_reader_cursor, FILE_OF("1"), USER("x <user_query>a</user_query> y <user_query> b") USER("<user_query></user_query>"),
        "session id\nmessage id r1.context system text=x\ny\nmessage id r1 user text=a\nb\naside\n");
}

static void what_nobody_said_is_kept_as_it_is(void **state) {
  (void)state;
  hears(&st_reader_cursor, FILE_OF("1"), "{\"role\":\"\",\"message\":{\"content\":\"a\"}}\n",
        "session id\nmessage id r1 event json={\"role\":\"\",\"message\":{\"content\":\"a\"}}\n");
}

static void plain_text_is_read_by_its_marks(void **state) {
  (void)state;
  hears(&st_reader_cursor, "/p/1/agent-transcripts/id.txt",
        "before\nuser:\nhi\n\nassistant:\n[Thinking] hm\n\nyes\n[Tool call] T\n  a: 1\nsaid\n[Tool result] T\nout\xff\nuser:\n[Thinking] not this",
        "session id\nmessage id t1 assistant text=before\nmessage id t2 user text=hi\nmessage id t4 assistant thought=hm\n"
        "message id t5 assistant text=yes\n"
        "message id t6 assistant calls=[{\"id\":\"t6\",\"type\":\"function\",\"function\":{\"name\":\"T\",\"arguments\":\"a: 1\"}}]\n"
        "message id t7 assistant text=said\nmessage id t8 tool text=out\xEF\xBF\xBD tool=T\nmessage id t9 user text=[Thinking] not this\n");
}

static void it_stops_anywhere(void **state) {
  (void)state;
  stops_anywhere(&st_reader_cursor, FILE_OF("srv-me-app"),
    USER("c <user_query>a\\u00e9</user_query>") READS("/srv/me/app/b") "{\"x\":1}\n"
    "{\"role\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"r\"},{\"type\":\"odd\"}]}}\n"
    "{\"role\":\"assistant\",\"message\":{\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\"},{\"type\":\"text\",\"text\":\"w\"}]}}\n");
  stops_anywhere(&st_reader_cursor, "/p/a-b/agent-transcripts/id.txt", "user:\nhi\nassistant:\n[Tool call] T\n  a: 1\n[Tool result] T\nout\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_place_is_guessed_and_then_known),
    cmocka_unit_test(prompts_are_unwrapped_and_nothing_is_lost),
    cmocka_unit_test(what_nobody_said_is_kept_as_it_is),
    cmocka_unit_test(plain_text_is_read_by_its_marks),
    cmocka_unit_test(it_stops_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

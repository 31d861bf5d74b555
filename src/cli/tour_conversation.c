/* tour_conversation.c - the tour's conversation: written with calls, found and shown with commands. */
#include <stdlib.h>

#include "text.h"
#include "tour.h"

#define SESSION "kitchen-light"

/* What is said: the arguments of conversation.append_message. */
static const char *const SAID[] = {
    "{\"session_id\":\"" SESSION "\",\"role\":\"user\",\"content\":\"The kitchen light came on at 3 am. Why?\"}",
    "{\"session_id\":\"" SESSION "\",\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\","
    "\"function\":{\"name\":\"read_log\",\"arguments\":\"{\\\"around\\\":\\\"03:00\\\"}\"}}]}",
    "{\"session_id\":\"" SESSION "\",\"role\":\"tool\",\"tool_name\":\"read_log\",\"tool_call_id\":\"call_1\","
    "\"content\":\"03:02:11 motion_kitchen on\\n03:02:11 light.kitchen on\"}",
    "{\"session_id\":\"" SESSION "\",\"role\":\"assistant\",\"content\":\"The motion sensor saw something at 03:02.\"}",
};
static const char CAT[] = "{\"session_id\":\"" SESSION
                          "\",\"role\":\"user\",\"content\":\"\u732b\u304c\u53f0\u6240\u306b\u3044\u305f\u3002\"}";
static const char ASCII_CAT[] = "{\"session_id\":\"" SESSION "\",\"role\":\"user\",\"content\":\"It was the cat.\"}";

/* Run a command on the tour's home, and show it as somebody would type it. */
static void command_shown(tour *t, const command *of, char **words, size_t count) {
  cli view = {.options = {.words = words, .nwords = count}, .out = *t->out, .db = t->db};
  if (!tour_goes_on(t)) return;
  out_format(t->out, "%s$ stele", t->out->dim);
  for (size_t i = 0; i < count; i++) {
    char *word = text_shell(words[i]);
    out_format(t->out, " %s", word);
    free(word);
  }
  out_format(t->out, "%s\n", t->out->normal);
  t->status = of->run(&view);
  t->out->error = view.out.error;
  t->out->drawn_at = view.out.drawn_at;
}

void tour_conversation(tour *t) {
  char *cat = t->out->unicode ? "\u732b" : "cat";
  tour_chapter(t, "10. A conversation",
               "What was said, with the calls of tools. Each message is kept before it is answered.");
  tour_call(t, "conversation.create_session",
            "{\"session_id\":\"" SESSION "\",\"source\":\"cli\",\"model\":\"small-model\"}");
  for (size_t i = 0; i < sizeof SAID / sizeof *SAID; i++) tour_call(t, "conversation.append_message", SAID[i]);
  tour_call(t, "conversation.append_message", t->out->unicode ? CAT : ASCII_CAT);
  tour_chapter(t, "11. Who said what?", "A search finds every message as soon as it is written, in any language.");
  command_shown(t, &search_command, (char *[]){"search", cat}, 2);
  command_shown(t, &search_command, (char *[]){"search", "motion OR \"3 am\""}, 2);
  tour_chapter(t, "12. The whole story", "The beginning of a session's id is enough, or its title.");
  command_shown(t, &sessions_command, (char *[]){"sessions"}, 1);
  command_shown(t, &show_command, (char *[]){"show", "kitchen"}, 2);
}

/* decisions.c - what was decided, by the words with which decisions are told. */
#include "enrich/digest.h"
#include "enrich/letters.h"

/* Where one of the phrases, with blanks around, stands in a sentence; the length, if none does. */
static size_t find_any(st_text text, const char *const *phrases, size_t *size) {
  size_t best = text.length;
  for (; *phrases; phrases++) {
    const char *at = text.length ? memmem(text.bytes, text.length, *phrases, strlen(*phrases)) : NULL;
    if (!at || (size_t)(at - text.bytes) >= best) continue;
    best = (size_t)(at - text.bytes);
    *size = strlen(*phrases);
  }
  return best;
}

/* "use A instead of B because C": nothing less is a choice. */
static void find_choice(st_digest *d, st_text sentence) {
  static const char *const verbs[] = {" use ", "Use ", " using ", " chose ", " choose ", " picked ", " go with ", " went with ", " going with ", " switch to ",
                                      " switched to ", "Switched to ", NULL};
  static const char *const instead[] = {" instead of ", " rather than ", " over ", NULL};
  static const char *const because[] = {" because ", " since ", " so that ", NULL};
  size_t verb = 0, against = 0, why = 0;
  size_t at = find_any(sentence, verbs, &verb);
  st_text rest = st_text_from(sentence, at + verb);
  size_t middle = at < sentence.length ? find_any(rest, instead, &against) : rest.length;
  if (middle >= rest.length || d->choice_count == ST_TOLD_MOST) return;
  st_text behind = st_text_from(rest, middle + against);
  size_t reason = find_any(behind, because, &why);
  st_choice choice = {.considered = st_text_trim((st_text){behind.bytes, reason}),
                      .chosen = st_text_trim((st_text){rest.bytes, middle}),
                      .reason = st_text_trim(st_text_from(behind, reason + why))};
  while (choice.reason.length && strchr(".!", choice.reason.bytes[choice.reason.length - 1])) choice.reason.length--;
  while (choice.considered.length && choice.considered.bytes[choice.considered.length - 1] == ',') choice.considered.length--;
  enum { SHORT = 80 };
  if (choice.considered.length && choice.chosen.length && choice.reason.length && choice.considered.length < SHORT && choice.chosen.length < SHORT)
    d->choices[d->choice_count++] = choice;
}

void st_digest_decisions(st_digest *d, st_text said) {
  static const char *const decided[] = {"decided to", "instead of", "rather than", "let's use", "we'll use", "we will use", "going with", "go with",
                                        "switched to", "chose to", "we chose",   "i chose",   "agreed to", NULL};
  st_text sentence;
  while (st_sentence_next(&said, &sentence)) {
    if (!st_says(sentence, decided)) continue;
    st_digest_tell(d, &d->decisions, sentence);
    find_choice(d, sentence);
  }
}

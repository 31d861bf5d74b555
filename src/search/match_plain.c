/* match_plain.c - see match_plain.h.  In ASCII a word is a run of letters and digits, whatever else stands between (token.h). */
#include "search/match_plain.h"

#include <string.h>

#include "search/inside.h"

bool st_plain_suits(const st_query *query) {
  for (int i = 0; i < query->term_count; i++)
    if (query->terms[i].count > 1 || !st_inside_is_part(&query->terms[i].tokens[0])) return false;
  return query->inside && query->term_count > 0;
}

/* The character in lower case; 0: it is in no word. */
static char letter_of(unsigned char c) {
  unsigned char lower = (unsigned char)(c | 0x20);
  bool letter = (unsigned char)(lower - 'a') < 26, digit = (unsigned char)(c - '0') < 10;
  return (char)(letter ? lower : digit ? c : 0);
}

bool st_plain_read(const char *text, size_t length, char *room, size_t *words) {
  unsigned char bits = 0, before = 0;
  size_t count = 0;
  for (size_t i = 0; i < length; i++) {
    unsigned char letter = (unsigned char)letter_of((unsigned char)text[i]);
    bits |= (unsigned char)text[i];
    room[i] = (char)letter;
    count += letter && !before;
    before = letter;
  }
  room[length] = '\0';
  *words = count;
  return bits < 0x80;
}

/* A word counts once, and as far as it is read at all. */
int st_plain_count(const char *room, size_t length, const st_query_token *part) {
  const char *at = room, *end = room + length;
  int count = 0;
  while ((at = memmem(at, (size_t)(end - at), part->text, part->length))) {
    const char *first = at;
    while (first > room && first[-1]) first--;
    count += (size_t)(at - first) + part->length <= ST_TOKEN_MAX;
    at += strlen(at);
  }
  return count;
}

/* part.c - see part.h.
**
** A row's tokens come in their order, of all words mixed.  They are put in the order of words, row by row, and each word's
** are added to what is known of it already, which is packed: a part takes about as much memory as its text. */
#include "search/part.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/token.h"
#include "search/hash.h"

#define FIRST_ROOM 1024
#define WORDS_MAX ((size_t)1 << 30)
#define TEXTS_MAX ((size_t)1 << 32)

/* Of a word in the row that is being read. */
typedef struct use {
  uint32_t times;
  uint32_t next; /* place, of those that are told of it */
  unsigned code; /* 0: it has none */
} use;

typedef struct token {
  uint32_t word, place;
} token;

struct st_part {
  st_arena texts; /* of the words */
  st_part_word *words;
  use *uses; /* of each word */
  const char *const *common; /* the words that have a code */
  size_t ncommon;
  size_t nwords, words_room, uses_room;
  uint32_t *slots; /* number of the word and 1; 0: free.  There are at least twice as many as words */
  size_t nslots;
  token *tokens; /* of the row that is being read */
  uint32_t *places; /* the same, in the order of words; */
  unsigned char *beside; /* and what stands beside each; */
  uint32_t *used;   /* the words that it has */
  size_t ntokens, tokens_room, places_room, beside_room, used_room, nused;
  size_t marks; /* of the tokens */
  uint32_t place; /* of the token being read */
  int64_t rows, all_tokens;
  bool failed;
};

/* ---- Words ---- */

/* Room for so many items of that size. */
static bool reserve(st_part *part, void **items, size_t wanted, size_t *room, size_t size) {
  if (wanted <= *room) return true;
  size_t grown_room = wanted + wanted / 2 + FIRST_ROOM;
  void *grown = wanted <= WORDS_MAX ? st_realloc(*items, grown_room * size) : NULL;
  part->failed = part->failed || !grown;
  if (!grown) return false;
  *items = grown;
  *room = grown_room;
  return true;
}

static uint64_t hash_of(const st_part_word *word) { return st_hash(word->text, word->length); }

static size_t slot_of(const st_part *part, const char *text, size_t length, uint64_t hash) {
  for (size_t at = hash & (part->nslots - 1);; at = (at + 1) & (part->nslots - 1)) {
    if (!part->slots[at]) return at;
    const st_part_word *known = &part->words[part->slots[at] - 1];
    if (known->length == length && !memcmp(known->text, text, length)) return at;
  }
}

static bool spread(st_part *part, size_t slots) {
  uint32_t *spread = st_alloc_zero(slots * sizeof *spread);
  part->failed = part->failed || !spread;
  if (!spread) return false;
  st_free(part->slots);
  part->slots = spread;
  part->nslots = slots;
  for (size_t i = 0; i < part->nwords; i++)
    part->slots[slot_of(part, part->words[i].text, part->words[i].length, hash_of(&part->words[i]))] = (uint32_t)i + 1;
  return true;
}

void st_part_code(st_part *part, const char *const words[], size_t count) {
  part->common = words;
  part->ncommon = count;
}

st_part *st_part_new(void) {
  st_part *part = st_alloc_zero(sizeof *part);
  if (!part) return NULL;
  st_arena_init(&part->texts, TEXTS_MAX);
  if (spread(part, 4 * FIRST_ROOM)) return part;
  st_part_free(part);
  return NULL;
}

void st_part_free(st_part *part) {
  if (!part) return;
  for (size_t i = 0; i < part->nwords; i++) st_occurrences_end(&part->words[i].found);
  st_arena_free(&part->texts);
  st_free(part->words);
  st_free(part->uses);
  st_free(part->slots);
  st_free(part->tokens);
  st_free(part->places);
  st_free(part->beside);
  st_free(part->used);
  st_free(part);
}

static unsigned code_of(const st_part *part, const char *text, size_t length) {
  for (size_t i = 0; i < part->ncommon; i++)
    if (strlen(part->common[i]) == length && !memcmp(part->common[i], text, length)) return (unsigned)i + 1;
  return 0;
}

static bool add_word(st_part *part, const char *text, size_t length) {
  if (!reserve(part, (void **)&part->words, part->nwords + 1, &part->words_room, sizeof *part->words)) return false;
  if (!reserve(part, (void **)&part->uses, part->nwords + 1, &part->uses_room, sizeof *part->uses)) return false;
  const char *copy = st_arena_copy(&part->texts, text, length);
  part->failed = part->failed || !copy;
  if (!copy) return false;
  st_part_word *word = &part->words[part->nwords];
  *word = (st_part_word){.text = copy, .length = length};
  st_occurrences_begin(&word->found);
  part->uses[part->nwords++] = (use){.code = code_of(part, text, length)};
  return true;
}

/* The number of a word; it is made if it is new. */
static uint32_t number_of(st_part *part, const char *text, size_t length) {
  size_t at = slot_of(part, text, length, st_hash(text, length));
  if (part->slots[at]) return part->slots[at] - 1;
  if (!add_word(part, text, length)) return 0;
  part->slots[at] = (uint32_t)part->nwords;
  if (2 * part->nwords > part->nslots) spread(part, 2 * part->nslots);
  return (uint32_t)part->nwords - 1;
}

/* ---- Rows ---- */

static bool add_token(void *to, const char *text, size_t length, size_t start, size_t end, st_token_kind kind) {
  st_part *part = to;
  (void)start, (void)end, (void)kind;
  uint32_t word = number_of(part, text, length);
  if (part->failed || !reserve(part, (void **)&part->tokens, part->ntokens + 1, &part->tokens_room, sizeof *part->tokens)) return false;
  part->tokens[part->ntokens++] = (token){word, part->place++};
  return true;
}

/* Which words the row has, how often, and where the places of each go. */
static void count_uses(st_part *part) {
  uint32_t next = 0;
  part->nused = 0;
  for (size_t i = 0; i < part->ntokens; i++)
    if (part->uses[part->tokens[i].word].times++ == 0) part->used[part->nused++] = part->tokens[i].word;
  for (size_t i = 0; i < part->nused; next += part->uses[part->used[i++]].times) part->uses[part->used[i]].next = next;
}

/* The code of a token that stands right behind or before another. */
static unsigned code_beside(const st_part *part, const token *one, const token *next, const token *wanted) {
  return next->place == one->place + 1 ? part->uses[wanted->word].code : 0;
}

static void put_places(st_part *part) {
  for (size_t i = 0; i < part->ntokens; i++) {
    const token *at = &part->tokens[i];
    uint32_t to = part->uses[at->word].next++;
    part->places[to] = at->place;
    if (!part->ncommon) continue;
    part->beside[to] = st_beside_byte(i > 0 ? code_beside(part, at - 1, at, at - 1) : 0,
                                 i + 1 < part->ntokens ? code_beside(part, at, at + 1, at + 1) : 0);
  }
}

static void end_row(st_part *part, int64_t number) {
  if (!reserve(part, (void **)&part->places, part->ntokens, &part->places_room, sizeof *part->places)) return;
  if (!reserve(part, (void **)&part->beside, part->ntokens, &part->beside_room, sizeof *part->beside)) return;
  if (!reserve(part, (void **)&part->used, part->ntokens, &part->used_room, sizeof *part->used)) return;
  count_uses(part);
  put_places(part);
  for (size_t i = 0; i < part->nused; i++) {
    use *of = &part->uses[part->used[i]];
    st_occurrences_writer *found = &part->words[part->used[i]].found;
    st_occurrences_add(found, (st_occurrence){number, of->times, (uint32_t)(part->ntokens - part->marks)}, part->places + of->next - of->times);
    if (part->ncommon) st_occurrences_add_beside(found, part->beside + of->next - of->times);
    part->failed = part->failed || st_occurrences_failed(found);
    of->times = 0;
  }
}

bool st_part_mark(st_part *part, const char *text, size_t length) {
  part->place = 0;
  part->marks++;
  return add_token(part, text, length, 0, 0, ST_TOKEN_WORD);
}

bool st_part_add(st_part *part, int64_t number, const st_column *columns, int count) {
  for (int i = 0; i < count && !part->failed; i++) {
    part->place = (uint32_t)i * ST_PLACES_OF_COLUMN;
    st_tokenize(columns[i].text, columns[i].length, add_token, part);
  }
  if (!part->failed) end_row(part, number);
  part->rows++;
  part->all_tokens += (int64_t)(part->ntokens - part->marks);
  part->ntokens = part->marks = 0;
  return !part->failed;
}

int64_t st_part_rows(const st_part *part) { return part->rows; }
int64_t st_part_tokens(const st_part *part) { return part->all_tokens; }

static int by_text(const void *a, const void *b) {
  const st_part_word *one = a, *other = b;
  size_t common = one->length < other->length ? one->length : other->length;
  int order = memcmp(one->text, other->text, common);
  return order ? order : (one->length > other->length) - (one->length < other->length);
}

const st_part_word *st_part_words(st_part *part, size_t *count) {
  if (part->nwords) qsort(part->words, part->nwords, sizeof *part->words, by_text);
  *count = part->nwords;
  return part->words;
}

/* inflect.c - see inflect.h.  Endings are tried on the word and on its stem; those forms are taken that have the same stem.
** Words that change inside are in a list. */
#include "search/inflect.h"

#include <stdbool.h>
#include <string.h>

#include "search/stem.h"

/* Forms of one word each. */
static const char *const irregular[] = {
    "be am is are was were been being", "become becomes became becoming", "begin begins began begun beginning", "bite bites bit bitten biting",
    "break breaks broke broken breaking", "bring brings brought bringing", "build builds built building", "buy buys bought buying",
    "catch catches caught catching", "child children kid kids", "choose chooses chose chosen choosing", "come comes came coming", "cut cuts cutting",
    "deal deals dealt dealing", "dig digs dug digging", "do does did done doing", "draw draws drew drawn drawing", "dream dreams dreamt dreamed dreaming",
    "drink drinks drank drunk drinking", "drive drives drove driven driving", "eat eats ate eaten eating", "fall falls fell fallen falling",
    "feed feeds fed feeding", "feel feels felt feeling", "fight fights fought fighting", "find finds found finding", "fly flies flew flown flying",
    "foot feet", "forget forgets forgot forgotten forgetting", "freeze freezes froze frozen freezing", "get gets got gotten getting",
    "give gives gave given giving", "go goes went gone going", "grow grows grew grown growing", "hang hangs hung hanging", "have has had having",
    "hear hears heard hearing", "hide hides hid hidden hiding", "hold holds held holding", "hurt hurts hurting", "keep keeps kept keeping",
    "knife knives", "know knows knew known knowing", "lay lays laid laying", "lead leads led leading", "learn learns learnt learned learning",
    "leave leaves left leaving", "leaf leaves", "lend lends lent lending", "life lives", "light lights lit lighting", "lose loses lost losing",
    "make makes made making", "man men", "mean means meant meaning", "meet meets met meeting", "mouse mice", "pay pays paid paying",
    "person persons people", "put puts putting", "read reads reading", "ride rides rode ridden riding", "ring rings rang rung ringing",
    "rise rises rose risen rising", "run runs ran running", "say says said saying", "see sees saw seen seeing", "sell sells sold selling",
    "send sends sent sending", "set sets setting", "sew sews sewed sewn sewing", "shake shakes shook shaken shaking", "shoot shoots shot shooting",
    "show shows showed shown showing", "sing sings sang sung singing", "sit sits sat sitting", "sleep sleeps slept sleeping",
    "speak speaks spoke spoken speaking", "spend spends spent spending", "stand stands stood standing", "steal steals stole stolen stealing",
    "stick sticks stuck sticking", "strike strikes struck striking", "swim swims swam swum swimming", "take takes took taken taking",
    "teach teaches taught teaching", "tear tears tore torn tearing", "tell tells told telling", "think thinks thought thinking",
    "throw throws threw thrown throwing", "tooth teeth", "understand understands understood understanding", "wake wakes woke woken waking",
    "wear wears wore worn wearing", "wife wives", "win wins won winning", "woman women", "write writes wrote written writing"};

typedef struct forms {
  const char *word;
  size_t length;
  char stem[ST_FORM_MAX];
  size_t stem_length;
  st_form *out;
  int count, max;
} forms;

static void add(forms *f, const char *form, size_t length) {
  if (f->count == f->max || length >= ST_FORM_MAX) return;
  if (length == f->length && memcmp(form, f->word, length) == 0) return;
  for (int i = 0; i < f->count; i++)
    if (strlen(f->out[i]) == length && memcmp(f->out[i], form, length) == 0) return;
  memcpy(f->out[f->count], form, length);
  f->out[f->count++][length] = '\0';
}

/* ---- words that change inside ---- */

static size_t word_length(const char *at) { return strcspn(at, " "); }

static bool has_word(const char *line, const char *word, size_t length) {
  for (const char *at = line; *at; at += word_length(at), at += *at == ' ')
    if (word_length(at) == length && memcmp(at, word, length) == 0) return true;
  return false;
}

static void add_irregular(forms *f) {
  for (size_t i = 0; i < sizeof irregular / sizeof *irregular; i++) {
    if (!has_word(irregular[i], f->word, f->length)) continue;
    for (const char *at = irregular[i]; *at; at += word_length(at), at += *at == ' ') add(f, at, word_length(at));
  }
}

/* ---- endings ---- */

static void try(forms *f, const char *base, size_t length, const char *ending) {
  char form[2 * ST_FORM_MAX], stem[2 * ST_FORM_MAX];
  size_t more = strlen(ending);
  if (length + more >= ST_FORM_MAX) return;
  memcpy(form, base, length);
  memcpy(form + length, ending, more);
  memcpy(stem, form, length + more);
  size_t stemmed = st_stem(stem, length + more);
  if (stemmed == f->stem_length && memcmp(stem, f->stem, stemmed) == 0) add(f, form, length + more);
}

static bool is_vowel(char c) { return strchr("aeiouy", c) != NULL; }

/* hop: the last letter is doubled before an ending */
static bool doubles(const char *base, size_t length) {
  return length > 2 && !is_vowel(base[length - 1]) && is_vowel(base[length - 2]) && !is_vowel(base[length - 3]);
}

/* Of a word whose stem is no word, as volunteered: without its ending, and with others. */
static void add_kindred(forms *f) {
  static const char *const cut[] = {"ing", "ed", "s"}, *const put[] = {"", "s", "ed", "ing"};
  size_t length = f->length;
  for (size_t i = 0; i < sizeof cut / sizeof *cut && length == f->length; i++) {
    size_t ending = strlen(cut[i]);
    if (length > ending + 2 && !memcmp(f->word + length - ending, cut[i], ending)) length -= ending;
  }
  for (size_t i = 0; length > f->stem_length && i < sizeof put / sizeof *put; i++) try(f, f->word, length, put[i]);
}

/* Put endings behind the stem, which lacks its e, or has an i for its y. */
static void add_regular(forms *f) {
  static const char *const endings[] = {"",  "s",   "e",    "ed",   "ing", "es",   "y",     "ies",   "ied",     "ying",
                                        "er", "ers", "ion",  "ions", "or",  "ate",  "ated",  "ating", "ation",   "ity",  "ities", "ment", "ly"};
  static const char *const doubled[] = {"ed", "ing", "er"};
  char twice[ST_FORM_MAX + 1];
  size_t length = f->stem_length;
  bool open = strchr("ei", f->stem[length - 1]) && length > 2;
  try(f, f->word, f->length, "s");
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) try(f, f->stem, open ? length - 1 : length, endings[i]);
  memcpy(twice, f->stem, length);
  twice[length] = twice[length - 1];
  for (size_t i = 0; doubles(f->stem, length) && i < sizeof doubled / sizeof *doubled; i++) try(f, twice, length + 1, doubled[i]);
}

int st_inflect(const char *word, size_t length, st_form *out, int max) {
  forms f = {.word = word, .length = length, .out = out, .max = max};
  if (length < 2 || length + 1 >= ST_FORM_MAX) return 0;
  for (size_t i = 0; i < length; i++)
    if (word[i] < 'a' || word[i] > 'z') return 0;
  memcpy(f.stem, word, length);
  f.stem_length = st_stem(f.stem, length);
  add_irregular(&f);
  if (length > 2) {
    add_kindred(&f);
    add_regular(&f);
  }
  return f.count;
}

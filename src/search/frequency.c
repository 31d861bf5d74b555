/* frequency.c - see frequency.h. */
#include "search/frequency.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

#define WORTH_KEEPING 1000 /* rows: below that, counting is as fast as reading the note */

typedef struct st_frequency st_frequency;
struct st_frequency {
  st_frequency *next;
  double rows, total;
  char term[];
};

static st_frequency **slot_of(st_frequencies *known, const char *name) {
  uint32_t hash = 2166136261u;
  for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
  st_frequency **slot = &known->first[hash % (sizeof known->first / sizeof *known->first)];
  while (*slot && strcmp((*slot)->term, name) != 0) slot = &(*slot)->next;
  return slot;
}

static st_frequency *remember(st_frequencies *known, const char *name, double rows, double total) {
  st_frequency **slot = slot_of(known, name);
  if (!*slot) {
    size_t length = strlen(name) + 1;
    st_frequency *made = st_alloc_zero(sizeof *made + length);
    if (!made) return NULL;
    memcpy(made->term, name, length);
    *slot = made;
  }
  (*slot)->rows = rows;
  (*slot)->total = total;
  return *slot;
}

static st_frequency *read_note(st_frequencies *known, sqlite3 *db, const char *name) {
  sqlite3_stmt *stmt = NULL;
  st_frequency *found = NULL;
  if (sqlite3_prepare_v2(db, "SELECT rows, total FROM stele_df WHERE term = ?1", -1, &stmt, NULL) == SQLITE_OK) {
    sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
    if (sqlite3_step(stmt) == SQLITE_ROW)
      found = remember(known, name, sqlite3_column_double(stmt, 0), sqlite3_column_double(stmt, 1));
  }
  sqlite3_finalize(stmt);
  return found;
}

double st_frequency_get(st_frequencies *known, sqlite3 *db, const st_term *term, double total) {
  char name[500];
  if (!st_term_name(term, name, sizeof name)) return -1;
  const st_frequency *found = *slot_of(known, name);
  if (!found) found = read_note(known, db, name);
  if (!found || fabs(found->total - total) > total / 100) return -1;
  return found->rows;
}

void st_frequency_put(st_frequencies *known, sqlite3 *db, const st_term *term, double rows, double total) {
  char name[500];
  sqlite3_stmt *stmt = NULL;
  if (!st_term_name(term, name, sizeof name)) return;
  remember(known, name, rows, total);
  if (rows < WORTH_KEEPING) return;
  if (sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO stele_df (term, rows, total) VALUES (?1, ?2, ?3)", -1, &stmt, NULL) ==
      SQLITE_OK) {
    sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_double(stmt, 2, rows);
    sqlite3_bind_double(stmt, 3, total);
    sqlite3_step(stmt);
  }
  sqlite3_finalize(stmt);
}

void st_frequencies_free(st_frequencies *known) {
  for (size_t i = 0; i < sizeof known->first / sizeof *known->first; i++) {
    for (st_frequency *f = known->first[i], *next; f; f = next) {
      next = f->next;
      st_free(f);
    }
    known->first[i] = NULL;
  }
}

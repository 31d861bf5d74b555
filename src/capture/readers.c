/* readers.c - all readers, and whose file a file is. */
#include <string.h>

#include "capture/reader.h"

/* Those that know their files by marks that others cannot have come first. */
const st_reader *const st_readers[] = {
  &st_reader_codex,
  &st_reader_cursor,
  &st_reader_claude,
  &st_reader_opencode,
  &st_reader_hermes,
  &st_reader_kiso,
  &st_reader_kwasi,
  &st_reader_hippo,
  &st_reader_hassette,
  NULL,
};

const st_reader *st_reader_of_lines(const char *path, const char *head, size_t length) {
  for (const st_reader *const *reader = st_readers; *reader; reader++)
    if ((*reader)->claims && (*reader)->claims(path, head, length)) return *reader;
  return NULL;
}

bool st_is_database(const char *head, size_t length) {
  static const char magic[] = "SQLite format 3";
  return length >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

const st_reader *st_reader_of_database(sqlite3 *db) {
  for (const st_reader *const *reader = st_readers; *reader; reader++)
    if ((*reader)->owns && (*reader)->owns(db)) return *reader;
  return NULL;
}

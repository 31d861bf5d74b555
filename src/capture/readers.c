/* readers.c - the harnesses that are known.  A new one is one more line. */
#include "capture/readers.h"

const st_reader *const st_readers[] = {
  &st_reader_claude,
  &st_reader_codex,
  &st_reader_codex_exec,
  &st_reader_cursor,
  &st_reader_opencode,
  &st_reader_hermes,
  &st_reader_kiso,
  &st_reader_kwasi,
  &st_reader_hippo,
  &st_reader_hassette,
  NULL,
};

const st_reader *st_reader_of_file(const char *path, const char *head, size_t length) {
  for (const st_reader *const *at = st_readers; *at; at++)
    if ((*at)->claims && (*at)->claims(path, head, length)) return *at;
  return NULL;
}

const st_reader *st_reader_of_database(sqlite3 *db) {
  for (const st_reader *const *at = st_readers; *at; at++)
    if ((*at)->owns && (*at)->owns(db)) return *at;
  return NULL;
}

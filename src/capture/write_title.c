/* write_title.c - titles: unique, and given to the session that has a message, whichever it is. */
#include <stdio.h>

#include "capture/writing.h"
#include "registry_ids.h"
#include "stores/conversation/conversation.h"

static bool has_title(st_writing *w, st_value title, st_value session) {
  st_value other;
  return st_writing_row(w, STELE_M_CONVERSATION_FIND_TITLE, (const st_value[]){title, session}, &other, 1);
}

/* A title that no other session has; null if there is none. */
st_value st_writing_title(st_writing *w, st_text told, st_value session, st_text native) {
  st_value text = st_value_text(told);
  st_value title = st_conversation_fit_title(w->call, &text);
  if (title.type != ST_TEXT || !has_title(w, title, session)) return st_writing_keep(w, title);
  char with[700];
  size_t length = title.length;
  if (length > 85) length = 85; /* bytes: surely not more characters */
  while (length && ((unsigned char)title.bytes[length] & 0xC0) == 0x80) length--;
  snprintf(with, sizeof with, "%.*s (%.*s)", (int)length, title.bytes, native.length < 8 ? (int)native.length : 8, native.bytes);
  title = st_textz(with);
  text = st_conversation_fit_title(w->call, &title);
  return text.type != ST_TEXT || has_title(w, text, session) ? st_value_null() : st_writing_keep(w, text);
}

/* ---- Titles that name a message of another session ------------------------------------------ */

void st_write_far_title(st_writing *w, const st_item *item) {
  int64_t key = st_writing_key(item->key);
  st_run(w->call, STELE_M_CONVERSATION_PUT_FAR_TITLE,
         (const st_value[]){st_textz(item->job->reader->harness), st_int(key), st_value_text(item->title)});
  if (!st_numbers_add(&w->writer->awaited, (uint64_t)key, NULL)) st_writing_need(w, NULL);
  w->writer->due = true;
}

/* A title may be waiting for this message. */
void st_wake_far_title(st_writing *w, const st_taken *t, int64_t key) {
  st_run(w->call, STELE_M_CONVERSATION_WAKE_FAR_TITLE,
         (const st_value[]){st_textz(t->job->reader->harness), st_int(key)});
  w->writer->due = true;
}

void st_writer_begin(st_writer *writer) {
  st_rows rows;
  st_value key, due;
  st_rows_start(writer->call, &rows, STELE_M_CONVERSATION_LIST_FAR_TITLES, NULL);
  while (st_rows_next(writer->call, &rows)) {
    st_rows_value(writer->call, &rows, ST_R_CONVERSATION_LIST_FAR_TITLES_KEY, &key);
    st_rows_value(writer->call, &rows, ST_R_CONVERSATION_LIST_FAR_TITLES_DUE, &due);
    if (due.integer) writer->due = true; /* an import was stopped before its end */
    if (!st_numbers_add(&writer->awaited, (uint64_t)key.integer, NULL))
      st_fail(writer->call, STELE_NOMEM, NULL, "out of memory");
  }
  st_rows_end(writer->call, &rows);
}

static st_value awaited_list(st_writer *writer) {
  st_value list = {.type = ST_LIST, .width = 1};
  st_value *items = st_call_alloc(writer->call, (writer->awaited.count + 1) * sizeof *items);
  uint32_t count = 0;
  for (size_t i = 0; items && i < writer->awaited.room; i++)
    if (writer->awaited.slots[i]) items[count++] = st_int((int64_t)writer->awaited.slots[i]);
  list.items = items;
  list.count = count;
  return list;
}

typedef struct found found;
struct found {
  found *next;
  st_value columns[ST_R_CONVERSATION_FIND_FAR_TITLES_NUMBER + 1];
};

static void give_titles(st_writer *writer) {
  st_value list = awaited_list(writer);
  st_writing w = {.writer = writer, .call = writer->call, .arena = writer->call->arena};
  found *first = NULL, **last = &first;
  st_rows rows;
  st_call_begin(w.call, true);
  if (!st_ok(w.call)) return;
  st_rows_start(w.call, &rows, STELE_M_CONVERSATION_FIND_FAR_TITLES, &list);
  while (st_rows_next(w.call, &rows)) {
    found *f = st_call_alloc(w.call, sizeof *f);
    if (!f) break;
    for (size_t i = 0; i < sizeof f->columns / sizeof *f->columns; i++) {
      st_rows_value(w.call, &rows, i, &f->columns[i]);
      f->columns[i] = st_writing_keep(&w, f->columns[i]);
    }
    *last = f;
    last = &f->next;
  }
  st_rows_end(w.call, &rows);
  for (found *f = first; f && st_ok(w.call); f = f->next) {
    const st_value *c = f->columns;
    const st_value *session = &c[ST_R_CONVERSATION_FIND_FAR_TITLES_SESSION_ID];
    st_text told = {c[ST_R_CONVERSATION_FIND_FAR_TITLES_TITLE].bytes, c[ST_R_CONVERSATION_FIND_FAR_TITLES_TITLE].length};
    st_value title = st_writing_title(&w, told, *session, (st_text){session->bytes, session->length});
    st_run(w.call, STELE_M_CONVERSATION_SETTLE_FAR_TITLE, c);
    if (title.type != ST_TEXT) continue;
    st_run(w.call, STELE_M_CONVERSATION_WRITE_TITLE, (const st_value[]){*session, title});
    st_run(w.call, STELE_M_CONVERSATION_TELL_ORIGIN,
           (const st_value[]){c[ST_R_CONVERSATION_FIND_FAR_TITLES_NUMBER], st_value_null(), st_value_null(), st_value_null(),
                              st_value_null(), st_value_null(), st_value_null(), title, st_value_null()});
  }
  st_run(w.call, STELE_M_CONVERSATION_REST_FAR_TITLES, NULL);
  st_call_end(w.call);
}

void st_writer_end(st_writer *writer) {
  if (st_ok(writer->call) && writer->due) give_titles(writer);
}

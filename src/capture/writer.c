/* writer.c - batches become rows, each in one transaction (writing.h). */
#include "capture/writer.h"

#include <string.h>

#include "base/time.h"
#include "capture/writing.h"
#include "engine/feature.h"
#include "engine/retry.h"
#include "registry_ids.h"


static void write_mark(st_writing *w, const st_item *item) {
  const st_reached *m = &item->mark;
  int64_t id = st_writing_file(w, item->job);
  st_run(w->call, STELE_M_CONVERSATION_MARK_TRANSCRIPT,
         (const st_value[]){st_int(id), st_int(m->device), st_int(m->inode), st_int(m->done ? m->size : -1),
                            st_int(m->modified), st_int(m->consumed), st_int(m->records), st_int((int64_t)m->checked),
                            st_value_text(m->state), st_int(m->bad), st_int(m->aside),
                            st_int(m->anew), st_value_text(m->problem), st_int(m->unfinished), st_real(w->now)});
}

static void write_item(st_writing *w, const st_item *item) {
  if (item->kind == ST_ITEM_MARK) {
    write_mark(w, item);
    return;
  }
  if (item->kind == ST_ITEM_SEGMENT || item->kind == ST_ITEM_CALL) return; /* for the capture store */
  if (item->kind == ST_ITEM_TITLE) {
    if (item->title.length) st_write_far_title(w, item);
    return;
  }
  st_taken *t = st_writing_session(w, item);
  if (!t || t->gone) return;
  switch (item->kind) {
    case ST_ITEM_SESSION: st_write_facts(w, t, &item->told); break;
    case ST_ITEM_MESSAGE: st_write_message(w, t, &item->message); break;
    case ST_ITEM_USAGE: st_write_usage(w, t, &item->usage); break;
    default: st_write_withdraw(w, t, item->count);
  }
}

static void write_removals(st_writing *w, const st_batch *batch) {
  if (batch->removals) st_feature_need(w->call, ST_F_CONVERSATION_REDACTIONS);
  for (const st_removal *r = batch->removals; r && st_ok(w->call); r = r->next)
    st_run(w->call, STELE_M_CONVERSATION_COUNT_REDACTION, (const st_value[]){st_textz(r->rule), st_int(r->count)});
}

static void write_once(st_writer *writer, st_batch *batch, st_counted *counted) {
  st_writing w = {.writer = writer, .call = writer->call, .arena = &batch->arena, .now = (double)st_time_now() / 1e6};
  w.end = &w.sessions;
  st_call_begin(w.call, true);
  if (!st_ok(w.call)) return;
  for (const st_item *item = batch->first; item && st_ok(w.call); item = item->next) write_item(&w, item);
  for (st_taken *t = w.sessions; t && st_ok(w.call); t = t->next)
    if (!t->gone) st_write_session(&w, t);
  write_removals(&w, batch);
  st_call_end(w.call);
  *counted = w.counted;
}

/* Conflicts are for PostgreSQL: the batch is still there, and is written again.  The numbers that files were given
** in what was undone are not theirs. */
static void forget_numbers(st_batch *batch, const st_numbers *known) {
  for (st_item *item = batch->first; item; item = item->next)
    if (!st_numbers_has(known, (uint64_t)item->job->id)) item->job->id = 0;
}

static bool remember_numbers(st_batch *batch, st_numbers *known) {
  for (st_item *item = batch->first; item; item = item->next)
    if (item->job->id && !st_numbers_add(known, (uint64_t)item->job->id, NULL)) return false;
  return true;
}

void st_writer_write(st_writer *writer, st_batch *batch) {
  st_call *call = writer->call;
  st_counted counted = {0};
  st_numbers known = {0};
  if (!batch->first && !batch->removals) return;
  if (!remember_numbers(batch, &known)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(call)) write_once(writer, batch, &counted);
  for (st_retry retry = st_retry_begin(call->db); st_retry_call(&retry, call);) {
    forget_numbers(batch, &known);
    write_once(writer, batch, &counted);
  }
  st_numbers_free(&known);
  if (!st_ok(call)) return;
  call->again = false;
  writer->counted.sessions += counted.sessions;
  writer->counted.messages += counted.messages;
  writer->counted.updated += counted.updated;
  writer->counted.removed += counted.removed;
}

void st_writer_free(st_writer *writer) {
  st_numbers_free(&writer->removed);
  st_numbers_free(&writer->awaited);
}

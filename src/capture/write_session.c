/* write_session.c - a session of a transcript: whether it is known, its row, and what is told of it. */
#include <stdio.h>
#include <string.h>

#include "capture/writing.h"
#include "registry_ids.h"

int64_t st_writing_file(st_writing *w, const st_job *job) {
  st_job *known = (st_job *)job; /* its number is nobody else's business until it is read again */
  if (!known->id)
    known->id = st_writing_number(w, STELE_M_CONVERSATION_ADD_TRANSCRIPT,
                           (const st_value[]){st_textz(job->reader->harness), st_textz(job->path), st_real(w->now)});
  return known->id;
}

static void count_removed(st_writing *w, st_taken *t) {
  bool added = false;
  if (!st_numbers_add(&w->writer->removed, (uint64_t)t->number, &added)) st_writing_need(w, NULL);
  if (added) w->counted.removed++;
}

/* What is known of a session that this transaction meets for the first time. */
static void look_up(st_writing *w, st_taken *t) {
  enum { COLUMNS = ST_R_CONVERSATION_FIND_ORIGIN_TITLE + 1 };
  st_value found[COLUMNS];
  st_value harness = st_textz(t->job->reader->harness);
  t->copied = -1;
  t->id = t->given = t->title = t->told_copied = st_value_null();
  if (!st_writing_row(w, STELE_M_CONVERSATION_FIND_ORIGIN, (const st_value[]){harness, st_value_text(t->native)}, found, COLUMNS)) {
    t->number = st_writing_number(w, STELE_M_CONVERSATION_ADD_ORIGIN,
                           (const st_value[]){harness, st_value_text(t->native), st_int(st_writing_file(w, t->job))});
    return;
  }
  t->number = found[ST_R_CONVERSATION_FIND_ORIGIN_NUMBER].integer;
  t->id = found[ST_R_CONVERSATION_FIND_ORIGIN_SESSION_ID];
  t->given = found[ST_R_CONVERSATION_FIND_ORIGIN_GIVEN];
  t->title = found[ST_R_CONVERSATION_FIND_ORIGIN_TITLE];
  t->begun = found[ST_R_CONVERSATION_FIND_ORIGIN_BEGUN].integer != 0;
  t->copied = found[ST_R_CONVERSATION_FIND_ORIGIN_COPIED].integer;
  if (found[ST_R_CONVERSATION_FIND_ORIGIN_LAST_AT].type == ST_REAL)
    t->last_at = found[ST_R_CONVERSATION_FIND_ORIGIN_LAST_AT].real;
  const st_value *parent = &found[ST_R_CONVERSATION_FIND_ORIGIN_PARENT];
  if (parent->type == ST_TEXT) t->parent = (st_text){parent->bytes, parent->length};
  if (t->id.type != ST_TEXT || found[ST_R_CONVERSATION_FIND_ORIGIN_HERE].integer) return;
  if (w->writer->again) {
    st_run(w->call, STELE_M_CONVERSATION_FORGET_RECORDS, (const st_value[]){st_int(t->number)});
    t->id = t->given = st_value_null();
    t->begun = false;
    t->copied = -1;
  } else {
    t->gone = true;
    count_removed(w, t);
  }
}

st_taken *st_writing_session(st_writing *w, const st_item *item) {
  st_taken *t = w->last;
  if (t && t->native.bytes == item->session.bytes && t->job->reader == item->job->reader) return t;
  for (t = w->sessions; t; t = t->next)
    if (t->job->reader == item->job->reader && st_text_same(t->native, item->session)) break;
  if (!t) {
    t = st_writing_need(w, st_arena_zero(w->arena, sizeof *t));
    if (!t) return NULL;
    t->job = item->job;
    t->native = item->session;
    *w->end = t;
    w->end = &t->next;
    look_up(w, t);
  }
  w->last = t;
  return st_ok(w->call) ? t : NULL;
}

static bool is_free(st_writing *w, st_value id) {
  return st_writing_number(w, STELE_M_CONVERSATION_HAS_SESSION, (const st_value[]){id}) == 0;
}

/* The id it gets: its own, or if another session has that, with its harness before it. */
static st_value choose_id(st_writing *w, const st_taken *t) {
  st_value own = st_value_text(t->native);
  if (is_free(w, own) || !st_ok(w->call)) return own;
  size_t room = strlen(t->job->reader->harness) + t->native.length + 32;
  char *text = st_writing_need(w, st_arena_alloc(w->arena, room));
  if (!text) return st_value_null();
  snprintf(text, room, "%s:%s", t->job->reader->harness, t->native.bytes);
  if (!is_free(w, st_textz(text))) snprintf(text, room, "%s:%s:%lld", t->job->reader->harness, t->native.bytes, (long long)t->number);
  return st_textz(text);
}

void st_writing_make(st_writing *w, st_taken *t, double started_at) {
  if (t->id.type == ST_TEXT) return;
  st_value harness = st_textz(t->job->reader->harness);
  t->id = choose_id(w, t);
  if (!(started_at > 0)) started_at = (double)t->job->modified / 1e9;
  st_run(w->call, STELE_M_CONVERSATION_TAKE_SESSION, (const st_value[]){t->id, harness, st_real(started_at)});
  st_run(w->call, STELE_M_CONVERSATION_NAME_ORIGIN, (const st_value[]){st_int(t->number), t->id});
  st_run(w->call, STELE_M_CONVERSATION_LINK_CHILDREN, (const st_value[]){t->id, harness, st_value_text(t->native)});
  if (t->parent.length)
    st_run(w->call, STELE_M_CONVERSATION_LINK_SESSION, (const st_value[]){t->id, harness, st_value_text(t->parent)});
  if (t->given.type == ST_TEXT && !t->facts.title.length) { /* told before it was here */
    t->facts.title = (st_text){t->given.bytes, t->given.length};
    t->given = st_value_null();
    t->told = true;
  }
  w->counted.sessions++;
}

void st_writing_parent(st_writing *w, st_taken *t, st_text parent, st_link link) {
  if (!parent.length || t->parent.length || st_text_same(parent, t->native)) return;
  t->parent = t->facts.parent = parent;
  t->facts.link = link;
  t->told = true;
  if (t->id.type == ST_TEXT)
    st_run(w->call, STELE_M_CONVERSATION_LINK_SESSION,
           (const st_value[]){t->id, st_textz(t->job->reader->harness), st_value_text(parent)});
}

void st_write_facts(st_writing *w, st_taken *t, const st_told_session *told) {
  st_text_merge(&t->facts.title, told->title);
  st_text_merge(&t->facts.cwd, told->cwd);
  st_text_merge(&t->facts.branch, told->branch);
  st_text_merge(&t->facts.model, told->model);
  st_text_merge(&t->facts.version, told->version);
  st_text_merge(&t->facts.agent, told->agent);
  st_text_merge(&t->facts.system_prompt, told->system_prompt);
  if (told->started_at > 0) t->facts.started_at = told->started_at;
  t->told = true;
  st_writing_parent(w, t, told->parent, told->link);
  bool says = told->cwd.length || told->branch.length || told->model.length || told->version.length ||
              told->agent.length || told->system_prompt.length || told->started_at > 0;
  if (says) st_writing_make(w, t, told->started_at);
}

/* The title to write now: not where the user chose one. */
static st_value next_title(st_writing *w, st_taken *t) {
  if (!t->facts.title.length || t->id.type != ST_TEXT) return st_value_null();
  bool ours = t->title.type != ST_TEXT ||
              (t->given.type == ST_TEXT && t->given.length == t->title.length &&
               memcmp(t->given.bytes, t->title.bytes, t->title.length) == 0);
  return ours ? st_writing_title(w, t->facts.title, t->id, t->native) : st_value_null();
}

static const char *link_name(st_link link) {
  static const char *const names[] = {NULL, "subagent", "compaction", "resume", "fork"};
  return names[link];
}

void st_write_session(st_writing *w, st_taken *t) {
  st_value title = next_title(w, t);
  st_value given = t->id.type == ST_TEXT ? title : st_value_text(t->facts.title); /* kept until it is here */
  if (t->told)
    st_run(w->call, STELE_M_CONVERSATION_TELL_ORIGIN,
           (const st_value[]){st_int(t->number), st_value_text(t->facts.cwd), st_value_text(t->facts.branch),
                              st_value_text(t->facts.version), st_value_text(t->facts.agent),
                              st_textz(link_name(t->facts.link)), st_value_text(t->facts.parent), given,
                              t->told_copied});
  if (t->id.type != ST_TEXT) return;
  const st_told_usage *u = &t->usage;
  st_run(w->call, STELE_M_CONVERSATION_TELL_SESSION,
         (const st_value[]){t->id, st_value_text(t->facts.model), st_value_text(t->facts.system_prompt), title,
                            t->facts.started_at > 0 ? st_real(t->facts.started_at) : st_value_null(),
                            t->last_at > 0 ? st_real(t->last_at) : st_value_null(), st_int(t->messages), st_int(t->calls),
                            st_int(t->requests), st_int(u->input), st_int(u->output), st_int(u->cache_read),
                            st_int(u->cache_write), st_int(u->reasoning),
                            u->cost != 0 ? st_real(u->cost) : st_value_null()});
}

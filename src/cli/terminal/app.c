/* app.c - the interactive stele: it waits for keys, signals and answers, and draws. */
#include "app.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../home.h"
#include "../text.h"
#include "terminal.h"
#include "tty.h"

#define ESCAPE_MS 50 /* how long the rest of a key may be on its way, also over ssh */

bool terminal_there(void) {
  return tty_there();
}

static void resize(app *a) {
  size_t rows, columns;
  tty_size(&rows, &columns);
  screen_resize(&a->screen, rows, columns);
}

static void show(app *a) {
  size_t length;
  draw(a);
  char *bytes = screen_draw(&a->screen, &length);
  if (!tty_write(bytes, length)) a->over = true;
  free(bytes);
}

/* ---- What comes ---- */

static void take_signals(app *a) {
  char numbers[64];
  ssize_t count = read(tty_signals(), numbers, sizeof numbers);
  for (ssize_t i = 0; i < count; i++) {
    switch (numbers[i]) {
      case SIGWINCH: resize(a); break;
      case SIGTSTP: tty_suspend(), resize(a); break;
      case SIGCONT: tty_again(), resize(a); break;
      default: a->over = true;
    }
  }
}

static void take_answers(app *a, int bell) {
  char rung[64];
  answer got;
  while (read(bell, rung, sizeof rung) > 0) continue;
  if (asker_take(a->lists, &got)) {
    find_take(a, &got);
    answer_free(&got);
  }
  if (asker_take(a->texts, &got)) {
    read_take(a, &got);
    answer_free(&got);
  }
}

static void take_keys(app *a, bool waited) {
  key k;
  while (!a->over && key_next(&a->keys, waited, &k)) act_key(a, &k);
}

static void take_input(app *a) {
  char bytes[128];
  ssize_t count = read(STDIN_FILENO, bytes, key_room(&a->keys) < sizeof bytes ? key_room(&a->keys) : sizeof bytes);
  if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) a->over = true; /* the terminal is gone */
  if (count <= 0) return;
  key_feed(&a->keys, bytes, (size_t)count);
  take_keys(a, false);
}

static void loop(app *a, int bell) {
  struct pollfd from[] = {{STDIN_FILENO, POLLIN, 0}, {tty_signals(), POLLIN, 0}, {bell, POLLIN, 0}};
  while (!a->over) {
    show(a);
    int ready = poll(from, sizeof from / sizeof *from, key_open(&a->keys) ? ESCAPE_MS : -1);
    if (ready == 0) take_keys(a, true);
    if (ready <= 0) continue;
    if (from[1].revents) take_signals(a);
    if (from[0].revents && !a->over) take_input(a);
    if (from[2].revents) take_answers(a, bell);
  }
}

/* ---- Beginning and end ---- */

/* False: something is still at work. */
static bool release(app *a) {
  bool ended = asker_stop(a->lists) & asker_stop(a->texts);
  screen_free(&a->screen);
  filters_free(&a->filters);
  hits_free(&a->found);
  hit_free(&a->opened);
  reading_clear(&a->preview);
  reading_clear(&a->reader);
  free(a->message);
  free(a->list_remark);
  free(a->reader_id);
  return ended;
}

/* Go on with a session: its agent takes our place. */
static int go_on(app *a) {
  printf("%s\n", a->resume);
  fflush(stdout);
  signal(SIGPIPE, SIG_DFL);
  execlp("sh", "sh", "-c", a->resume, (char *)NULL);
  return out_failure(&a->c->out, &(stele_failure){STELE_IO, "", "", "there is no shell", ""});
}

static bool begin(app *a, int bell) {
  home at;
  if (home_of(a->c, &at)) return false;
  a->lists = asker_start(&at.options, bell);
  a->texts = asker_start(&at.options, bell);
  home_free(&at);
  return a->lists && a->texts;
}

int terminal_run(cli *c) {
  app a = {.c = c, .in = PLACE_QUERY, .wants_preview = true};
  int bell[2], status = 1;
  if (!tty_able())
    return out_bad(&c->out, "`stele search` and `stele help` work in any", "this terminal cannot move its cursor (TERM)");
  if (pipe2(bell, O_CLOEXEC | O_NONBLOCK) != 0) return 1;
  a.screen.colours = *c->out.bold != '\0';
  a.screen.unicode = c->out.unicode;
  filters_begin(&a.filters);
  if (begin(&a, bell[1]) && tty_enter()) {
    resize(&a);
    find_begin(&a);
    loop(&a, bell[0]);
    tty_leave();
    status = 0;
  }
  bool ended = release(&a);
  if (a.resume) status = go_on(&a);
  if (!ended) _exit(status); /* the usual way out would free what is in use */
  close(bell[0]);
  close(bell[1]);
  free(a.resume);
  return status;
}

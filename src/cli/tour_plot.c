/* tour_plot.c - runs over time, drawn with characters. */
#include <stdlib.h>

#include "plot.h"
#include "text.h"
#include "tour.h"

#define BUCKETS 12
#define WIDEST 50

typedef struct bar {
  char *time;
  int64_t runs, errors;
} bar;

static void draw(output *out, const bar *bars, size_t count) {
  int64_t most = 0;
  size_t room = out->width ? out->width : 80;
  room = room > 30 + WIDEST ? WIDEST : room > 40 ? room - 30 : 10;
  for (size_t i = 0; i < count; i++)
    if (bars[i].runs > most) most = bars[i].runs;
  for (size_t i = 0; i < count; i++) {
    size_t all = plot_marks((double)bars[i].runs, (double)most, room), bad = plot_marks((double)bars[i].errors, (double)most, room);
    if (bad > all) bad = all;
    out_format(out, "  %s  ", bars[i].time);
    plot_bar(out, all - bad, false);
    out_text(out, out->red);
    plot_bar(out, bad, true);
    out_format(out, "%s  %d", out->normal, (int)bars[i].runs);
    if (bars[i].errors) out_format(out, ", %d failed", (int)bars[i].errors);
    out_text(out, "\n");
  }
}

void tour_plot(tour *t, const char *since, const char *until) {
  const stele_method *method = stele_method_find("telemetry.get_time_buckets");
  argument arguments[] = {{"since", since}, {"until", until}, {"buckets", "12"}, {NULL, NULL}};
  bar bars[BUCKETS];
  size_t count = 0;
  if (!tour_goes_on(t)) return;
  char *json = request_json(arguments);
  tour_command_line(t, method->name, json);
  free(json);
  stele_stmt *stmt = request_prepare(t->db, method->name, arguments);
  stele_status status = stmt ? STELE_ROW : STELE_INVALID;
  while (status == STELE_ROW && (status = stele_step(stmt)) == STELE_ROW && count < BUCKETS)
    bars[count++] = (bar){
        table_time(stele_column_real(stmt, table_index(method, "start")), "%H:%M"),
        stele_column_int(stmt, table_index(method, "invocations")) +
            stele_column_int(stmt, table_index(method, "executions")),
        stele_column_int(stmt, table_index(method, "invocation_errors")) +
            stele_column_int(stmt, table_index(method, "execution_errors")),
    };
  if (status == STELE_DONE)
    draw(t->out, bars, count);
  else
    tour_failed(t);
  stele_finalize(stmt);
  for (size_t i = 0; i < count; i++) free(bars[i].time);
}

/* plot.c - see plot.h. */
#include "plot.h"

size_t plot_marks(double value, double most, size_t room) {
  if (!(value > 0) || !(most > 0)) return 0;
  size_t marks = (size_t)(value / most * (double)room);
  return marks ? marks : 1;
}

void plot_bar(output *out, size_t marks, bool shaded) {
  const char *mark = shaded ? (out->unicode ? "\u2592" : "x") : out->unicode ? "\u2588" : "#";
  for (size_t i = 0; i < marks; i++) out_text(out, mark);
}

/* The sum of the values that a column stands for. */
static double column_sum(const double *values, size_t count, size_t each, size_t column) {
  double sum = 0;
  for (size_t i = column * each; i < count && i < (column + 1) * each; i++) sum += values[i];
  return sum;
}

size_t plot_line(output *out, const double *values, size_t count, size_t room, double *most) {
  static const char *const blocks[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                       "\u2585", "\u2586", "\u2587", "\u2588"};
  static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};
  size_t each = (count + room - 1) / room, columns = (count + each - 1) / each;
  *most = 0;
  for (size_t i = 0; i < columns; i++) {
    double sum = column_sum(values, count, each, i);
    if (sum > *most) *most = sum;
  }
  for (size_t i = 0; i < columns; i++)
    out_text(out, (out->unicode ? blocks : ascii)[plot_marks(column_sum(values, count, each, i), *most, 8)]);
  return each;
}

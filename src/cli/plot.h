/* plot.h - small pictures of numbers, with characters: blocks where these can be shown, else ASCII. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "output.h"

/* How many of `room` marks stand for `value`, if all stand for `most`.  Something is at least one. */
size_t plot_marks(double value, double most, size_t room);

/* So many marks of a bar: full ones, or, for what went wrong, shaded ones. */
void plot_bar(output *out, size_t marks, bool shaded);

/* Values as a line of columns, `room` of them at most: if there are more, neighbours are added up.
** Returns how many values a column stands for; *most: the highest column. */
size_t plot_line(output *out, const double *values, size_t count, size_t room, double *most);

#endif

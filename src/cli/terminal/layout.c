/* layout.c - see layout.h. */
#include "layout.h"

#define ROWS_LEAST 5
#define COLUMNS_LEAST 20
#define WIDE 120       /* columns from which on a preview has room beside the list */
#define ROWS_PREVIEW 12 /* rows from which on it has room below it */

static void beside(layout *l, size_t rows, size_t columns) {
  l->list.columns = columns / 2 - 1;
  l->rule = (area){l->list.row, columns / 2, rows, 1};
  l->preview = (area){l->list.row, columns / 2 + 2, rows, columns - columns / 2 - 2};
}

static void below(layout *l, size_t rows, size_t columns) {
  l->list.rows = rows * 2 / 5;
  l->rule = (area){l->list.row + l->list.rows, 0, 1, columns};
  l->preview = (area){l->rule.row + 1, 0, rows - l->list.rows - 1, columns};
}

layout layout_of(size_t rows, size_t columns, bool preview) {
  layout l = {.possible = rows >= ROWS_LEAST && columns >= COLUMNS_LEAST, .query = 0, .filters = 1};
  if (!l.possible) return l;
  l.status = rows - 1;
  l.list = (area){2, 0, rows - 3, columns};
  l.reader = (area){1, 0, rows - 2, columns};
  if (preview && columns >= WIDE) beside(&l, rows - 3, columns);
  else if (preview && rows >= ROWS_PREVIEW) below(&l, rows - 3, columns);
  return l;
}

size_t layout_top(size_t top, size_t chosen, size_t rows) {
  if (chosen < top) return chosen;
  return rows > 0 && chosen >= top + rows ? chosen - rows + 1 : top;
}

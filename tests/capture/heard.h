/* heard.h - a taker that writes down what it is told, a line each, and insists on what told.h promises. */
#ifndef TEST_HEARD_H
#define TEST_HEARD_H

#include "base/str.h"
#include "capture/told.h"

typedef struct heard {
  st_taker taker; /* first: it is cast back */
  st_str log;
  int left;          /* so many more are wanted; then no more */
  const char *wrong; /* a promise that was broken: texts that are no UTF-8, JSON that is none, a message without key or role */
} heard;

void heard_open(heard *h);
void heard_close(heard *h);

/* How a message is written down:  message SESSION KEY ROLE "content" calls=… call=… tool=… thought=… */

#endif

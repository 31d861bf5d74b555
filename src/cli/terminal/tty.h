/* tty.h - the terminal itself: its modes while it is ours, its size, and the signals that come meanwhile.
**
** However the program ends, the terminal is as it was: by tty_leave(), by exit(), by a signal and by a crash. */
#ifndef CLI_TERMINAL_TTY_H
#define CLI_TERMINAL_TTY_H

#include <stdbool.h>
#include <stddef.h>

/* Are standard input and output one? */
bool tty_there(void);
/* Can it move its cursor? */
bool tty_able(void);

/* Take the terminal: every key comes at once and unseen, on a screen beside the usual one.  False: it cannot be had. */
bool tty_enter(void);
/* Give it back as it was.  May be called at any time. */
void tty_leave(void);

/* Stop as Ctrl-Z does; when we go on, the terminal is ours again. */
void tty_suspend(void);
/* We were stopped by somebody else and go on: take the terminal again, whatever was done to it. */
void tty_again(void);

void tty_size(size_t *rows, size_t *columns);

/* Write all of it.  False: the terminal is gone. */
bool tty_write(const char *bytes, size_t length);

/* Where numbers of signals can be read from, one a byte: SIGWINCH, SIGTSTP, SIGCONT, and those that end the program. */
int tty_signals(void);

#endif

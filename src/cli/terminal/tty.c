/* tty.c - see tty.h. */
#include "tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "../places.h"

/* The other screen, and pastes that say that they are one; back again, with the usual style and the cursor there. */
#define ENTER "\033[?1049h\033[?2004h"
#define LEAVE "\033[0m\033[?2004l\033[?25h\033[?1049l"

static struct termios usual;
static volatile sig_atomic_t ours;
static int ends[2] = {-1, -1};

static const int TOLD[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP};
static const int FATAL[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGSYS, SIGTRAP};

bool tty_there(void) {
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

bool tty_able(void) {
  const char *term = places_environment("TERM");
  return term && strcmp(term, "dumb") != 0;
}

/* Nothing in here but what a signal handler may do. */
void tty_leave(void) {
  if (!ours) return;
  ours = 0;
  for (size_t done = 0; done < sizeof LEAVE - 1;) {
    ssize_t count = write(STDOUT_FILENO, LEAVE + done, sizeof LEAVE - 1 - done);
    if (count < 0 && errno != EINTR) break;
    if (count > 0) done += (size_t)count;
  }
  tcsetattr(STDIN_FILENO, TCSADRAIN, &usual);
}

static void tell(int number) {
  int kept = errno;
  char byte = (char)number;
  if (write(ends[1], &byte, 1) < 0) byte = 0; /* full: whoever reads has enough to do */
  errno = kept;
}

static void crash(int number) {
  tty_leave();
  signal(number, SIG_DFL);
  raise(number);
}

static void handle(int number, void (*by)(int), int flags) {
  struct sigaction action = {.sa_handler = by, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

static bool take(void) {
  struct termios raw = usual;
  raw.c_iflag &= ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
  raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
  raw.c_oflag &= ~(tcflag_t)OPOST;
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0) return false;
  ours = 1;
  return tty_write(ENTER, strlen(ENTER));
}

bool tty_enter(void) {
  if (tcgetattr(STDIN_FILENO, &usual) != 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  for (size_t i = 0; i < sizeof TOLD / sizeof *TOLD; i++) handle(TOLD[i], tell, SA_RESTART);
  for (size_t i = 0; i < sizeof FATAL / sizeof *FATAL; i++) handle(FATAL[i], crash, (int)SA_RESETHAND);
  atexit(tty_leave);
  return take();
}

void tty_suspend(void) {
  tty_leave();
  signal(SIGTSTP, SIG_DFL);
  raise(SIGTSTP);
  handle(SIGTSTP, tell, SA_RESTART);
  take();
}

void tty_again(void) {
  if (ours) take();
}

void tty_size(size_t *rows, size_t *columns) {
  struct winsize size = {0};
  bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col;
  *rows = known ? size.ws_row : 24;
  *columns = known ? size.ws_col : 80;
}

bool tty_write(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = write(STDOUT_FILENO, bytes, length);
    if (count < 0 && errno == EAGAIN) poll(&(struct pollfd){STDOUT_FILENO, POLLOUT, 0}, 1, -1);
    else if (count < 0 && errno != EINTR) return false;
    if (count <= 0) continue;
    bytes += count;
    length -= (size_t)count;
  }
  return true;
}

int tty_signals(void) {
  return ends[0];
}

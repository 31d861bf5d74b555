/* git_state.c - see git_state.h. */
#include "git_state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

extern char **environ;

#define TOLD_MAX (64u << 10) /* bytes of what git says that are read: the first change is enough */
#define SHORT_COMMIT 7

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- Asking git ---- */

/* What comes before the deadline, up to the maximum.  True: all of it came. */
static bool read_told(int fd, int64_t until, char *told) {
  size_t length = 0;
  bool ended = false;
  while (!ended && length < TOLD_MAX) {
    int64_t left = until - now_ms();
    struct pollfd one = {.fd = fd, .events = POLLIN};
    if (left <= 0 || (poll(&one, 1, (int)left) <= 0 && errno != EINTR)) break;
    ssize_t got = read(fd, told + length, TOLD_MAX - length);
    if (got > 0) length += (size_t)got;
    ended = got == 0;
  }
  told[length] = '\0';
  return ended || length == TOLD_MAX;
}

static pid_t start(const char *const *words, int to) {
  posix_spawn_file_actions_t files;
  pid_t child = 0;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO);
  int failed = posix_spawnp(&child, words[0], &files, NULL, (char *const *)words, environ);
  posix_spawn_file_actions_destroy(&files);
  return failed ? 0 : child;
}

/* What git says, in new memory; NULL: nothing in time, or it fails. */
static char *ask_git(const char *directory, int64_t until, const char *one, const char *two, const char *three, const char *four) {
  /* Without locks: it must not be in the way of the git that the user calls next. */
  const char *words[] = {"git", "--no-optional-locks", "-C", directory, one, two, three, four, NULL};
  int ends[2], status = 0;
  if (pipe2(ends, O_CLOEXEC) != 0) return NULL;
  pid_t child = start(words, ends[1]);
  close(ends[1]);
  char *told = text_need(malloc(TOLD_MAX + 1));
  bool whole = child && read_told(ends[0], until, told);
  close(ends[0]); /* more than was read is not wanted: writing it ends git */
  if (child && !whole) kill(child, SIGKILL);
  while (child && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  bool cut = whole && strlen(told) == TOLD_MAX;
  if (whole && (cut || status == 0)) return told;
  free(told);
  return NULL;
}

/* ---- What it said ---- */

/* The rest of the line that begins so, in new memory; NULL: there is none. */
static char *line_after(const char *told, const char *head) {
  const char *at = strstr(told, head);
  return at ? text_need(strndup(at + strlen(head), strcspn(at + strlen(head), "\n"))) : NULL;
}

/* Lines of status that do not begin with # are changes. */
static bool has_change(const char *told) {
  for (; *told; told += strcspn(told, "\n"), told += *told == '\n')
    if (*told != '#') return true;
  return false;
}

/* NULL, if it says that there is none. */
static char *unless(char *text, const char *none) {
  if (!text || strncmp(text, none, strlen(none)) != 0) return text;
  free(text);
  return NULL;
}

char *git_state_repo(const char *url) {
  size_t length = strcspn(url, "\n");
  while (length && url[length - 1] == '/') length--;
  if (length > 4 && strncmp(url + length - 4, ".git", 4) == 0) length -= 4;
  const char *scheme = strstr(url, "://"), *host = scheme ? scheme + 3 : url;
  size_t start = length, slashes = 0;
  while (start > 0 && url + start > host) {
    char before = url[start - 1];
    if (before == ':' && !scheme) break; /* of git@host:owner/name */
    if (before == '/' && ++slashes == 2) break;
    start--;
  }
  bool owned = start > 0 && url + start > host && memchr(url + start, '/', length - start) && start < length;
  return owned && url[start] != '/' ? text_need(strndup(url + start, length - start)) : NULL;
}

static char *repo_of(const char *directory, int64_t until) {
  char *url = ask_git(directory, until, "config", "--get", "remote.origin.url", NULL);
  char *repo = url ? git_state_repo(url) : NULL;
  free(url);
  if (repo) return repo;
  char *top = ask_git(directory, until, "rev-parse", "--show-toplevel", NULL, NULL);
  if (top) top[strcspn(top, "\n")] = '\0';
  char *slash = top ? strrchr(top, '/') : NULL;
  repo = slash && slash[1] ? text_format("%s", slash + 1) : NULL;
  free(top);
  return repo;
}

bool git_state_read(const char *directory, int limit_ms, git_state *out) {
  int64_t until = now_ms() + limit_ms;
  *out = (git_state){.dirty = -1};
  char *told = ask_git(directory, until, "status", "--porcelain=v2", "--branch", "--untracked-files=no");
  if (!told) return false;
  out->commit = unless(line_after(told, "# branch.oid "), "(initial)");
  out->branch = unless(line_after(told, "# branch.head "), "(detached)");
  out->dirty = has_change(told);
  out->repo = repo_of(directory, until);
  if (out->commit && strlen(out->commit) > SHORT_COMMIT) out->commit[SHORT_COMMIT] = '\0';
  free(told);
  return true;
}

void git_state_free(git_state *state) {
  free(state->repo);
  free(state->branch);
  free(state->commit);
}

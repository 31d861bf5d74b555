/* event.h - a command that ran, on its way into an envelope (docs/shell.md). */
#ifndef CLI_EVENT_H
#define CLI_EVENT_H

#include "command.h"

/* X(member, option, what it is): what a sender says of a command, as an option, or as a field name=value from standard input. */
#define EVENT_FIELDS(X)                                                       \
  X(cmd, CMD, "what ran")                                                     \
  X(exit, EXIT, "how it ended (0)")                                           \
  X(cwd, CWD, "in which directory (this one)")                                \
  X(duration_ms, DURATION_MS, "how long it took, in milliseconds (0)")        \
  X(shell, SHELL, "in which shell: zsh, bash, fish, ...")                     \
  X(session, SESSION, "the terminal's session (STELE_SESSION_ID, else a new one)") \
  X(git_repo, GIT_REPO, "its repository (git is asked)")                      \
  X(git_branch, GIT_BRANCH, "the repository's branch")                        \
  X(git_commit, GIT_COMMIT, "its commit")                                     \
  X(git_dirty, GIT_DIRTY, "whether it holds changes: true or false")          \
  X(output, OUTPUT, "what it said; the middle of a long one is left out")     \
  X(tool_name, TOOL_NAME, "of a tool call: which tool")                       \
  X(source_kind, SOURCE_KIND, "of a tool call: whose, such as claude-tool or codex-tool") \
  X(probe_tag, PROBE_TAG, "of a probe")

typedef struct event {
#define X(member, option, doc) const char *member;
  EVENT_FIELDS(X)
#undef X
} event;

/* The envelope as JSON, in new memory; cmd and cwd are said.  NULL: the system gave no random bytes for its id. */
char *event_envelope(stele_db *db, const event *e);

#endif

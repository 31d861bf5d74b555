/* setup_targets.c - see setup.h: what can be set up, where it goes, and what is put there. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "places.h"
#include "setup.h"
#include "text.h"

/* ---- Places ---- */

/* $variable/name, else ~/below/name */
static char *below(const char *variable, const char *directory, const char *name) {
  const char *moved = variable ? places_environment(variable) : NULL, *user = places_user();
  if (moved && moved[0] == '/') return text_format("%s/%s", moved, name);
  return user ? text_format("%s/%s%s", user, directory, name) : NULL;
}

static char *claude_file(void) {
  return below("CLAUDE_CONFIG_DIR", "", ".claude.json");
}

static char *codex_file(void) {
  return below("CODEX_HOME", ".codex/", "config.toml");
}

static char *cursor_file(void) {
  return below(NULL, ".cursor/", "mcp.json");
}

/* The one that is there; opencode reads both. */
static char *opencode_file(void) {
  char *plain = below("XDG_CONFIG_HOME", ".config/", "opencode/opencode.json");
  char *commented = below("XDG_CONFIG_HOME", ".config/", "opencode/opencode.jsonc");
  bool use = commented && access(plain, F_OK) != 0 && access(commented, F_OK) == 0;
  free(use ? plain : commented);
  return use ? commented : plain;
}

static char *zsh_file(void) {
  return below("ZDOTDIR", "", ".zshrc");
}

static char *bash_file(void) {
  return below(NULL, "", ".bashrc");
}

static char *fish_file(void) {
  return below("XDG_CONFIG_HOME", ".config/", "fish/config.fish");
}

static char *systemd_file(void) {
  return below("XDG_CONFIG_HOME", ".config/", "systemd/user/stele.service");
}

static bool is_there(const char *path) {
  return access(path, F_OK) == 0;
}

static bool directory_there(const char *file) {
  char *directory = text_need(strndup(file, (size_t)(strrchr(file, '/') - file)));
  bool there = is_there(directory);
  free(directory);
  return there;
}

/* Claude Code keeps this file in the home directory itself, and has another one for everything else. */
static bool claude_there(const char *file) {
  char *directory = text_need(strndup(file, strlen(file) - strlen(".json")));
  bool there = is_there(file) || is_there(directory);
  free(directory);
  return there;
}

static bool on_path(const char *program) {
  const char *path = places_environment("PATH");
  bool found = false;
  while (path && *path && !found) {
    size_t length = strcspn(path, ":");
    char *file = text_format("%.*s/%s", (int)length, path, program);
    found = access(file, X_OK) == 0;
    free(file);
    path += length + (path[length] == ':');
  }
  return found;
}

static bool zsh_there(const char *file) {
  return is_there(file) || on_path("zsh");
}

static bool bash_there(const char *file) {
  return is_there(file) || on_path("bash");
}

static bool fish_there(const char *file) {
  return is_there(file) || on_path("fish");
}

static bool systemd_there(const char *file) {
  return is_there(file) || on_path("systemctl");
}

/* ---- What is put there ---- */

static char *quoted(const char *word) {
  return text_need(text_quote(word));
}

/* {before}"program"{between}"--home", "DIR", "mcp"{after} */
static char *command_json(cli *c, const char *program, const char *before, const char *between, const char *after) {
  char *value = NULL, *name = quoted(program);
  size_t length = 0;
  FILE *to = text_need(open_memstream(&value, &length));
  fprintf(to, "%s%s%s", before, name, between);
  setup_words(c, to, "", quoted);
  fprintf(to, "\"mcp\"%s", after);
  fclose(to);
  free(name);
  return text_need(value);
}

static char *claude_content(cli *c, const char *program) {
  return command_json(c, program, "{\"type\": \"stdio\", \"command\": ", ", \"args\": [", "]}");
}

static char *cursor_content(cli *c, const char *program) {
  return command_json(c, program, "{\"command\": ", ", \"args\": [", "]}");
}

static char *opencode_content(cli *c, const char *program) {
  return command_json(c, program, "{\"type\": \"local\", \"command\": [", ", ", "], \"enabled\": true}");
}

static char *codex_content(cli *c, const char *program) {
  return command_json(c, program, "[mcp_servers.stele]\ncommand = ", "\nargs = [", "]\n");
}

/* Completions.  A block can grow: what is set up for a shell is all here. */
static char *bash_content(cli *c, const char *program) {
  char *word = text_shell(program);
  (void)c;
  char *body = text_format("if [ -x %s ]; then eval \"$(%s completion bash)\"; fi\n", word, word);
  free(word);
  return body;
}

static char *zsh_content(cli *c, const char *program) {
  char *word = text_shell(program);
  (void)c;
  char *body = text_format("if [ -x %s ]; then\n"
                           "  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\n"
                           "  eval \"$(%s completion zsh)\"\n"
                           "fi\n",
                           word, word);
  free(word);
  return body;
}

static char *fish_content(cli *c, const char *program) {
  char *word = text_shell(program);
  (void)c;
  char *body = text_format("if test -x %s\n    %s completion fish | source\nend\n", word, word);
  free(word);
  return body;
}

/* The hook is a part of its own: who wants completion need not want to be captured. */
static char *hook_content(cli *c, const char *program, const char *shell) {
  char *word = text_shell(program), *words = setup_command_line(c, program);
  char *body = text_format("if [ -x %s ]; then eval \"$(%s hook %s)\"; fi\n", word, words, shell);
  free(word);
  free(words);
  return body;
}

static char *zsh_hook_content(cli *c, const char *program) {
  return hook_content(c, program, "zsh");
}

static char *bash_hook_content(cli *c, const char *program) {
  return hook_content(c, program, "bash");
}

static char *fish_hook_content(cli *c, const char *program) {
  char *word = text_shell(program), *words = setup_command_line(c, program);
  char *body = text_format("if test -x %s\n    %s hook fish | source\nend\n", word, words);
  free(word);
  free(words);
  return body;
}

#define TOOLS "the tools of `stele mcp`, for every project"
#define HOOK "its commands are captured"
#define PAGES "its extension can tell which pages you read"
#define SCRIPT {.alone = true, .head = "#!/bin/sh\n"}

const setup_target setup_targets[] = {
    {"claude", "Claude Code", TOOLS, claude_file, claude_there, claude_content, {.container = "mcpServers"}, false, NULL, NULL},
    {"codex", "Codex CLI", TOOLS, codex_file, directory_there, codex_content, {.table = "mcp_servers.stele"}, false, NULL, NULL},
    {"cursor", "Cursor", TOOLS, cursor_file, directory_there, cursor_content, {.container = "mcpServers"}, false, NULL, NULL},
    {"opencode", "opencode", TOOLS, opencode_file, directory_there, opencode_content,
     {.container = "mcp", .inner = "servers"}, false, NULL, NULL},
    {"zsh", "zsh", "completion", zsh_file, zsh_there, zsh_content, {.name = "zsh"}, false, NULL, NULL},
    {"bash", "bash", "completion", bash_file, bash_there, bash_content, {.name = "bash"}, false, NULL, NULL},
    {"fish", "fish", "completion", fish_file, fish_there, fish_content, {.name = "fish"}, true, NULL, NULL},
    {"zsh-hook", "zsh", HOOK, zsh_file, zsh_there, zsh_hook_content, {.name = "zsh-hook"}, false, NULL, NULL},
    {"bash-hook", "bash", HOOK, bash_file, bash_there, bash_hook_content, {.name = "bash-hook"}, false, NULL, NULL},
    {"fish-hook", "fish", HOOK, fish_file, fish_there, fish_hook_content, {.name = "fish-hook"}, true, NULL, NULL},
    {"systemd", "systemd", "`stele serve` from login on", systemd_file, systemd_there, setup_unit, {.alone = true}, true,
     setup_systemctl, NULL},
    {"firefox", "Firefox", PAGES, setup_firefox, setup_browser_there, setup_script, SCRIPT, true, setup_manifest, setup_manifest_there},
    {"chromium", "Chromium", PAGES, setup_chromium, setup_browser_there, setup_script, SCRIPT, true, setup_manifest,
     setup_manifest_there},
    {"chrome", "Google Chrome", PAGES, setup_chrome, setup_browser_there, setup_script, SCRIPT, true, setup_manifest,
     setup_manifest_there},
    {NULL, NULL, NULL, NULL, NULL, NULL, {0}, false, NULL, NULL},
};

/* hook.c - stele hook: what makes a shell tell of the commands that ran in it.
**
** A prompt waits until a process was made, and for nothing else: what takes time (git, the connection) is done by `stele send-event`, beside
** it.  A process in between makes that one, so that the shell's own last background process ($!) stays what it is.  The fields go through a
** pipe, because other users can read command lines. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "setup.h"
#include "text.h"

/* The functions set what they need by themselves, whatever options the user has set. */
static const char ZSH[] =
    "if [[ -o interactive && -z ${__stele_session-} ]]; then\n"
    "zmodload zsh/datetime\n"
    "typeset -g __stele_command= __stele_cwd= __stele_session=${STELE_SESSION_ID-}\n"
    "typeset -gF __stele_started=0\n"
    "[[ -n $__stele_session ]] || { read -r __stele_session </proc/sys/kernel/random/uuid } 2>/dev/null || __stele_session=$(uuidgen)\n"
    "__stele_preexec() {\n"
    "  emulate -L zsh\n"
    "  __stele_command=${1:-${3-}} __stele_cwd=$PWD __stele_started=$EPOCHREALTIME\n"
    "}\n"
    "__stele_precmd() {\n"
    "  local -i code=$?\n"
    "  emulate -L zsh\n"
    "  local command=$__stele_command\n"
    "  __stele_command=\n"
    "  [[ -z $command || $command == ' '* || ${STELE_CAPTURE-} == off ]] && return code\n"
    "  local -i took=$(( (EPOCHREALTIME - __stele_started) * 1000 ))\n"
    "  ( { print -rN -- \"cmd=$command\" \"exit=$code\" \"cwd=$__stele_cwd\" \"duration_ms=$took\" shell=zsh \"session=$__stele_session\" |\n"
    "        $__stele_program send-event shell --stdin } &! ) >/dev/null 2>&1 </dev/null\n"
    "  return code\n"
    "}\n"
    "preexec_functions+=(__stele_preexec)\n"
    "precmd_functions=(__stele_precmd $precmd_functions)\n"
    "fi\n";

/* PS0 is written after a command line was read: what it computes there is done in the shell itself.  What was typed is in the history,
** which the process beside reads; its number tells whether the command is there at all. */
static const char BASH[] =
    "if [[ $- == *i* && -z ${__stele_session-} ]]; then\n"
    "__stele_session=${STELE_SESSION_ID-} __stele_mark=x __stele_number='\\!' __stele_started= __stele_cwd=$PWD\n"
    "[[ -n $__stele_session ]] || { read -r __stele_session </proc/sys/kernel/random/uuid; } 2>/dev/null || __stele_session=$(uuidgen)\n"
    "__stele_last=${__stele_number@P}\n"
    "if [[ -n ${EPOCHREALTIME-} ]]; then\n"
    "  __stele_now() { __stele_time=${EPOCHREALTIME/[!0-9]/}; }\n"
    "  PS0='${__stele_mark:$((__stele_started=${EPOCHREALTIME/[!0-9]/},0)):0}'${PS0-}\n"
    "else\n"
    "  __stele_now() { __stele_time=$((SECONDS * 1000000)); }\n"
    "  PS0='${__stele_mark:$((__stele_started=SECONDS*1000000,0)):0}'${PS0-}\n"
    "fi\n"
    "__stele_send() {\n"
    "  local command\n"
    "  command=$(HISTTIMEFORMAT= builtin history 1)\n"
    "  command=${command#*[0-9][\\* ] }\n"
    "  printf '%s\\0' \"cmd=$command\" \"exit=$1\" \"cwd=$__stele_cwd\" \"duration_ms=$2\" shell=bash \"session=$__stele_session\" |\n"
    "    \"${__stele_program[@]}\" send-event shell --stdin\n"
    "}\n"
    "__stele_precmd() {\n"
    "  local code=$? number=${__stele_number@P} hidden= __stele_time\n"
    "  [[ ${HISTCONTROL-} == *ignorespace* || ${HISTCONTROL-} == *ignoreboth* || -n ${HISTIGNORE-} ]] && hidden=1\n"
    "  if [[ -n $__stele_started && ${STELE_CAPTURE-} != off && ( $number != \"$__stele_last\" || -z $hidden ) && $SHELLOPTS == *history* ]]; then\n"
    "    __stele_now\n"
    "    ( __stele_send \"$code\" \"$(((__stele_time - __stele_started) / 1000))\" & ) >/dev/null 2>&1 </dev/null\n"
    "  fi\n"
    "  __stele_started= __stele_last=$number __stele_cwd=$PWD\n"
    "  return \"$code\"\n"
    "}\n"
    "PROMPT_COMMAND=(__stele_precmd \"${PROMPT_COMMAND[@]}\")\n"
    "if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then\n"
    "  __stele_time=$(IFS=$'\\n'; printf '%s' \"${PROMPT_COMMAND[*]}\")\n"
    "  unset PROMPT_COMMAND\n"
    "  PROMPT_COMMAND=$__stele_time\n"
    "fi\n"
    "fi\n";

static const char FISH[] =
    "if status is-interactive; and not set -q __stele_session\n"
    "  set -g __stele_session $STELE_SESSION_ID\n"
    "  test -n \"$__stele_session\"; or read -g __stele_session </proc/sys/kernel/random/uuid 2>/dev/null; or set -g __stele_session (uuidgen)\n"
    "  set -g __stele_cwd $PWD\n"
    "  function __stele_preexec --on-event fish_preexec\n"
    "    set -g __stele_cwd $PWD\n"
    "  end\n"
    "  function __stele_postexec --on-event fish_postexec\n"
    "    set -l code $status\n"
    "    test \"$STELE_CAPTURE\" = off; and return\n"
    "    string match -qr '^(\\\\s|$)' -- $argv[1]; and return\n"
    "    printf '%s\\0' \"cmd=$argv[1]\" exit=$code cwd=$__stele_cwd duration_ms=$CMD_DURATION shell=fish session=$__stele_session |\n"
    "      sh -c 'exec 3<&0; \"$@\" <&3 >/dev/null 2>&1 &' sh $__stele_program send-event shell --stdin\n"
    "  end\n"
    "end\n";

/* The words that start this program, as the shells' lists have them. */
static void print_program(cli *c, const char *before, const char *after) {
  char *program = setup_program(), *words = setup_command_line(c, program);
  out_format(&c->out, "%s%s%s\n", before, words, after);
  free(program);
  free(words);
}

static int run(cli *c) {
  static const struct {
    const char *shell, *script, *before, *after;
  } hooks[] = {{"zsh", ZSH, "__stele_program=(", ")"}, {"bash", BASH, "__stele_program=(", ")"}, {"fish", FISH, "set -g __stele_program ", ""}};
  const char *shell = command_argument(c, 1);
  for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
    if (strcmp(hooks[i].shell, shell) != 0) continue;
    out_format(&c->out, "# stele hook %s\n", shell);
    print_program(c, hooks[i].before, hooks[i].after);
    out_text(&c->out, hooks[i].script);
    return 0;
  }
  return command_verb(c, &hook_command, shell);
}

const command hook_command = {
    .name = "hook",
    .group = GROUP_DOORS,
    .usage = "zsh | bash | fish",
    .summary = "print what makes a shell tell of the commands that ran in it",
    .examples = "eval \"$(stele hook zsh)\"\n"
                "eval \"$(stele hook bash)\"\n"
                "stele hook fish | source",
    .details = "Put the line into ~/.zshrc, ~/.bashrc or ~/.config/fish/config.fish, or let `stele setup zsh-hook` do it.\n"
               "Each command is kept with its directory, exit status, duration, repository and session (docs/shell.md).\n\n"
               "Not of interest: a command that begins with a space, whatever runs while STELE_CAPTURE is off, and the\n"
               "directories of capture.ignore_directories and those with a file .stele-ignore.",
    .least = 1,
    .most = 1,
    .run = run,
};

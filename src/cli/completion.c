/* completion.c - stele completion: what makes a shell complete the words of stele.  The scripts know nothing
** of commands: they ask `stele completion words`, so that one place decides for all shells. */
#include <stdint.h>
#include <string.h>

#include "complete.h"

/* Words are split at spaces only: bash would also split them at = and :, and expects answers without what it
** has split off. */
static const char BASH[] =
    "# stele completion bash\n"
    "_stele() {\n"
    "  local line=${COMP_LINE:0:COMP_POINT} last=${COMP_WORDS[COMP_CWORD]} words word rest kept\n"
    "  read -ra words <<<\"$line\"\n"
    "  [[ $line == *[[:space:]] ]] && words+=('')\n"
    "  kept=${words[-1]%\"$last\"}\n"
    "  [[ $last == [=:] ]] && kept=${words[-1]}\n"
    "  COMPREPLY=()\n"
    "  while IFS=$'\\t' read -r word rest; do\n"
    "    if [[ $word == :file ]]; then\n"
    "      compopt -o filenames 2>/dev/null\n"
    "      while read -r word; do COMPREPLY+=(\"$word\"); done < <(compgen -f -- \"${words[-1]#\"$kept\"}\")\n"
    "    else\n"
    "      COMPREPLY+=(\"${word#\"$kept\"}\")\n"
    "    fi\n"
    "  done < <(\"${words[0]}\" completion words -- \"${words[@]:1}\" 2>/dev/null)\n"
    "  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
    "  return 0\n"
    "}\n"
    "complete -F _stele stele\n";

static const char ZSH[] =
    "#compdef stele\n"
    "# stele completion zsh\n"
    "_stele() {\n"
    "  local word text files\n"
    "  local -a found\n"
    "  while IFS=$'\\t' read -r word text; do\n"
    "    if [[ $word == :file ]]; then files=1; else found+=(\"${word//:/\\\\:}:$text\"); fi\n"
    "  done < <(\"${words[1]}\" completion words -- \"${(@)words[2,CURRENT-1]}\" \"$IPREFIX$PREFIX\" 2>/dev/null)\n"
    "  (( $#found )) && _describe -V 'stele' found\n"
    "  [[ -n $files ]] && _files\n"
    "  return 0\n"
    "}\n"
    "if [[ ${funcstack[1]-} == _stele ]]; then _stele \"$@\"; else compdef _stele stele; fi\n";

static const char FISH[] =
    "# stele completion fish\n"
    "function __stele_words\n"
    "  set -l words (commandline -opc)\n"
    "  set -l last (commandline -ct)\n"
    "  for line in ($words[1] completion words -- $words[2..-1] \"$last\" 2>/dev/null)\n"
    "    if test \"$line\" = :file\n"
    "      __fish_complete_path \"$last\"\n"
    "    else\n"
    "      echo -- $line\n"
    "    end\n"
    "  end\n"
    "end\n"
    "complete -c stele -f -k -a '(__stele_words)'\n";

static int run(cli *c) {
  static const struct { const char *shell, *script; } scripts[] = {{"bash", BASH}, {"zsh", ZSH}, {"fish", FISH}};
  const char *shell = command_argument(c, 1);
  if (strcmp(shell, "words") == 0) {
    if (c->options.nwords > 2) complete_print(c, c->options.words + 2, c->options.nwords - 2);
    return 0;
  }
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
    if (strcmp(scripts[i].shell, shell) != 0 || c->options.nwords > 2) continue;
    out_text(&c->out, scripts[i].script);
    return 0;
  }
  return command_verb(c, &completion_command, shell);
}

const command completion_command = {
    .name = "completion",
    .usage = "bash | zsh | fish",
    .summary = "print what makes a shell complete the words of stele",
    .examples = "stele completion bash > ~/.local/share/bash-completion/completions/stele\n"
                "stele completion zsh > ~/.zfunc/_stele\n"
                "stele completion fish > ~/.config/fish/completions/stele.fish",
    .details = "Commands, options, methods, stores and the latest sessions are completed.  `make install` puts the "
               "three where\n"
               "the shells look for them.  Of zsh, the directory must be in $fpath before compinit runs.\n"
               "\n"
               "The scripts ask `stele completion words -- WORD...` what the last word can become: a line each, with a "
               "tab and\n"
               "what it is; :file stands for names of files.",
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};

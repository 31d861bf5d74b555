/* setup.h - the parts that `stele setup` puts into files of other programs, and takes out again.
**
** There are two kinds of files: those with comments, where a part is a block between two marks (setup_block.c), and JSON,
** where it is a member of an object (setup_json.c).  Both only ever insert text and cut out what they inserted, so that
** putting and taking leave a file byte for byte as it was; what is needed to undo stands in the text itself. */
#ifndef CLI_SETUP_H
#define CLI_SETUP_H

#include "command.h"

typedef enum part_state {
  PART_ABSENT,
  PART_CURRENT, /* as it would be put */
  PART_OLD,     /* as it was put once, with another program or by another version */
  PART_EDITED,  /* somebody has changed it */
  PART_FOREIGN  /* something of another's stands in its place */
} part_state;

/* What is to stand in a file. */
typedef struct part {
  const char *name;  /* "zsh": in the marks of a block; the member of JSON is always "stele" */
  const char *body;  /* of a block: lines; NULL: it is JSON */
  bool alone;        /* of a block: the file holds nothing else */
  const char *head;  /* of a block that is alone: a line that must stand first, such as #!/bin/sh; else NULL */
  const char *table; /* of a block in TOML: the table in it, such as mcp_servers.stele; else NULL */
  const char *container, *inner; /* of JSON: the member that holds it, or its member `inner` if there is one */
  const char *value;             /* of JSON: on one line */
} part;

/* The result of putting or taking: text in new memory, or the file is to go, with so many directories. */
typedef struct part_change {
  char *text;
  bool remove;
  int directories;
} part_change;

/* text NULL: there is no file.  *problem: why the file cannot be worked on, in new memory, or NULL. */
part_state part_look(const part *p, const char *text, char **problem);
/* Into a file in which it is absent; `missing`: how many directories above a new one are missing. */
part_change part_put(const part *p, const char *text, int missing);
/* Out of a file in which it is. */
part_change part_take(const part *p, const char *text);

/* The two kinds. */
part_state block_look(const part *p, const char *text);
char *block_put(const part *p, const char *text, int missing);
part_change block_take(const part *p, const char *text);
part_state json_part_look(const part *p, const char *text, char **problem);
char *json_part_put(const part *p, const char *text);
part_change json_part_take(const part *p, const char *text);

/* One thing that can be set up. */
typedef struct setup_target setup_target;
struct setup_target {
  const char *name, *program, *what; /* "codex", "Codex CLI", "gives it the tools of `stele mcp`" */
  /* Its file, in new memory; NULL: there is no home directory. */
  char *(*file)(void);
  /* Is the program there? */
  bool (*there)(const char *file);
  /* The body of the block, or the value in JSON, in new memory. */
  char *(*content)(cli *c, const char *program);
  part part;
  bool makes; /* directories above its file are made; otherwise they are the program's to make */
  /* After it was put (true) or before it is taken: what else is to be done; NULL: nothing. */
  int (*follow)(cli *c, const setup_target *target, bool put, bool run);
  /* Has that been done?  NULL: as soon as the part is there. */
  bool (*followed)(const setup_target *target);
};

extern const setup_target setup_targets[]; /* ends with a NULL name */

/* setup_systemd.c */
char *setup_unit(cli *c, const char *program);
int setup_systemctl(cli *c, const setup_target *target, bool put, bool run);

/* setup_browser.c: the script that a browser starts, and the manifest that tells it so, beside it. */
char *setup_firefox(void);
char *setup_chromium(void);
char *setup_chrome(void);
bool setup_browser_there(const char *script);
char *setup_script(cli *c, const char *program);
int setup_manifest(cli *c, const setup_target *target, bool put, bool run);
bool setup_manifest_there(const setup_target *target);

/* This program, as it can be started from anywhere, in new memory. */
char *setup_program(void);
/* The words that start it with the same home and configuration, for a shell, in new memory. */
char *setup_command_line(cli *c, const char *program);
/* Words between the program and its command, so that it finds the same home and configuration: each is a word of a
** shell, JSON or a unit, by `write`.  Begins with a separator. */
void setup_words(cli *c, FILE *to, const char *separator, char *(*write)(const char *word));

#endif

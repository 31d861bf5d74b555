/* mcp.c - stele mcp: the Model Context Protocol on standard input and output, another door. */
#include <stdlib.h>
#include <string.h>

#include "../serve/mcp_stdio.h"
#include "command.h"
#include "home.h"
#include "said.h"

static int run(cli *c) {
  const options *o = &c->options;
  const char *profile = o->local[OPTION_PROFILE];
  int status = 0;
  char *budget = said_number(c, OPTION_BUDGET, &status);
  long long tokens = budget ? strtoll(budget, NULL, 10) : 8000;
  free(budget);
  if (status) return status;
  if (tokens < 0 || tokens > 1000000000)
    return out_bad(&c->out, NULL, "--budget must be a number of tokens, or 0 for any");
  if (profile && strcmp(profile, "default") != 0 && strcmp(profile, "all") != 0)
    return out_bad(&c->out, NULL, "--profile must be default or all, not %s", profile);
  home at;
  status = home_of(c, &at);
  if (!status)
    status = mcp_stdio_run(&(mcp_stdio_options){
        .place = &at.options,
        .all = profile && strcmp(profile, "all") == 0,
        .tokens = (size_t)tokens,
        .quiet = o->quiet,
    });
  home_free(&at);
  return status;
}

const command mcp_command = {
    .name = "mcp",
    .group = GROUP_DOORS,
    .usage = "",
    .summary = "give the stores to an agent: the Model Context Protocol on standard input and output",
    .examples = "stele mcp\n"
                "stele mcp --profile all --budget 20000\n"
                "claude mcp add stele -- stele mcp",
    .details =
        "An agent's program starts it and speaks with it; there is nothing to type here. Messages are JSON, one per\n"
        "line; whatever is not for the agent goes to standard error. It ends with its input.",
    .takes = (const command_option[]){{OPTION_PROFILE, "default (a few tools) or all (every method is a tool)"},
                                      {OPTION_BUDGET, "tokens that one result may have, about; 0: any (8000)"},
                                      {0, NULL}},
    .run = run,
};

/* serve.c - stele serve: starts the server, another door.  This is the one place where the two meet. */
#include "../serve/serve.h"

#include "command.h"
#include "home.h"
#include "transcripts.h"

static int run(cli *c) {
  const options *o = &c->options;
  home at;
  if (o->flags & STELE_OPEN_READONLY) return out_bad(&c->out, NULL, "serve takes no --readonly: it keeps its tokens");
  int status = home_of(c, &at);
  serve_options wanted = {
      .place = &at.options,
      .host = o->local[OPTION_HOST],
      .port = o->local[OPTION_PORT],
      .socket = o->local[OPTION_SOCKET],
      .allow_hosts = o->local[OPTION_ALLOW_HOST],
      .settings = o->local[OPTION_SET],
      .transcripts = transcripts_places,
  };
  if (!status) status = serve_run(&wanted);
  home_free(&at);
  return status;
}

const command serve_command = {
    .name = "serve",
    .group = GROUP_DOORS,
    .usage = "[--port N]",
    .summary = "serve the stores over HTTP",
    .examples =
        "stele serve\n"
        "stele serve --port 7878 --socket stele.sock\n"
        "curl -H \"Authorization: Bearer $(cat ~/.local/share/stele/server.token)\" localhost:7878/v1/stele/version",
    .details =
        "Every method is at POST /v1/STORE/METHOD, with its arguments as JSON; GET /openapi.json describes all.\n"
        "The first start writes a token for you into the home; `stele token` makes others.\n"
        "The sessions of your coding agents are taken in as they go on, without their secrets; --set watch=off: not.\n"
        "--set audit=on notes every call in a file per day, audit/ in the home, without secrets.\n"
        "--set pub=DIR gives out DIR/SESSION/pub/FILE at /pub/TOKEN/FILE; `stele token pub SESSION` tells the "
        "address.\n"
        "Without --host only programs on this machine reach it. TLS is left to a proxy in front of it.",
    .takes = (const command_option[]){{OPTION_HOST, "address to listen on (127.0.0.1)"},
                                      {OPTION_PORT, "port to listen on (7878); 0: any that is free"},
                                      {OPTION_SOCKET, "a unix socket besides; you need no token there"},
                                      {OPTION_ALLOW_HOST, "further names the server may be called by; commas between"},
                                      {OPTION_SET, "limits and more: body=64M,audit=on,pub=DIR,...; see docs/serve.md"},
                                      {0, NULL}},
    .run = run,
};

/* serve.c - stele serve: starts the server, another door.  This is the one place where the two meet. */
#include "../serve/serve.h"

#include "command.h"
#include "home.h"
#include "transcripts.h"

static void fill_limits(serve_limits *limits, const settings *s) {
#define X(name, kind, value, least, doc) \
  limits->name = settings_get(s, "serve." #name)->number / (SETTING_##kind == SETTING_SECONDS ? 1000 : 1);
  LIMITS(X)
#undef X
}

static int run(cli *c) {
  const settings *s = &c->settings;
  serve_limits limits;
  home at;
  if (c->options.flags & STELE_OPEN_READONLY)
    return out_bad(&c->out, NULL, "serve takes no --readonly: it keeps its tokens");
  int status = home_of(c, &at);
  if (status) return status;
  fill_limits(&limits, s);
  status = serve_run(&(serve_options){
      .place = &at.options,
      .host = settings_text(s, "serve.host"),
      .port = settings_text(s, "serve.port"),
      .socket = settings_text(s, "serve.socket"),
      .allow_hosts = settings_text(s, "serve.allow_host"),
      .pub = settings_text(s, "serve.pub"),
      .limits = &limits,
      .transcripts = transcripts_places,
      .user = c,
  });
  home_free(&at);
  return status;
}

const command serve_command = {
    .name = "serve",
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
                                      {OPTION_NO_IMPORT, "leave the sessions of coding agents alone"},
                                      {0, NULL}},
    .run = run,
};

/* conformance_server.c - the server with the fixtures of the conformance suite: HOME SOCKET. */
#include <stdio.h>

#include "mcp/fixtures.h"
#include "serve/mcp_http.h"
#include "serve/serve.h"

int main(int argc, char **argv) {
  if (argc != 3) {
    fputs("usage: conformance_server HOME SOCKET\n", stderr);
    return 2;
  }
  stele_options place = {.size = sizeof place, .home = argv[1]};
  sv_mcp_extras = mcp_fixtures;
  serve_limits limits = limits_default();
  limits.jobs = limits.record = 0;
  return serve_run(&(serve_options){.place = &place, .port = "0", .socket = argv[2], .limits = &limits});
}

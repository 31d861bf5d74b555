/* find_web.c - addresses: https://github.com/owner/name, postgres://host/db, localhost:8080. */
#include <string.h>

#include "enrich/find.h"
#include "enrich/letters.h"

static bool is_host_byte(char c) { return st_is_alnum(c) || c == '.' || c == '-'; }
static bool is_path_byte(char c) { return st_is_alnum(c) || (c && strchr("-._~/", c)); }

static bool is_number(st_text text) {
  for (size_t i = 0; i < text.length; i++)
    if (!st_is_digit(text.bytes[i]) && text.bytes[i] != '.') return false;
  return text.length > 0;
}

/* example.org: a letter, a dot, and letters at its end. */
static bool is_domain(st_text host) {
  size_t dot = host.length;
  while (dot > 0 && host.bytes[dot - 1] != '.') dot--;
  return dot > 1 && host.length - dot >= 2 && host.bytes[0] != '.' && host.bytes[0] != '-' && !st_is_digit(host.bytes[dot]);
}

/* owner/name at the start of a forge's path. */
static void add_repo(st_names *names, st_text host, st_text path) {
  if (!st_text_listed(host, " github.com gitlab.com codeberg.org bitbucket.org ")) return;
  if (path.length && (path.bytes[0] == '/' || path.bytes[0] == ':')) path = st_text_from(path, 1);
  size_t length = 0, slashes = 0;
  while (length < path.length && is_path_byte(path.bytes[length]) && !(path.bytes[length] == '/' && ++slashes == 2)) length++;
  st_text repo = {path.bytes, length};
  size_t owner = st_text_find(repo, '/');
  while (repo.length && strchr("./", repo.bytes[repo.length - 1])) repo.length--;
  if (st_text_ends(repo, ".git")) repo.length -= 4;
  if (owner > 0 && owner + 1 < repo.length && !st_text_listed((st_text){repo.bytes, owner}, " search topics settings orgs features login sponsors "))
    st_names_add(names, ST_NAME_REPO, repo);
}

static bool is_web(st_text scheme) { return st_text_listed(scheme, " http https ftp ws wss git ssh "); }

/* A server that is spoken to by another protocol than the web's is a service: postgres://db:5432/app. */
static void add_server(st_names *names, st_text scheme, st_text host, st_text with_port) {
  static const char *const known[][2] = {
      {" postgres postgresql ", "postgresql"}, {" mysql mariadb ", "mysql"}, {" redis rediss ", "redis"}, {" mongodb ", "mongodb"},
      {" amqp amqps ", "rabbitmq"},            {" kafka ", "kafka"},         {" nats ", "nats"},          {" ldap ldaps ", "ldap"},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (st_text_listed(scheme, known[i][0])) st_names_add(names, ST_NAME_SERVICE, st_text_of(known[i][1]));
  if (!is_web(scheme)) return;
  if (is_domain(host) && !is_number(host)) st_names_add(names, ST_NAME_DOMAIN, host);
  else if (with_port.length > host.length) st_names_add(names, ST_NAME_SERVICE, with_port); /* localhost:8080, 10.0.0.3:9200 */
}

static st_text take_host(st_text *rest) {
  size_t length = 0, who = 0;
  while (who < rest->length && (is_host_byte(rest->bytes[who]) || (rest->bytes[who] && strchr(":_%+", rest->bytes[who])))) who++;
  if (who < rest->length && rest->bytes[who] == '@') *rest = st_text_from(*rest, who + 1);
  while (length < rest->length && is_host_byte(rest->bytes[length])) length++;
  st_text host = {rest->bytes, length};
  *rest = st_text_from(*rest, length);
  return host;
}

/* What follows scheme://; answers the rest of the text. */
static st_text take_address(st_names *names, st_text scheme, st_text rest) {
  st_text host = take_host(&rest), with_port = host;
  size_t port = 1;
  if (rest.length && rest.bytes[0] == ':') {
    while (port < rest.length && st_is_digit(rest.bytes[port])) port++;
    if (port > 1) with_port.length += port, rest = st_text_from(rest, port);
  }
  while (host.length && host.bytes[host.length - 1] == '.') host.length--;
  if (host.length == 0) return rest;
  add_server(names, scheme, host, with_port);
  add_repo(names, host, rest);
  return rest;
}

/* git@github.com:owner/name.git */
static void find_scp_repos(st_names *names, st_text text) {
  for (const char *at; text.length && (at = memmem(text.bytes, text.length, "git@", 4)) != NULL;) {
    text = st_text_from(text, (size_t)(at - text.bytes) + 4);
    st_text rest = text, host = take_host(&rest);
    if (rest.length && rest.bytes[0] == ':') add_repo(names, host, rest);
  }
}

void st_find_addresses(st_names *names, st_text text) {
  find_scp_repos(names, text);
  for (const char *at; text.length && (at = memmem(text.bytes, text.length, "://", 3)) != NULL;) {
    size_t sign = (size_t)(at - text.bytes), from = sign;
    while (from > 0 && sign - from < 12 && st_is_alnum(text.bytes[from - 1])) from--;
    st_text scheme = {text.bytes + from, sign - from};
    text = take_address(names, scheme, st_text_from(text, sign + 3));
  }
}

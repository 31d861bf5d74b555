/* listen.c - see listen.h. */
#include "listen.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "log.h"

#define BACKLOG 1024
#define SEND_BUFFER \
  (256 << 10) /* of each connection: else it grows to megabytes, and hides for long that nobody reads */

static void name_of(int fd, char *where, size_t size) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
  getsockname(fd, (struct sockaddr *)&address, &length);
  getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port,
              NI_NUMERICHOST | NI_NUMERICSERV);
  snprintf(where, size, strchr(host, ':') ? "http://[%s]:%s" : "http://%s:%s", host, port);
}

static int try_address(const struct addrinfo *at) {
  int yes = 1, room = SEND_BUFFER,
      fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
  if (fd < 0) return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room); /* connections inherit it */
  if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0) return fd;
  int why = errno;
  close(fd);
  errno = why;
  return -1;
}

int sv_listen_network(const char *host, const char *port, char *where, size_t size) {
  struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
  const char *name = host ? host : "127.0.0.1", *number = port ? port : "7878";
  int problem = getaddrinfo(name, number, &wanted, &found), fd = -1;
  for (const struct addrinfo *at = found; !problem && at && fd < 0; at = at->ai_next) fd = try_address(at);
  if (!problem && fd < 0 && errno == EADDRINUSE)
    sv_log(STELE_LOG_ERROR,
           "%s port %s is in use, perhaps by another `stele serve`: --port 0 takes any that is free, "
           "`stele config set serve.port N` another one for good",
           name, number);
  else if (problem || fd < 0)
    sv_log(STELE_LOG_ERROR, "%s port %s: %s", name, number, problem ? gai_strerror(problem) : strerror(errno));
  else
    name_of(fd, where, size);
  if (found) freeaddrinfo(found);
  return fd;
}

/* Does somebody answer there? */
static int alive(const struct sockaddr_un *address) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int answered = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) == 0;
  if (fd >= 0) close(fd);
  return answered;
}

static int bind_private(int fd, const struct sockaddr_un *address) {
  mode_t before = umask(0177); /* private from its first moment on */
  int status = bind(fd, (const struct sockaddr *)address, sizeof *address);
  int why = errno;
  umask(before);
  errno = why;
  return status;
}

int sv_listen_unix(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct stat found;
  if (snprintf(address.sun_path, sizeof address.sun_path, "%s", path) >= (int)sizeof address.sun_path) {
    sv_log(STELE_LOG_ERROR, "%s: the path of a socket has at most %zu bytes", path, sizeof address.sun_path - 1);
    return -1;
  }
  if (lstat(path, &found) == 0 && S_ISSOCK(found.st_mode) && !alive(&address)) unlink(path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && bind_private(fd, &address) == 0 && listen(fd, BACKLOG) == 0) return fd;
  sv_log(STELE_LOG_ERROR, "%s: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  return -1;
}

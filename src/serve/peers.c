/* peers.c - see peers.h. */
#include "peers.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "call.h"
#include "metrics.h"
#include "server.h"

#define WHY                                                                                                           \
  "{\"type\":\"about:blank\",\"title\":\"Request Timeout\",\"status\":408,\"detail\":\"the request took too long to " \
  "come\"}"

/* Written past libmicrohttpd, which cannot answer before it has read a request. */
static int late(char *out, size_t size) {
  return snprintf(out, size,
                  "HTTP/1.1 408 Request Timeout\r\nContent-Type: application/problem+json\r\n"
                  "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
                  sizeof WHY - 1, WHY);
}

struct sv_peers {
  sv_server *server;
  pthread_mutex_t mutex;
  sv_peer *first;
  atomic_llong count;
};

sv_peers *sv_peers_open(sv_server *server) {
  sv_peers *peers = calloc(1, sizeof *peers);
  if (!peers) return NULL;
  peers->server = server;
  pthread_mutex_init(&peers->mutex, NULL);
  return peers;
}

void sv_peers_close(sv_peers *peers) {
  if (!peers) return;
  pthread_mutex_destroy(&peers->mutex);
  free(peers);
}

static bool is_owner(int fd) {
  struct ucred who;
  socklen_t size = sizeof who;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == geteuid();
}

sv_peer *sv_peer_add(sv_peers *peers, int fd, bool local) {
  sv_peer *peer = calloc(1, sizeof *peer);
  if (!peer) return NULL;
  peer->fd = fd;
  peer->local = local;
  peer->owner = local && is_owner(fd);
  sv_peer_phase(peer, SV_WAITING);
  pthread_mutex_lock(&peers->mutex);
  peer->next = peers->first;
  peer->at = &peers->first;
  if (peer->next) peer->next->at = &peer->next;
  peers->first = peer;
  pthread_mutex_unlock(&peers->mutex);
  atomic_fetch_add(&peers->count, 1);
  sv_count(peers->server->metrics, SV_CONNECTIONS);
  return peer;
}

void sv_peer_remove(sv_peers *peers, sv_peer *peer) {
  if (!peer) return;
  pthread_mutex_lock(&peers->mutex);
  *peer->at = peer->next;
  if (peer->next) peer->next->at = peer->at;
  pthread_mutex_unlock(&peers->mutex);
  atomic_fetch_sub(&peers->count, 1);
  free(peer);
}

void sv_peer_phase(sv_peer *peer, sv_phase phase) {
  atomic_store(&peer->since_us, sv_now_us());
  atomic_store(&peer->looked, false);
  atomic_store(&peer->phase, phase);
}

bool sv_peer_gone(const sv_peer *peer) {
  struct pollfd look = {.fd = peer->fd, .events = POLLRDHUP};
  return poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

/* With the mutex held, so that the descriptor is still this connection's.  While it receives nothing
** else is written to it. */
static void cut(sv_peers *peers, sv_peer *peer, bool tell) {
  char answer[400];
  int length = late(answer, sizeof answer);
  if (tell && send(peer->fd, answer, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) { /* then it is not told */
  }
  shutdown(peer->fd, SHUT_RDWR);
  peer->cut = true;
  if (tell) sv_count(peers->server->metrics, SV_TIMED_OUT);
}

/* libmicrohttpd does not notice an end that came together with the last bytes: look once, a little
** after a request. */
static bool has_left(sv_peer *peer) {
  return !atomic_exchange(&peer->looked, true) && sv_peer_gone(peer);
}

void sv_peers_tick(sv_peers *peers) {
  const serve_limits *limits = &peers->server->limits;
  int64_t now = sv_now_us();
  pthread_mutex_lock(&peers->mutex);
  for (sv_peer *peer = peers->first; peer; peer = peer->next) {
    int phase = atomic_load(&peer->phase);
    int64_t age = (now - atomic_load(&peer->since_us)) / 1000000;
    if (!peer->cut && phase == SV_RECEIVING && age >= limits->request) cut(peers, peer, true);
    if (!peer->cut && phase == SV_WAITING && (age >= limits->idle || (age >= 1 && has_left(peer))))
      cut(peers, peer, false);
    if (!peer->cut && phase == SV_SENDING && age >= limits->stall) {
      cut(peers, peer, false);
      sv_count(peers->server->metrics, SV_DROPPED_STREAMS);
    }
  }
  pthread_mutex_unlock(&peers->mutex);
}

void sv_peers_cut(sv_peers *peers) {
  pthread_mutex_lock(&peers->mutex);
  for (sv_peer *peer = peers->first; peer; peer = peer->next)
    if (atomic_load(&peer->phase) == SV_SENDING) cut(peers, peer, false);
  pthread_mutex_unlock(&peers->mutex);
}

int64_t sv_peers_count(const sv_peers *peers) {
  return atomic_load(&peers->count);
}

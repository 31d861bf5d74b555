/* peers.h - the open connections: who is at the other end, and how long it has kept us waiting.
**
** libmicrohttpd ends a connection on which nothing came for a while; one that sends a byte now and
** then it keeps for ever.  Here the time counts in which a whole request must have come. */
#ifndef SERVE_PEERS_H
#define SERVE_PEERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct sv_server sv_server;
typedef struct sv_peers sv_peers;

typedef enum sv_phase { SV_WAITING, SV_RECEIVING, SV_WORKING, SV_SENDING } sv_phase;

typedef struct sv_peer sv_peer;
struct sv_peer {
  int fd;
  bool local; /* through the unix socket */
  bool owner; /* and of this server's user */
  atomic_int phase;
  atomic_llong since_us; /* when the phase began */
  atomic_bool looked;    /* in this phase, whether it has gone */
  bool cut;
  sv_peer *next, **at;
};

sv_peers *sv_peers_open(sv_server *server); /* NULL: no memory */
void sv_peers_close(sv_peers *peers);

sv_peer *sv_peer_add(sv_peers *peers, int fd, bool local); /* NULL: no memory */
void sv_peer_remove(sv_peers *peers, sv_peer *peer);
void sv_peer_phase(sv_peer *peer, sv_phase phase);

/* Has the other end gone away? */
bool sv_peer_gone(const sv_peer *peer);

/* Cut those that took too long; called about once a second. */
void sv_peers_tick(sv_peers *peers);
/* Stopping: cut those that are being sent something. */
void sv_peers_cut(sv_peers *peers);
int64_t sv_peers_count(const sv_peers *peers);

#endif

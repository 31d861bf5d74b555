/* notify.h - the service manager's protocol: one datagram per word, without its library. */
#ifndef SERVE_NOTIFY_H
#define SERVE_NOTIFY_H

#include <stdint.h>

/* "READY=1", "STOPPING=1", "WATCHDOG=1".  Nothing happens without $NOTIFY_SOCKET. */
void sv_notify(const char *words);
/* How often the manager wants to hear from us, in microseconds; 0: it does not. */
int64_t sv_notify_watchdog(void);

#endif

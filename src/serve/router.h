/* router.h - from an address to what answers it: the fixed routes, the methods at
** /v1/{store}/{method}, and the resources that the registry declares with @http. */
#ifndef SERVE_ROUTER_H
#define SERVE_ROUTER_H

#include "exchange.h"

/* Find the route, and for a method call.method and the arguments that stand in the address.
** False: answered, with 404, 405 or 400. */
bool sv_route_find(sv_exchange *exchange);

/* The fixed routes; ends with a NULL path.  In routes.c. */
extern const sv_route sv_routes[];

#endif

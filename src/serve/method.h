/* method.h - a request that calls a method. */
#ifndef SERVE_METHOD_H
#define SERVE_METHOD_H

#include "exchange.h"

void sv_method_answer(sv_exchange *exchange, sv_worker *worker);
/* There is no such method: says so, with the nearest. */
void sv_method_unknown(sv_exchange *exchange, sv_worker *worker);

#endif

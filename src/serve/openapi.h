/* openapi.h - the description of the interface, as OpenAPI 3.1. */
#ifndef SERVE_OPENAPI_H
#define SERVE_OPENAPI_H

/* Made from the registry; free.  NULL: no memory. */
char *sv_openapi(void);

#endif

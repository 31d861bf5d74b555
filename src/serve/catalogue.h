/* catalogue.h - the methods by name and by number, and those that are resources: made once, because
** walking the registry for every request would cost more than the rest of it. */
#ifndef SERVE_CATALOGUE_H
#define SERVE_CATALOGUE_H

#include "stele.h"

typedef struct sv_catalogue sv_catalogue;

struct sv_catalogue {
  size_t count;
  const stele_method **methods; /* in the registry's order */
  size_t nresources;
  const stele_method **resources;
  size_t nplaces; /* a power of two */
  size_t *places; /* by hash of the name: number + 1; 0: free */
};

sv_catalogue *sv_catalogue_open(void); /* NULL: no memory */
void sv_catalogue_close(sv_catalogue *catalogue);

/* The method's number, or count when there is none of that name. */
size_t sv_catalogue_find(const sv_catalogue *catalogue, const char *name);

#endif

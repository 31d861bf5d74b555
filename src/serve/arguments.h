/* arguments.h - the arguments of a method, as they stand in an address: in its path and its query. */
#ifndef SERVE_ARGUMENTS_H
#define SERVE_ARGUMENTS_H

#include "exchange.h"

#define SV_ARGUMENTS 64

typedef struct sv_arguments {
  size_t count;
  bool bad; /* something could not be decoded */
  struct {
    char *name, *value;
  } all[SV_ARGUMENTS];
} sv_arguments;

void sv_arguments_add(sv_arguments *arguments, const char *name, size_t name_length, const char *value, size_t length,
                      bool query);
void sv_arguments_clear(sv_arguments *arguments);

/* Add those of the query, and write all as JSON into exchange->args.  A resource whose method has limit
** and offset comes in pages.  What makes no sense is answered. */
void sv_arguments_query(sv_arguments *arguments, sv_exchange *exchange, bool resource);

/* The page as it is answered: {"items":[...],"next":"..."}; NULL: no memory. */
char *sv_arguments_page(const sv_exchange *exchange, const char *rows);

#endif

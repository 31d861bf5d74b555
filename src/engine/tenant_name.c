/* tenant_name.c - see tenant_name.h. */
#include "engine/tenant_name.h"

#include <string.h>

#include "base/str.h"

bool st_tenant_is_name(const char *text) {
  size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
  return length > 0 && length <= ST_TENANT_MAX && !text[length] && text[0] >= 'a' && text[0] <= 'z' && strncmp(text, "pg_", 3) != 0;
}

char *st_tenant_schema(const char *tenant, const st_store *store) {
  st_str name;
  st_str_init(&name, 200);
  st_str_addf(&name, "%s_%s", tenant, store->name);
  return st_str_take(&name);
}

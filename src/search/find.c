/* find.c - see find.h. */
#include "search/find.h"

#include "search/allowed.h"
#include "search/find_compatible.h"
#include "search/find_index.h"
#include "search/find_postgres.h"
#include "search/form.h"

/* Inside of words only users and assistants are looked for: of the roles that the filter allows, those. */
static void set_inside_roles(st_call *call, st_filter *filter) {
  static const char *const names[] = {"user", "assistant"};
  st_value *items = st_call_alloc(call, 2 * sizeof *items), *roles = st_call_alloc(call, sizeof *roles);
  if (!st_ok(call)) return;
  *roles = (st_value){.type = ST_LIST, .items = items, .width = 1};
  for (int i = 0; i < 2; i++) {
    st_value name = st_textz(names[i]);
    if (st_list_has(filter->roles, &name)) items[roles->count++] = name;
  }
  filter->roles = roles;
}

static void find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k, st_found *found) {
  bool compatible = st_form_compatible(call);
  *found = (st_found){0};
  if (!st_ok(call)) return;
  if (call->store->driver->engine == ST_POSTGRES)
    st_postgres_find(call, query, filter, order, k, found);
  else if (compatible)
    st_compatible_find(call, query, filter, order, k, found);
  else
    st_index_find(call, query, filter, order, k, found);
  if (!st_ok(call) && st_form_changed(call, compatible)) call->again = true; /* converted meanwhile: from the start */
}

void st_find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k, st_found *found) {
  st_filter inside = *filter;
  *found = (st_found){0};
  if (query->inside) set_inside_roles(call, &inside);
  if (st_ok(call) && (!query->inside || inside.roles->count > 0)) find(call, query, &inside, order, k, found);
}

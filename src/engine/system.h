/* system.h - native methods of the library itself; the registry refers to them. */
#ifndef ST_SYSTEM_H
#define ST_SYSTEM_H

#include "engine/call.h"

/* The index of the store that an argument names, or fail.  -1: the argument is absent, meaning all. */
int st_wanted_store(st_call *call, int param);

/* Does the store exist?  Asking must not create it. */
bool st_store_exists(st_call *call, const st_opened *opened);

void st_stele_version(st_call *call);
void st_stele_methods(st_call *call);
void st_stele_status(st_call *call);
void st_stele_schema(st_call *call);
void st_stele_migrate(st_call *call);
void st_stele_backup(st_call *call);
void st_stele_copy(st_call *call);
void st_stele_create_tenant(st_call *call);
void st_stele_list_tenants(st_call *call);
void st_stele_migrate_tenants(st_call *call);
void st_stele_revoke_tenant(st_call *call);
void st_stele_drop_tenant(st_call *call);
void st_stele_list_backups(st_call *call);
void st_stele_restore(st_call *call);
void st_stele_prune_backups(st_call *call);
void st_stele_salvage(st_call *call);
void st_stele_repair(st_call *call);
void st_stele_upkeep(st_call *call);
void st_stele_retain(st_call *call);
void st_stele_retention_rules(st_call *call);
void st_stele_hold(st_call *call);
void st_stele_release_hold(st_call *call);
void st_stele_list_holds(st_call *call);
void st_stele_handshake(st_call *call);
void st_stele_doctor(st_call *call);
void st_stele_check(st_call *call);
void st_stele_read_toml(st_call *call);
void st_stele_new_vault_key(st_call *call);

#endif

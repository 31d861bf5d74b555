/* doctor_library.c - lines of the checkup about the program itself: its SQLite, its configuration, its keys. */
#include <sqlite3.h>

#include "engine/doctor.h"
#include "engine/handle.h"
#include "engine/sqlite_wal.h"
#include "registry_ids.h"

static void tell_sqlite(st_call *call) {
  bool threads = sqlite3_threadsafe() != 0, fts = sqlite3_compileoption_used("ENABLE_FTS5") != 0;
  const char *version = sqlite3_libversion();
  if (!threads || !fts) {
    st_doctor_line(call, ST_HEALTH_FAIL, "sqlite", "SQLite %s was built without %s", version, threads ? "FTS5" : "threads");
    st_doctor_cause(call, "%s needs it", threads ? "search in conversations" : "the server, and any program with threads,");
    st_doctor_fix(call, "build Stele with the SQLite that its sources pin");
  } else if (!st_sqlite_wal_safe(st_sqlite_version())) {
    st_doctor_line(call, ST_HEALTH_WARN, "sqlite", "SQLite %s has the WAL-reset bug; new files get no write-ahead log", version);
    st_doctor_cause(call, "3.7.0 to 3.51.2 can lose committed pages when a checkpoint meets a reset of the log");
    st_doctor_fix(call, "build Stele with the SQLite that its sources pin, or with 3.51.3 or later");
  } else {
    st_doctor_line(call, ST_HEALTH_OK, "sqlite", "SQLite %s, safe with a write-ahead log; FTS5 and threads are built in", version);
  }
}

/* Only the caller reads its configuration: the library is told what became of that. */
static void tell_config(st_call *call) {
  const char *file = st_arg_text(call, ST_P_STELE_DOCTOR_CONFIG_FILE);
  const char *problem = st_arg_text(call, ST_P_STELE_DOCTOR_CONFIG_PROBLEM);
  const char *hint = st_arg_text(call, ST_P_STELE_DOCTOR_CONFIG_HINT);
  if (problem) {
    st_doctor_line(call, ST_HEALTH_FAIL, "config", "%s", problem);
    st_doctor_cause(call, "the commands that use the configuration refuse to run with it, rather than guess");
    st_doctor_fix(call, "%s", hint ? hint : "`stele config` shows every key and its default");
  } else if (file) {
    st_doctor_line(call, ST_HEALTH_OK, "config", "%s: every key is known", file);
  }
}

/* The keys themselves are told nowhere. */
static void tell_vault(st_call *call) {
  const stele_db *db = call->db;
  if (db->vault_wrong) {
    st_doctor_line(call, ST_HEALTH_FAIL, "vault", "vault key %zu is not a Fernet key", db->vault_wrong);
    st_doctor_cause(call, "it was cut or changed on its way here: a key is 32 bytes in URL-safe base64, 44 characters");
    st_doctor_fix(call, "set VAULT_MASTER_KEY to the key the vault was written with; `stele vault key` makes one for a new vault");
  } else if (db->vault.count) {
    st_doctor_line(call, ST_HEALTH_OK, "vault", "%zu vault key%s, well-formed", (size_t)db->vault.count, db->vault.count == 1 ? "" : "s");
  }
}

void st_doctor_library(st_call *call) {
  tell_sqlite(call);
  tell_config(call);
  tell_vault(call);
}

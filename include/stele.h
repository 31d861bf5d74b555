/* stele.h - the durable state of AI agents, from C.
**
** A handle (stele_db) stands for one home: five stores, each a SQLite file or a PostgreSQL
** schema.  Everything a store can do is a method with a name, such as telemetry.create_session.
** Methods are data: this header does not change when one is added.  `stele methods` lists them;
** stele_method_at() walks the same list from C.
**
** The short way in is stele_call(): JSON arguments in, JSON reply out.
**
**     stele_db *db;
**     char *reply;
**     stele_open(&(stele_options){.size = sizeof(stele_options), .home = "demo"}, &db);
**     stele_call(db, "telemetry.create_session", "{}", &reply);      (reply: {"session_id":1})
**     stele_free(reply);
**     stele_close(db);
**
** The typed way is stele_prepare(), stele_bind_*(), stele_step(), stele_column_*(): no JSON,
** rows streamed one by one.
**
** Threads.  A handle belongs to one thread at a time; use one handle per thread.  Any number of
** handles, threads and processes may use the same home at once.  A handle must not be used in a
** child after fork(): every call there answers STELE_MISUSE and touches nothing.
**
** Ownership.  A pointer written through an `out` argument belongs to the caller and has one
** release function.  A pointer returned directly is borrowed and lives until the next call on
** the same handle or statement.  No function frees an argument except the release functions;
** those accept NULL.
**
** Promises.  A call is all-or-nothing.  A write is acknowledged after its commit, never before.
** The library never exits, never prints, reads no environment and no configuration file. */
#ifndef STELE_H
#define STELE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STELE_VERSION "0.1.0"

#if defined(STELE_BUILD) && defined(__GNUC__)
#define STELE_API __attribute__((visibility("default")))
#else
#define STELE_API
#endif

/* ---- Statuses -------------------------------------------------------------------------------
** X(name, what it means, HTTP status).  Values are fixed: new ones go to the end. */
#define STELE_STATUSES(X)                                                                  \
  X(OK, "done", 200)                                                                       \
  X(ROW, "a row is ready", 200)                                                            \
  X(DONE, "no more rows", 200)                                                             \
  X(INVALID, "the call is wrong: see field and message", 400)                              \
  X(NOTFOUND, "no such method or row", 404)                                                \
  X(CONFLICT, "another writer changed the same data: call again", 409)                     \
  X(BUSY, "the store's turn did not come before the deadline: call again", 503)            \
  X(DENIED, "not allowed", 403)                                                            \
  X(FORMAT, "the store's format is newer, older or not ours", 409)                         \
  X(READONLY, "the store is open for reading only", 403)                                   \
  X(UNSUPPORTED, "this engine cannot do that", 501)                                        \
  X(UNAVAILABLE, "the database server cannot be reached", 503)                             \
  X(FULL, "no space left", 507)                                                            \
  X(IO, "reading or writing failed", 500)                                                  \
  X(CORRUPT, "the file is damaged: nothing more is written to it", 500)                    \
  X(NOMEM, "out of memory", 500)                                                           \
  X(CANCELLED, "stopped by the caller", 499)                                               \
  X(MISUSE, "the library was used wrongly", 500)                                           \
  X(INTERNAL, "a fault of Stele's own", 500)                                               \
  X(HELD, "it is under a legal hold, and stays", 423)                                      \
  X(INDOUBT, "the connection was lost during the commit: it was done, or was not", 504)

typedef enum stele_status {
#define STELE_X(name, text, http) STELE_##name,
  STELE_STATUSES(STELE_X)
#undef STELE_X
} stele_status;

/* The word of a status: "INVALID".  Never NULL. */
STELE_API const char *stele_status_name(stele_status status);

/* ---- The registry ------------------------------------------------------------------------ */

typedef enum stele_type {
  STELE_TYPE_TEXT,     /* UTF-8 */
  STELE_TYPE_INT,      /* 64 bits */
  STELE_TYPE_REAL,     /* double */
  STELE_TYPE_BOOL,     /* true or false; 0 and 1 are accepted */
  STELE_TYPE_JSON,     /* any JSON value */
  STELE_TYPE_JSONTEXT, /* a text that holds JSON; a JSON array or object is accepted, and is written as text */
  STELE_TYPE_TIME,     /* epoch number or RFC 3339; kept and replied in the store's own form */
  STELE_TYPE_UUID,     /* 36 characters */
  STELE_TYPE_DURATION, /* seconds, or "90s", "15m", "36h", "7d", "2w" */
  STELE_TYPE_QUERY,    /* a search query */
  STELE_TYPE_VECTOR,   /* numbers; as a column the bytes of 32-bit floats, little endian */
  STELE_TYPE_BLOB,     /* bytes; base64 in JSON */
  STELE_TYPE_RECORD,   /* an object with the parameters of another method: see stele_field.record */
  STELE_TYPE_CONTENT,  /* a text, or any other JSON value, which comes back as it was */
  STELE_TYPE_DATE,     /* a day: YYYY-MM-DD */
  STELE_TYPE_CRON,     /* the five fields of a schedule, "30 9 * * MON-FRI", or @daily and the like */
  STELE_TYPE_TIMEZONE  /* the IANA name of a time zone, "Europe/Berlin", or "UTC" */
} stele_type;

#define STELE_NULLABLE 1u /* may be null */
#define STELE_OPTIONAL 2u /* may be absent, which is not the same */
#define STELE_LIST 4u     /* an array of the type */
#define STELE_SECRET 8u   /* told to the caller only: never logged, audited, kept with a reply or shown to a model */

#define STELE_METHOD_OUTSIDE 1u /* makes its own transactions: may take long, and cannot be called inside one */
#define STELE_METHOD_SECRET 2u  /* some parameter or result is STELE_SECRET */
#define STELE_METHOD_LIBRARY 4u /* not of one store: what it calls its store has no database of its own */

typedef struct stele_method stele_method;

/* One parameter or one result of a method. */
typedef struct stele_field {
  const char *name;
  stele_type type;
  unsigned flags;              /* STELE_NULLABLE | STELE_OPTIONAL | STELE_LIST | STELE_SECRET */
  const char *fallback;        /* the default as JSON text, or "now" (time), "new" (uuid); NULL: none */
  const char *const *choices;  /* NULL-terminated list of the allowed texts, or NULL */
  double min, max;             /* the allowed range; -INFINITY, INFINITY when open */
  const stele_method *record;  /* for STELE_TYPE_RECORD: whose parameters */
  const char *doc;
} stele_field;

struct stele_method {
  const char *name;   /* "telemetry.create_session" */
  const char *store;  /* "telemetry"; "stele" for the methods of the library itself */
  const char *shape;  /* "none", "one" or "many" */
  const char *access; /* "read", "write" or "admin" */
  const char *doc;
  const stele_field *params;
  size_t nparams;
  const stele_field *results;
  size_t nresults;
  unsigned flags;         /* STELE_METHOD_* */
  const char *idempotent; /* the parameter whose repeated value writes once, or NULL */
  const char *http;       /* its address as a resource: "GET /v1/sessions/{session_id}", or NULL */
};

/* The index-th method, in the order of the list; NULL past its end. */
STELE_API const stele_method *stele_method_at(size_t index);
/* The method of that name, or NULL. */
STELE_API const stele_method *stele_method_find(const char *name);

/* ---- Opening ------------------------------------------------------------------------------ */

typedef struct stele_db stele_db;     /* an open home                        */
typedef struct stele_stmt stele_stmt; /* one method, ready to bind and step  */

/* Where one store lives, when not in its default place. */
typedef struct stele_place {
  const char *store;      /* "telemetry" */
  const char *location;   /* a file, ":memory:", or postgres://...?schema=NAME; NULL: the default place */
  const char *durability; /* "full" or "normal"; NULL: the store's default */
} stele_place;

typedef enum stele_log_level { STELE_LOG_DEBUG, STELE_LOG_INFO, STELE_LOG_WARNING, STELE_LOG_ERROR } stele_log_level;

/* How texts become vectors (docs/embeddings.md).  Everything is copied; the key is wiped by stele_close(). */
typedef struct stele_embedding {
  size_t size;                /* sizeof(stele_embedding) */
  const char *model;          /* the file of a static model; NULL: embedding.model in the home, if it is there */
  const char *endpoint;       /* an OpenAI-compatible interface, http(s)://...; counts before the model; NULL: none */
  const char *endpoint_model; /* the model it is asked for */
  const char *key;            /* what it is asked with; sent over TLS or to this machine only; NULL: none */
  int timeout_ms;             /* of one request; 0: 30,000 */
  int batch;                  /* texts in one request; 0: 64 */
  double rate;                /* texts a second that an endpoint is sent, when all are embedded; 0: 10; below: no limit */
} stele_embedding;

/* The language model that answers questions, and makes knowledge of what was captured where that is wanted (docs/enrichment.md).
** Everything is copied; the key is wiped by stele_close(). */
typedef struct stele_chat {
  size_t size;            /* sizeof(stele_chat) */
  const char *endpoint;   /* an OpenAI-compatible interface, http(s)://...; NULL: there is no model */
  const char *model;      /* the model it is asked for; NULL: the first that it lists */
  const char *key;        /* what it is asked with; sent over TLS or to this machine only; NULL: none */
  int timeout_ms;         /* until a whole answer is there; 0: 300,000 */
  int connect_timeout_ms; /* until it is connected; 0: 10,000 */
  int retries;            /* so often it is asked again where it is busy or out of order; 0: 3; below: never */
  int prompt_tokens;      /* a question has at most so many, as estimated; 0: 12,000 */
  int answer_tokens;      /* and its answer; 0: 4,096 */
  double prompt_price;    /* what a million tokens of questions cost, in any currency, */
  double answer_price;    /* and of answers */
} stele_chat;

#define STELE_OPEN_MIGRATE 1u    /* also migrate files outside the home */
#define STELE_OPEN_READONLY 2u   /* open for reading; create nothing */
#define STELE_OPEN_NETWORK_FS 4u /* accept a network file system, at your own risk */
#define STELE_OPEN_QUEUE 8u      /* queueable methods return at once; a thread of the handle writes them */

typedef struct stele_options {
  size_t size;               /* sizeof(stele_options): it may have grown since a program was built */
  const char *home;          /* directory of the store files, or ":memory:" */
  const char *database;      /* postgres://... : every store becomes a schema of this database */
  const stele_place *places; /* stores that live elsewhere */
  size_t nplaces;
  unsigned flags;             /* STELE_OPEN_* */
  int wait_ms;                /* longest wait for a store's turn, or for a server that was lost; 0: 20,000 */
  int queue_capacity;         /* records the queue holds; 0: 1,000.  A record too many is dropped and counted */
  int queue_flush_ms;         /* longest time a record stays queued; 0: 500 */
  void (*log)(void *user, stele_log_level level, const char *message);
  /* Called during long work.  total is 0 when unknown.  Return non-zero to stop the work. */
  int (*progress)(void *user, const char *what, int64_t done, int64_t total);
  void *user; /* passed to both */
  /* Since 0.2.  Rules of what is redacted beside the built-in ones, in TOML (docs/redaction.md); copied. */
  const char *redaction;
  /* Since 0.2.  Keys of the assistant's vault (docs/assistant.md): one or several Fernet keys, with commas or white space
  ** between; the first encrypts, any decrypts.  The text is not kept, and the keys are wiped by stele_close().  If they
  ** are no keys, the methods that need one say so. */
  const char *vault_keys;
  /* Since 0.2.  NULL: the static model of the home, if there is one. */
  const stele_embedding *embedding;
  /* Since 0.2.  NULL: there is no language model. */
  const stele_chat *chat;
} stele_options;

/* Open a home.  Nothing is read or created yet: each store is opened by the first call that needs
** it.  On failure *out is still a handle that tells the error (NULL only when out of memory).
** STELE_INVALID: an option is wrong. */
STELE_API stele_status stele_open(const stele_options *options, stele_db **out);

/* Write what is queued, close every store, free the handle.  Open statements are finalized. */
STELE_API void stele_close(stele_db *db);

/* ---- Calling, with JSON ------------------------------------------------------------------- */

/* Call a method.  args: a JSON object, or NULL for none.  *reply: an object or null (shape one),
** an array (many), an object (none); release with stele_free().  reply may be NULL.
** STELE_NOTFOUND: no such method.  STELE_INVALID: an argument is wrong, and nothing was touched. */
STELE_API stele_status stele_call(stele_db *db, const char *method, const char *args, char **reply);

STELE_API void stele_free(void *pointer);

/* ---- Calling, with types ------------------------------------------------------------------ */

/* Make a statement for a method.  STELE_NOTFOUND: no method has that name.  Release with stele_finalize(). */
STELE_API stele_status stele_prepare(stele_db *db, const char *method, stele_stmt **out);

/* Set one parameter.  The value is copied.  STELE_INVALID: no such parameter, or not of its type.
** A parameter that was never set is absent.  Lists, records and vectors are bound as JSON.
** stele_bind_json() with the name "" takes all arguments at once, as stele_call() does. */
STELE_API stele_status stele_bind_null(stele_stmt *stmt, const char *param);
STELE_API stele_status stele_bind_int(stele_stmt *stmt, const char *param, int64_t value);
STELE_API stele_status stele_bind_real(stele_stmt *stmt, const char *param, double value);
STELE_API stele_status stele_bind_text(stele_stmt *stmt, const char *param, const char *text, size_t length);
STELE_API stele_status stele_bind_blob(stele_stmt *stmt, const char *param, const void *bytes, size_t length);
STELE_API stele_status stele_bind_json(stele_stmt *stmt, const char *param, const char *json);

/* Run the method, or go to its next row: STELE_ROW, STELE_DONE, or an error.  The first step of a
** write does all of it, commit included, before it answers. */
STELE_API stele_status stele_step(stele_stmt *stmt);

/* The current row as one line of JSON, as it stands in the reply of stele_call().  Release with
** stele_free().  STELE_MISUSE: there is no row. */
STELE_API stele_status stele_row_json(stele_stmt *stmt, char **out);

/* Make the statement ready to run again, with nothing bound. */
STELE_API void stele_reset(stele_stmt *stmt);
STELE_API void stele_finalize(stele_stmt *stmt);

/* The current row.  Column i is the i-th result of the method.  Text ends in a NUL; its length is
** stele_column_bytes().  A null column gives 0, 0.0 or NULL. */
typedef enum stele_value_type { STELE_NULL, STELE_INT, STELE_REAL, STELE_TEXT, STELE_BLOB } stele_value_type;
STELE_API size_t stele_column_count(stele_stmt *stmt);
STELE_API stele_value_type stele_column_type(stele_stmt *stmt, size_t column);
STELE_API int64_t stele_column_int(stele_stmt *stmt, size_t column);
STELE_API double stele_column_real(stele_stmt *stmt, size_t column);
STELE_API const char *stele_column_text(stele_stmt *stmt, size_t column);
STELE_API size_t stele_column_bytes(stele_stmt *stmt, size_t column);

/* ---- Raw statements ------------------------------------------------------------------------
** For bindings that offer an existing database interface over a store's file; everybody else calls
** methods.  A statement runs on the connection that this handle has to the store, so that no second
** library opens the file, and a write waits for the store's turn like any other.  The file is
** taken as it is: it is judged, and migrated, when a method is first called.  Transactions are begun and
** ended by statements; methods called meanwhile are part of one.  Only for stores in SQLite. */

typedef struct stele_sql stele_sql; /* one SQL statement, ready to bind and step */

/* One value.  bytes and length are those of a text or blob. */
typedef struct stele_value {
  stele_value_type type;
  int64_t integer;
  double real;
  const char *bytes;
  size_t length;
} stele_value;

/* What is known of a statement; lives as long as it. */
typedef struct stele_sql_info {
  size_t used; /* bytes of the text that the statement took: the rest is another */
  int writes;  /* it may change something */
  size_t nparams;
  const char *const *params; /* their names, with the sign before it; NULL for one that has none */
  size_t ncolumns;
  const char *const *columns; /* their names */
  const stele_value *row;     /* the current row's values, until the next step or reset */
} stele_sql_info;

/* What is known of the connection, as of the last raw statement; lives as long as the handle. */
typedef struct stele_sql_state {
  int in_transaction;
  int64_t changes; /* rows changed by the last statement that changed any */
  int64_t total_changes;
  int64_t last_rowid; /* of the last row inserted */
  int code;           /* of the last raw statement: 0, or SQLite's own number of its failure (the extended result code) */
} stele_sql_state;

/* The functions. */
typedef struct stele_raw_functions {
  /* Prepare the first statement of a text on the connection to a store, opening that if need be.  *out is NULL, and all is
  ** well, if the text holds none.  STELE_UNSUPPORTED: the store is not in SQLite.  Release with finalize(). */
  stele_status (*prepare)(stele_db *db, const char *store, const char *text, size_t length, stele_sql **out);
  /* Set all parameters, in order.  Values are copied.  STELE_INVALID: the statement has another number of them. */
  stele_status (*bind)(stele_sql *sql, const stele_value *values, size_t count);
  /* Run the statement, or go to its next row: STELE_ROW, STELE_DONE, or an error.  STELE_BUSY: the turn did not come in time. */
  stele_status (*step)(stele_sql *sql);
  /* Make it ready to run again.  What is bound stays. */
  void (*reset)(stele_sql *sql);
  void (*finalize)(stele_sql *sql);
  /* Never NULL. */
  const stele_sql_info *(*about)(stele_sql *sql);
  /* Leaves the last failure alone.  NULL: there is no such store, or the handle is a parent process's. */
  const stele_sql_state *(*connection)(stele_db *db, const char *store);
} stele_raw_functions;

STELE_API const stele_raw_functions *stele_raw(void);

/* ---- Several calls in one transaction ------------------------------------------------------ */

/* From begin to commit, calls on this store are one transaction: all or nothing.  A call that
** fails undoes itself only.  Calls on other stores are not part of it.
** STELE_MISUSE: a transaction is open already.  On PostgreSQL commit may answer STELE_CONFLICT:
** nothing was written, run the whole again. */
STELE_API stele_status stele_begin(stele_db *db, const char *store);
STELE_API stele_status stele_commit(stele_db *db);
STELE_API stele_status stele_rollback(stele_db *db);

/* ---- What happened -------------------------------------------------------------------------- */

typedef struct stele_failure {
  stele_status status;
  const char *method;  /* "" when none was involved */
  const char *field;   /* the parameter at fault, or "" */
  const char *message; /* one line */
  const char *hint;    /* what to do about it, or "" */
} stele_failure;

/* The failure of the last call on this handle; status STELE_OK when it succeeded. */
STELE_API const stele_failure *stele_error(stele_db *db);

/* Stop what the handle is doing: the call under way ends soon, with STELE_CANCELLED, unless it is done before, also if it
** waits for its turn to write.  PostgreSQL finishes the statement it is at.  The one function that may be called while another
** thread uses the handle. */
STELE_API void stele_interrupt(stele_db *db);

/* Remarks on the last call, one per line, or "": a query was reinterpreted, a fallback was taken. */
STELE_API const char *stele_notes(stele_db *db);

/* Version of the library, e.g. "0.1.0". */
STELE_API const char *stele_version(void);

#ifdef __cplusplus
}
#endif
#endif

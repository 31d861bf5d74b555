/* opened.h - a store as one handle has it: where it is, its connection, its prepared statements. */
#ifndef ST_OPENED_H
#define ST_OPENED_H

#include "engine/driver.h"
#include "engine/error.h"

/* One assembled form of one statement: the pieces that exist for the arguments that were sent. */
typedef struct st_variant st_variant;
struct st_variant {
  st_variant *next; /* of the same method */
  uint16_t statement;
  bool busy;     /* being stepped: a second run needs a copy of its own */
  uint64_t mask; /* which @if parameters were sent */
  uint32_t features; /* those the store had */
  st_prepared *prepared;
  uint16_t nparams;
  uint8_t params[64]; /* the method's parameter at each position */
};

typedef struct st_opened st_opened;
struct st_opened {
  const st_store *store;
  const st_driver *driver;
  st_target target;
  char *location; /* owns target.location, target.schema and target.statement_timeout */
  char *schema;
  char *statement_timeout;
  st_conn *conn;         /* NULL until first needed */
  bool settled;          /* what it holds was judged, and is what methods work with */
  stele_sql_state sql;   /* of the connection, as raw statements tell it */
  st_variant **variants; /* by method id */
  uint32_t features;     /* bit i: it has store->features[i] */
  uint32_t scant;        /* bit i: there was too little for it then */
  int64_t features_ms;   /* when that was looked up; 0: look again */
  int64_t definitions;   /* the driver's number of the tables that were there then; -1: it could not be told */
  unsigned generation;   /* of the features of this process, when that was looked up */
  bool made;             /* the transaction made or undid one: others are told after its end */
  char *described;       /* what its methods have told of its schema, as a text; NULL: nothing yet */
  int64_t described_mark; /* of the schema that was */
  void *attached;        /* what belongs to the open store above the engine: its search index */
  void (*detach)(void *attached);
  void *codes;           /* likewise: the codes of its embeddings */
  void (*close_codes)(void *codes);
  st_opened *replica; /* the same store on a standby, where methods read that may (replica.h); NULL: there is none */
  int64_t away_ms;    /* of a replica: until then it is not asked */
};

/* The drivers by engine; an entry is NULL when it was left out of the build. */
extern const st_driver *st_drivers[ST_ENGINES];

/* What st_opened_connect needs from its handle. */
typedef struct st_opening {
  bool migrate; /* allowed for files outside the home */
  int (*progress)(void *user, const char *what, int64_t done, int64_t total);
  void *user;
  st_error *error;
  bool copying; /* it is opened to be copied into: a copy under way is no reason to refuse it */
} st_opening;

/* Connect, create when missing, check the version, migrate when allowed.  False with the error
** filled in; the store is then not open. */
bool st_opened_connect(st_opened *opened, const st_opening *opening);

/* The same store, to be connected to once more: what is done through it concerns no statement of the handle's.  Not for
** a store in memory, which only its first connection sees.  Close it with st_opened_close(). */
st_opened st_opened_apart(const st_opened *opened, bool readonly);

/* Connect, and look at nothing: for raw statements. */
bool st_opened_connect_raw(st_opened *opened, const st_opening *opening);

/* Look without changing anything.  STELE_NOTFOUND: there is nothing yet. */
stele_status st_opened_look(const st_opened *opened, st_look *look, char problem[400]);

void st_opened_close(st_opened *opened);

/* The statement for these arguments, prepared; NULL with conn->problem filled in.  Give it back
** with st_variant_done(). */
st_variant *st_variant_get(st_opened *opened, const st_method *method, uint16_t statement, const st_value *args);
void st_variant_done(st_opened *opened, st_variant *variant);

/* The SQL text that st_variant_get() would prepare (st_free), and its parameters. */
char *st_variant_sql(const st_method *method, st_engine engine, uint16_t statement, const st_value *args,
                     const st_store *store, uint32_t renamed, uint32_t features, st_variant *out);

#endif

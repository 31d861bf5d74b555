/* registry.h - the table of all stores and methods, as tools/registry.py writes it from sql/.
**
** Everything else reads it: dispatch, argument checks, help, documentation.  It is constant data;
** the generator emits one C file that defines st_registry. */
#ifndef ST_REGISTRY_H
#define ST_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "stele.h"

typedef struct st_call st_call;

typedef enum st_engine { ST_SQLITE, ST_POSTGRES, ST_ENGINES } st_engine;
typedef enum st_shape { ST_SHAPE_NONE, ST_SHAPE_ONE, ST_SHAPE_MANY } st_shape;
typedef enum st_access { ST_ACCESS_READ, ST_ACCESS_WRITE, ST_ACCESS_ADMIN } st_access;

/* A stretch of SQL text, followed by at most one thing that is known only later: a bound
** parameter, or a column that has another name in some files. */
typedef struct st_piece {
  const char *sql; /* may be "" */
  int16_t param;   /* index of the parameter bound here, or -1 */
  int16_t column;  /* index into the store's renamed columns, or -1 */
  int16_t when;    /* the piece exists only if this parameter was sent; -1: always */
  int16_t has;     /* and only in stores with feature has - 1; negative: without feature -has - 1; 0: in all */
} st_piece;

/* One statement of a method, for one engine.  Its pieces, joined, are the SQL. */
typedef struct st_statement {
  const st_piece *pieces;
  uint16_t npieces;
  bool readonly;            /* it only reads: every statement of a read method must */
  stele_status else_status; /* answered when it finds or changes no row; STELE_OK: no such rule */
  int16_t else_param;       /* the parameter to blame, or -1 */
} st_statement;

typedef struct st_method {
  stele_method public; /* first: a stele_method* of the table is a st_method* */
  uint16_t id;         /* index in st_registry.methods */
  int16_t store;       /* index in st_registry.stores; -1: of the library itself */
  st_shape shape;
  st_access access;
  bool private; /* for native methods only: no door shows it */
  const st_statement *statements[ST_ENGINES];
  uint16_t nstatements[ST_ENGINES]; /* 0: a function is the method, or, of a private one, C code runs it on the other engine only */
  void (*native)(st_call *call); /* NULL: the statements are the method */
  bool outside;                  /* the native function runs outside a transaction */
  /* Per result: 0, or the number n of the statement whose changed rows it counts (1 = first);
  ** -1 counts those of all. */
  const int8_t *changed;
  /* Queueable: the method that writes many of these at once, and its list parameter. */
  int16_t batch_method; /* -1: not queueable */
  int16_t batch_param;
  uint32_t features;  /* bit i: the store's feature i is made sure of first */
  int16_t idempotent; /* the parameter whose repetition gives the first reply again; -1: none */
} st_method;

/* How a SQLite file tells its version.  On PostgreSQL it is always in stele_meta. */
typedef enum st_mark { ST_MARK_USER_VERSION, ST_MARK_TABLE, ST_MARK_SHAPE } st_mark;

/* A column that has another name in files of another origin. */
typedef struct st_renamed {
  const char *table;
  const char *name; /* ours */
  const char *also; /* theirs */
} st_renamed;

/* A table and column that show the file to be something we do not serve, and what to tell. */
typedef struct st_refusal {
  const char *table;
  const char *column;
  const char *advice;
} st_refusal;

/* A column that a file must have to be this store's. */
typedef struct st_shape_column {
  const char *table;
  const char *column;
  const char *declared[ST_ENGINES]; /* how ALTER TABLE adds it; NULL: it cannot be added */
} st_shape_column;

/* Rows that a store has from its beginning. */
typedef struct st_seed {
  const char *table; /* only where this table was missing; NULL: whatever was there */
  const char *into;  /* the table they are rows of */
  const char *sql;
} st_seed;

/* What a store gets when a method first needs it. */
typedef struct st_feature {
  const char *name;
  const char *table;  /* it is there if this table (or index, or trigger) is, */
  const char *column; /* and this column of it; NULL: the table is enough */
  const char *sql[ST_ENGINES];  /* makes it; NULL: this engine has no such thing */
  const char *undo[ST_ENGINES]; /* takes it away again; NULL: it stays */
  const char *replaces[3];      /* tables of an older form, up to NULL: where one is, the feature is made at once */
  bool derived;                 /* it can be made anew from the rest: a copy leaves it out */
  const char *enough;           /* has a row where there is so much that methods need it; NULL: they always do */
} st_feature;

/* A table, or a column of one, that a derived feature makes. */
typedef struct st_derived {
  const char *table;
  const char *column; /* NULL: all of the table */
} st_derived;

/* What of a store can be found, of one kind: sql/<store>/sources.sql. */
typedef struct st_findable {
  const char *kind;
  const char *doc;
  uint16_t page_method; /* those after a key, in the order of the keys */
  uint16_t rows_method; /* those of some keys; both with the same results, ST_SOURCE_* */
  uint16_t count_method; /* how many there are */
  int16_t needs;        /* the feature that makes its table; -1: the schema does */
  int16_t noted;        /* the feature that notes its changes; -1: the store notes them in its own way */
  bool key_is_int;      /* or a text */
  bool numbered;        /* the key is the document's number: rows only come after those that are there */
  const char *mark;     /* private or untrusted: found only where its session is named; NULL: everybody may see it */
} st_findable;

/* The results of a source's methods. */
enum {
  ST_SOURCE_ID,
  ST_SOURCE_TITLE,
  ST_SOURCE_TEXT,
  ST_SOURCE_EXTRA,
  ST_SOURCE_TIME,
  ST_SOURCE_PROJECT,
  ST_SOURCE_SESSION,
  ST_SOURCE_ROLE,
  ST_SOURCE_URL,
  ST_SOURCE_RESULTS
};

/* A table, and what becomes of its rows when something is to be forgotten: sql/<store>/forget.sql.  Parents stand before the rows
** that go with them. */
typedef struct st_forgettable {
  const char *table;
  const char *kinds[3];   /* the sources that are made of it, up to NULL */
  const char *rebuild[3]; /* search tables inside a file that are made of it, up to NULL */
  int16_t choose;         /* methods: note which rows go, */
  int16_t follow;         /* which go with others; -1: none does */
  int16_t redact;         /* take a text out of those that stay; -1: none stays */
  int16_t remove;         /* remove what was noted */
  int16_t held, release;  /* by which holds rows are kept; and let these rows stay.  -1: none can be held */
  int16_t needs;          /* the feature that makes the table; -1: the schema does */
} st_forgettable;

/* The parameters of a method `choose`, all optional; `redact` has the text alone. */
enum { ST_FORGET_SESSION, ST_FORGET_PROJECT, ST_FORGET_SOURCE, ST_FORGET_SINCE, ST_FORGET_UNTIL, ST_FORGET_TEXT, ST_FORGET_PARAMS };

/* What of a store may go after some time: sql/<store>/retention.sql. */
typedef struct st_rule {
  const char *topic;
  const char *doc;
  int64_t keep;         /* seconds that its rows are kept, unless it is said otherwise */
  int64_t every;        /* seconds between two times that it is done */
  bool off;             /* it is not done, unless it is said otherwise */
  uint16_t due_method;  /* how much there is; results ST_DUE_* */
  uint16_t page_method; /* keys of rows that are due and not held */
  uint16_t rows_method; /* deletes some of them */
  const char *partitioned; /* the table, where PostgreSQL cuts it into partitions by time; NULL: it is whole */
  int16_t partitions;      /* the feature that cuts it; -1: none */
  int16_t part_method;     /* what is in a partition, results ST_PART_*; -1: it has none */
  int16_t note_method;     /* notes for the search index that a partition is gone; -1: nothing of it is found */
} st_rule;

/* The results of a rule's methods. */
enum { ST_DUE_ROWS, ST_DUE_ALSO, ST_DUE_HELD, ST_DUE_OLDEST, ST_DUE_NEWEST, ST_DUE_RESULTS };
enum { ST_PART_ROWS, ST_PART_HELD, ST_PART_RESULTS };
enum { ST_ROWS_ROWS, ST_ROWS_ALSO }; /* the second only where something goes before the rows */

/* A part of a migration's script. */
typedef struct st_part {
  const char *table;  /* it is run only where this table (or index) is, */
  const char *column; /* and this column of it; NULL: the table is enough, or nothing is looked for */
  const char *sql;
} st_part;

/* One migration: brings a file to version from the one of the step before. */
typedef struct st_step {
  int version;
  const char *why; /* from the file's name */
  const st_part *parts[ST_ENGINES];
  uint16_t nparts[ST_ENGINES]; /* 0: nothing to do on that engine */
} st_step;

typedef struct st_store {
  const char *name;
  const char *file; /* default file name */
  const char *doc;
  int version; /* the documented one */
  st_mark mark;
  const char *mark_table; /* for ST_MARK_TABLE: table and its column */
  const char *mark_column;
  st_time_form time_form;
  bool full;                      /* default durability: full, else normal */
  const char *const *pragmas;     /* per connection, NULL-terminated: "foreign_keys = ON" */
  const char *schema[ST_ENGINES]; /* DDL of a fresh store */
  const st_seed *seeds[ST_ENGINES]; /* run after it */
  uint16_t nseeds[ST_ENGINES];      /* at most 32 */
  const st_step *steps;           /* in order of version */
  uint16_t nsteps;
  const st_renamed *renamed;
  uint16_t nrenamed;
  const st_refusal *refusals;
  uint16_t nrefusals;
  const st_shape_column *shape; /* every table and column of schema[ST_SQLITE], table by table */
  uint16_t nshape;
  const char *const *objects[ST_ENGINES]; /* indexes, triggers and virtual tables of schema[], NULL-terminated */
  int accepts;    /* the latest version whose files are used as they are; at least version */
  bool reconcile; /* columns an older file lacks are added before the steps */
  bool complete;  /* and so is whatever else of the schema it lacks, also when its version is the present one */
  bool quarantine; /* rows without the row they refer to are put aside before the steps */
  const st_feature *features;
  uint16_t nfeatures;
  const st_findable *sources; /* NULL: nothing in it can be found by recall */
  uint16_t nsources;
  const st_forgettable *forgets;
  uint16_t nforgets;
  const st_derived *derived;
  uint16_t nderived;
  const st_rule *rules; /* what may go after some time */
  uint16_t nrules;
  const char *const *held; /* the kinds of rows that a legal hold can keep, up to NULL; NULL without sources */
  const int16_t *shared_methods;  /* by ST_T_*: the number of the method, or -1; NULL without sources */
  const int16_t *shared_features; /* by ST_TF_* */
} st_store;

typedef struct st_registry_table {
  const st_store *stores;
  uint16_t nstores;
  const st_method *methods; /* grouped by store, in the order of the files; private ones included */
  uint16_t nmethods;
} st_registry_table;

extern const st_registry_table st_registry;

/* The method of that name (private ones too), or NULL. */
const st_method *st_method_find(const char *name);
const st_store *st_store_find(const char *name, int *index);
/* Are there methods under that name: a store's, or the library's own? */
bool st_group_exists(const char *name);

/* The name in the registry (or the parameter of the method) nearest to a mistyped one, or NULL
** when none is near. */
const char *st_method_nearest(const char *name);
const char *st_param_nearest(const st_method *method, const char *name);

/* The index of the parameter or result of that name, or -1. */
int st_param_index(const st_method *method, const char *name);
int st_result_index(const st_method *method, const char *name);

#endif

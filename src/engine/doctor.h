/* doctor.h - the checkup: lines about how everything is.
**
** All methods named doctor, or doctor_ and a topic, have the results of stele.doctor (the generator checks that), so that a
** line is written the same way wherever it comes from.  A line says what was found; one that is not ok also says why that
** is so and what to do.  Its section in docs/doctor.md is named like the check. */
#ifndef ST_DOCTOR_H
#define ST_DOCTOR_H

#include "engine/call.h"
#include "engine/state.h"

typedef enum st_health { ST_HEALTH_OK, ST_HEALTH_WARN, ST_HEALTH_FAIL } st_health;

/* Add a line about the call's store, or about what concerns all. */
void st_doctor_line(st_call *call, st_health health, const char *check, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Of the last line. */
void st_doctor_cause(st_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
void st_doctor_fix(st_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A size for people: "64 MB". */
typedef struct st_size_text {
  char text[16];
} st_size_text;
st_size_text st_size(int64_t bytes);

/* A time that has passed, for people: "16 min". */
st_size_text st_age(int64_t milliseconds);

/* Rows of one statement of the checkup's own, with at most one parameter.  A failure is kept in status, with its text in
** conn->problem: such a statement may well meet the damage it looks for.  Only lack of memory, and being stopped, fail the
** call. */
typedef struct st_inquiry {
  st_conn *conn;
  st_prepared *prepared;
  stele_status status;
  st_value parameter;
} st_inquiry;
void st_inquire(st_inquiry *inquiry, st_conn *conn, const char *sql, const char *parameter);
bool st_inquiry_next(st_inquiry *inquiry);
/* "" for null; until the next row. */
const char *st_inquiry_text(st_inquiry *inquiry, size_t column);
int64_t st_inquiry_int(st_inquiry *inquiry, size_t column);
void st_inquiry_end(st_call *call, st_inquiry *inquiry);

/* Does that status fail the call, and not only a check?  If so it has. */
bool st_doctor_ended(st_call *call, stele_status status);

/* What the files of the checkup have for each other.  In each, call->store is the store, open for reading only. */
void st_doctor_library(st_call *call);                 /* doctor_library.c: SQLite, the configuration, keys */
void st_doctor_home(st_call *call);                    /* doctor_home.c: the home and its file system */
void st_doctor_disk(st_call *call, const char *directory, int64_t largest); /* doctor_home.c: is there room, also for a copy of that size? */
void st_doctor_server(st_call *call);                  /* doctor_home.c: does a server run? */
void st_doctor_state(st_call *call, const st_state *state); /* doctor_state.c: what a look at it found */
void st_doctor_handshake(st_call *call, const st_state *state); /* doctor_handshake.c: do file, server and workers agree? */
void st_doctor_beside(st_call *call, const st_look *look); /* doctor_file.c: what lies beside a SQLite file; NULL: it cannot be read */
void st_doctor_inside(st_call *call, bool full);       /* doctor_file.c: is what is in it whole? */
void st_doctor_postgres(st_call *call, double patience); /* doctor_postgres.c: the server, and what the role may do */
/* The latter alone.  False: something is lacking. */
bool st_doctor_rights(st_call *call);

/* How much room is enough: for a disk of that size with a store to be copied. */
st_health st_disk_health(int64_t available, int64_t total, int64_t largest);

#endif

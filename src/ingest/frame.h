/* frame.h - JSON texts one after another in a stream of bytes: four bytes that tell the length, then the text.
**
** The socket of the server has the length in network order; browsers talk to their native hosts in the order of the machine. */
#ifndef INGEST_FRAME_H
#define INGEST_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ST_FRAME_HEAD 4            /* bytes before the text */
#define ST_FRAME_MAX (10u << 20)   /* longest text on the socket */

typedef struct st_frame_form {
  size_t max;  /* longest text */
  bool native; /* the length is in the machine's order; else in the network's */
} st_frame_form;

#define ST_FRAME_SOCKET ((st_frame_form){.max = ST_FRAME_MAX})

typedef enum st_frame_status {
  ST_FRAME_OK,
  ST_FRAME_MORE,     /* what is there is not a whole frame yet */
  ST_FRAME_END,      /* the other side has closed, between two frames */
  ST_FRAME_CUT,      /* the other side has closed, in the middle of one */
  ST_FRAME_LATE,     /* not within its time */
  ST_FRAME_TOO_LONG, /* above the maximum: what follows cannot be read */
  ST_FRAME_BROKEN,   /* the connection failed: errno */
  ST_FRAME_NOMEM
} st_frame_status;

/* What is wrong, in words. */
const char *st_frame_why(st_frame_status status);

/* What has been received and not been taken.  Begins as {.form = ...}; release with st_frames_free(). */
typedef struct st_frames {
  st_frame_form form;
  char *bytes;
  size_t start, used, room; /* what is not taken begins at start */
} st_frames;

/* Add what was received.  OK or NOMEM. */
st_frame_status st_frames_feed(st_frames *frames, const char *bytes, size_t length);
/* The next text, which is valid until the next call and has a NUL behind it: OK, MORE or TOO_LONG. */
st_frame_status st_frames_next(st_frames *frames, char **json, size_t *length);
/* The bytes that the frame being received is to have, with its head; 0: its head is not there. */
size_t st_frames_wanted(const st_frames *frames);
void st_frames_free(st_frames *frames);

/* The head of a text of that length. */
void st_frame_head(const st_frame_form *form, size_t length, unsigned char head[ST_FRAME_HEAD]);

/* A moment so many milliseconds from now, on a clock that only goes forward.  Below 0: never. */
int64_t st_frame_until(int64_t ms);

/* Send one frame, or receive one, on a descriptor that may block or not, until that moment.  A text received is valid
** until the next call with the same frames. */
st_frame_status st_frame_send(int fd, const st_frame_form *form, const char *json, size_t length, int64_t until);
st_frame_status st_frame_receive(int fd, st_frames *frames, int64_t until, char **json, size_t *length);

#endif

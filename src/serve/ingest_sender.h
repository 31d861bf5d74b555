/* ingest_sender.h - one who sends events: the frames that came, and the answers that wait to be taken. */
#ifndef SERVE_INGEST_SENDER_H
#define SERVE_INGEST_SENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "../ingest/frame.h"
#include "text.h"

typedef struct sv_sender {
  int fd; /* -1: nobody */
  st_frames in;
  sv_text out;
  size_t sent;      /* of out */
  bool partial;     /* the beginning of a frame was there before */
  bool more;        /* whole frames wait to be looked at: there were too many answers */
  bool ending;      /* nothing more is read: it goes when its answers are written */
  int64_t until_us; /* when it goes, unless something comes */
} sv_sender;

/* Receive what is there, at most once.  False: it has gone. */
bool sv_sender_receive(sv_sender *sender);
/* Write what it takes.  False: it has gone, or had only to be answered. */
bool sv_sender_send(sv_sender *sender);
bool sv_sender_has_answers(const sv_sender *sender);

/* Answer {"type":TYPE,"data":DATA}; data is JSON, NULL: there is none. */
void sv_sender_answer(sv_sender *sender, const char *type, const char *data);
/* {"type":"Error","data":"why"} */
void sv_sender_refuse(sv_sender *sender, const char *why);

void sv_sender_close(sv_sender *sender);

#endif

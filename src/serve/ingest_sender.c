/* ingest_sender.c - see ingest_sender.h. */
#include "ingest_sender.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK (64u << 10) /* received at a time, so that nobody is served alone */

bool sv_sender_receive(sv_sender *sender) {
  char chunk[CHUNK];
  ssize_t got = recv(sender->fd, chunk, sizeof chunk, MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  return got > 0 && st_frames_feed(&sender->in, chunk, (size_t)got) == ST_FRAME_OK;
}

bool sv_sender_has_answers(const sv_sender *sender) {
  return sender->sent < sender->out.length;
}

bool sv_sender_send(sv_sender *sender) {
  if (sender->out.failed) return false;
  ssize_t wrote = send(sender->fd, sender->out.bytes + sender->sent, sender->out.length - sender->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (wrote < 0) return errno == EAGAIN || errno == EINTR;
  sender->sent += (size_t)wrote;
  if (sv_sender_has_answers(sender)) return true;
  sv_text_free(&sender->out);
  sender->out = (sv_text){0};
  sender->sent = 0;
  return !sender->ending;
}

static void add_frame(sv_sender *sender, const char *type, const char *data) {
  static const char before[] = "{\"type\":\"", middle[] = "\",\"data\":";
  size_t length = strlen(before) + strlen(type) + 2 + (data ? strlen(middle) - 1 + strlen(data) : 0);
  unsigned char head[ST_FRAME_HEAD];
  st_frame_head(&sender->in.form, length, head);
  sv_add(&sender->out, (const char *)head, sizeof head);
  sv_addz(&sender->out, before);
  sv_addz(&sender->out, type);
  sv_addz(&sender->out, data ? middle : "\"");
  if (data) sv_addz(&sender->out, data);
  sv_addz(&sender->out, "}");
}

void sv_sender_answer(sv_sender *sender, const char *type, const char *data) {
  if (data && strlen(data) > ST_FRAME_MAX / 2)
    sv_sender_refuse(sender, "the answer would be too long: ask for less");
  else
    add_frame(sender, type, data);
}

void sv_sender_refuse(sv_sender *sender, const char *why) {
  sv_text quoted = {0};
  sv_add_quoted(&quoted, why);
  add_frame(sender, "Error", quoted.failed ? "\"out of memory\"" : quoted.bytes);
  sv_text_free(&quoted);
}

void sv_sender_close(sv_sender *sender) {
  if (sender->fd < 0) return;
  close(sender->fd);
  st_frames_free(&sender->in);
  sv_text_free(&sender->out);
  *sender = (sv_sender){.fd = -1, .in.form = ST_FRAME_SOCKET};
}

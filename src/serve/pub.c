/* pub.c - see pub.h.
**
** A session is found by asking the library which of the folders the token stands for; nothing is kept of
** it.  A file is opened part by part, none of them a link: nothing outside the pub folder is reached. */
#include "pub.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../door/json.h"
#include "log.h"
#include "server.h"

#define AT_ONCE 500 /* folders the library is asked about in one call */
#define FOLDERS_MAX 20000
#define BLOCK (64 << 10)

struct sv_pub {
  int fd;
};

/* ---- The session ---- */

/* The next folders as a JSON array of their names; false: there are no more. */
static bool next_folders(DIR *all, sv_text *names) {
  const struct dirent *entry;
  int count = 0;
  while (count < AT_ONCE && (entry = readdir(all)) != NULL) {
    if (*entry->d_name == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)) continue;
    sv_addz(names, count++ ? "," : "[");
    sv_add_quoted(names, entry->d_name);
  }
  sv_addz(names, "]");
  return count > 0;
}

/* The session among these, in new memory; NULL: none. */
static char *ask(stele_db *db, const char *token, const sv_text *names) {
  sv_text args = {0};
  char *reply = NULL;
  sv_addz(&args, "{\"token\":");
  sv_add_quoted(&args, token);
  sv_addf(&args, ",\"sessions\":");
  sv_add(&args, names->bytes, names->length);
  sv_addz(&args, "}");
  if (!args.failed && stele_call(db, "server.find_pub", args.bytes, &reply) != STELE_OK)
    sv_log(STELE_LOG_ERROR, "%s", stele_error(db)->message);
  char *session = reply ? json_text(json_member(json_read(reply, strlen(reply)), "session")) : NULL;
  stele_free(reply);
  sv_text_free(&args);
  return session;
}

static char *find_session(const sv_pub *pub, stele_db *db, const char *token) {
  int fd = openat(pub->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *all = fd >= 0 ? fdopendir(fd) : NULL;
  char *session = NULL;
  bool more = all != NULL;
  if (!all && fd >= 0) close(fd);
  for (int seen = 0; more && !session && seen < FOLDERS_MAX; seen += AT_ONCE) {
    sv_text names = {0};
    more = next_folders(all, &names);
    if (more && !names.failed) session = ask(db, token, &names);
    sv_text_free(&names);
  }
  if (more && !session) sv_log(STELE_LOG_WARNING, "pub: only the first %d folders were looked at", FOLDERS_MAX);
  if (all) closedir(all);
  return session;
}

/* ---- The file ---- */

/* One part below a folder, and no link; closes the folder.  -1: there is none. */
static int enter(int folder, const char *name, int flags) {
  if (folder < 0) return -1;
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags);
  close(folder);
  return fd;
}

static bool is_name(const char *name) {
  return name && *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* A regular file, and its size; -1: there is none. */
static int open_file(const sv_pub *pub, const char *session, const char *name, int64_t *size) {
  struct stat found;
  int folder = is_name(session) ? openat(pub->fd, session, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
  int fd = enter(enter(folder, "pub", O_DIRECTORY), name, O_NONBLOCK); /* a pipe must not keep us waiting */
  if (fd >= 0 && (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))) {
    close(fd);
    return -1;
  }
  if (fd >= 0) *size = found.st_size;
  return fd;
}

/* ---- The answer ---- */

typedef struct kind {
  const char *suffix, *type;
  bool shown; /* by a browser; others are saved: a page of ours must not run what a session wrote */
} kind;

static const kind *kind_of(const char *name) {
  static const kind kinds[] = {
      {"txt", "text/plain; charset=utf-8", true},
      {"md", "text/plain; charset=utf-8", true},
      {"log", "text/plain; charset=utf-8", true},
      {"png", "image/png", true},
      {"jpg", "image/jpeg", true},
      {"jpeg", "image/jpeg", true},
      {"gif", "image/gif", true},
      {"webp", "image/webp", true},
      {"csv", "text/csv; charset=utf-8", false},
      {"json", "application/json", false},
      {"pdf", "application/pdf", false},
      {"zip", "application/zip", false},
      {NULL, "application/octet-stream", false},
  };
  const char *dot = strrchr(name, '.');
  const kind *found = kinds;
  while (found->suffix && !(dot && strcasecmp(dot + 1, found->suffix) == 0)) found++;
  return found;
}

typedef struct sending {
  int fd;
  sv_peer *peer;
} sending;

static ssize_t read_block(void *user, uint64_t position, char *to, size_t most) {
  const sending *file = user;
  ssize_t got = pread(file->fd, to, most, (off_t)position);
  sv_peer_phase(file->peer, SV_SENDING); /* it takes: its time begins anew */
  if (got > 0) return got;
  return MHD_CONTENT_READER_END_WITH_ERROR; /* it became shorter than it was */
}

static void release(void *user) {
  sending *file = user;
  close(file->fd);
  free(file);
}

static void answer_file(sv_exchange *exchange, int fd, int64_t size, const char *name) {
  const kind *what = kind_of(name);
  sending *file = malloc(sizeof *file);
  struct MHD_Response *response = NULL;
  if (file) {
    *file = (sending){fd, exchange->peer};
    response = MHD_create_response_from_callback((uint64_t)size, BLOCK, read_block, file, release);
    if (!response) release(file);
  } else {
    close(fd);
  }
  sv_answer_response(exchange, 200, response);
  sv_answer_header(exchange, "Content-Type", what->type);
  sv_answer_header(exchange, "X-Content-Type-Options", "nosniff");
  if (!what->shown) sv_answer_header(exchange, "Content-Disposition", "attachment");
  sv_answer_header(exchange, "Cache-Control", "private, no-cache");
  sv_answer_header(exchange, "Referrer-Policy", "no-referrer"); /* the address is a secret */
}

/* One answer for all that is not there: which part was wrong is nobody's to know. */
void sv_pub_answer(sv_exchange *exchange, sv_worker *worker) {
  const sv_pub *pub = exchange->server->pub;
  const char *rest = exchange->address + strlen("/pub/"), *slash = strchr(rest, '/');
  char *token = slash ? sv_decode(rest, (size_t)(slash - rest), false) : NULL;
  char *name = slash ? sv_decode(slash + 1, strlen(slash + 1), false) : NULL;
  char *session = token && is_name(name) ? find_session(pub, worker->reader, token) : NULL;
  int64_t size = 0;
  int fd = session ? open_file(pub, session, name, &size) : -1;
  if (fd >= 0)
    answer_file(exchange, fd, size, name);
  else
    sv_answer_problem(exchange, 404, STELE_NOTFOUND, "", "there is no such file");
  free(session);
  free(name);
  free(token);
  sv_exchange_resume(exchange);
}

/* ---- Opening and closing ---- */

/* The first link makes the key: whatever is wrong with it is known before anything is bound. */
static bool make_key(sv_server *server) {
  char *reply = NULL;
  stele_db *db = sv_server_open(server, 0);
  bool good = stele_call(db, "server.pub_link", "{\"session\":\"any\"}", &reply) == STELE_OK;
  if (!good) sv_log(STELE_LOG_ERROR, "%s", stele_error(db)->message);
  stele_free(reply);
  stele_close(db);
  return good;
}

sv_pub *sv_pub_open(sv_server *server) {
  int fd = open(server->options->pub, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    sv_log(STELE_LOG_ERROR, "serve.pub: %s cannot be read: %s", server->options->pub, strerror(errno));
    return NULL;
  }
  sv_pub *pub = make_key(server) ? malloc(sizeof *pub) : NULL;
  if (pub)
    pub->fd = fd;
  else
    close(fd);
  return pub;
}

void sv_pub_close(sv_pub *pub) {
  if (!pub) return;
  close(pub->fd);
  free(pub);
}

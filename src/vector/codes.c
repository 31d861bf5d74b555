/* codes.c - opening, mapping and checking a file of codes.  See codes.h. */
#include "vector/codes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/uuid.h"
#include "vector/code.h"
#include "vector/codes_file.h"
#include "vector/rotate.h"

#define MAGIC "STCODES"
#define ORDER UINT32_C(0x01020304)
#define LINE 64 /* bytes that memory gives at a time */
#define TRIES 100 /* of looking at a state that is being written */

_Static_assert(sizeof(st_codes_head) <= ST_CODES_SLOT_AT(0) && sizeof(st_codes_slot) <= 128, "the first page has room");
_Static_assert(sizeof(st_code_row) == 32 && sizeof(st_code_fine) == 8, "nothing is left between");

const st_codes_kind *st_codes_kind_of(const st_codes *codes) { return &codes->kind; }
const st_codes_state *st_codes_state_of(const st_codes *codes) { return &codes->slot.state; }
bool st_code_row_alive(const st_code_row *row) { return row->mark == ST_CODES_ALIVE; }

/* ---- the first page ---- */

static bool head_is_good(const st_codes_head *head, const st_codes_kind *kind) {
  return memcmp(head->magic, MAGIC, sizeof MAGIC) == 0 && head->format == ST_CODES_FORMAT && head->order == ORDER &&
         head->check == st_codes_head_check(head) && head->dimension == kind->dimension && head->rotation == ST_ROTATION &&
         head->model == kind->model && head->documents == kind->documents;
}

/* A state that could be: not more rows than fit into memory, nor more dead than there are. */
static bool slot_is_good(const st_codes_slot *slot, uint64_t identity) {
  return slot->check == st_codes_slot_check(slot, identity) && slot->state.count <= UINT32_MAX &&
         slot->state.dead <= slot->state.count;
}

/* The newer of the two states.  One that is being written may look bad: then the other still holds. */
static bool read_slot(st_codes *codes) {
  for (int try = 0; try < TRIES; try++) {
    st_codes_slot slots[2];
    bool good[2];
    for (int i = 0; i < 2; i++) {
      if (pread(codes->fd, &slots[i], sizeof slots[i], ST_CODES_SLOT_AT(i)) != (ssize_t)sizeof slots[i]) return false;
      good[i] = slot_is_good(&slots[i], codes->identity);
    }
    if (!good[0] && !good[1]) continue;
    codes->slot = slots[!good[0] || (good[1] && slots[1].sequence > slots[0].sequence)];
    return true;
  }
  return false;
}

static st_codes_result write_head(st_codes *codes) {
  char page[ST_CODES_PAGE] = {0}, id[ST_UUID_SIZE];
  st_codes_head head = {.magic = MAGIC, .format = ST_CODES_FORMAT, .order = ORDER, .dimension = codes->kind.dimension,
                        .rotation = ST_ROTATION, .model = codes->kind.model, .documents = codes->kind.documents};
  st_codes_slot slot = {.sequence = 1};
  if (!st_uuid_v4(id)) return ST_CODES_FAILED;
  head.identity = st_hash64(0, id, strlen(id));
  head.check = st_codes_head_check(&head);
  slot.check = st_codes_slot_check(&slot, head.identity);
  memcpy(page, &head, sizeof head);
  memcpy(page + ST_CODES_SLOT_AT(0), &slot, sizeof slot);
  ssize_t written = pwrite(codes->fd, page, sizeof page, 0);
  if (written >= 0 && written < (ssize_t)sizeof page) errno = ENOSPC;
  return written == (ssize_t)sizeof page ? ST_CODES_OK : ST_CODES_FAILED;
}

/* ---- memory ---- */

static void forget_map(st_codes *codes) {
  if (codes->map) munmap((void *)(uintptr_t)codes->map, codes->mapped);
  codes->map = NULL;
  codes->mapped = 0;
}

static st_codes_result grow_checked(st_codes *codes) {
  size_t blocks = (size_t)((codes->slot.state.count + ST_CODES_BLOCK - 1) / ST_CODES_BLOCK);
  if (blocks <= codes->blocks) return ST_CODES_OK;
  uint32_t *checked = st_realloc(codes->checked, blocks * 2 * sizeof *checked);
  if (!checked) return ST_CODES_NOMEM;
  memset(checked + codes->blocks, 0, (blocks * 2 - codes->blocks) * sizeof *checked);
  codes->checked = checked;
  codes->blocks = blocks * 2;
  return ST_CODES_OK;
}

st_codes_result st_codes_map(st_codes *codes) {
  size_t wanted = st_codes_bytes(codes->words, codes->slot.state.count);
  struct stat now;
  if (wanted <= codes->mapped) return grow_checked(codes);
  if (fstat(codes->fd, &now) != 0) return ST_CODES_FAILED;
  if (now.st_size < 0 || (size_t)now.st_size < wanted) return ST_CODES_DAMAGED;
  forget_map(codes);
  void *map = mmap(NULL, wanted, PROT_READ, MAP_SHARED, codes->fd, 0);
  if (map == MAP_FAILED) return errno == ENOMEM ? ST_CODES_NOMEM : ST_CODES_FAILED;
  codes->map = map;
  codes->mapped = wanted;
  return grow_checked(codes);
}

/* ---- opening ---- */

static void leave_file(st_codes *codes) {
  forget_map(codes);
  if (codes->fd >= 0) close(codes->fd); /* and its lock goes with it */
  codes->fd = -1;
  codes->locked = false;
  if (codes->checked) memset(codes->checked, 0, codes->blocks * sizeof *codes->checked);
}

static bool is_at_path(const st_codes *codes) {
  struct stat file, path;
  return fstat(codes->fd, &file) == 0 && stat(codes->path, &path) == 0 && file.st_ino == path.st_ino &&
         file.st_dev == path.st_dev;
}

static bool is_empty(const st_codes *codes) {
  struct stat file;
  return fstat(codes->fd, &file) == 0 && file.st_size == 0;
}

static st_codes_result read_state(st_codes *codes) {
  if (!read_slot(codes)) return ST_CODES_DAMAGED;
  codes->added = codes->slot.state.count;
  codes->killed = 0;
  return st_codes_map(codes);
}

/* What the first page says. */
static st_codes_result read_file(st_codes *codes) {
  st_codes_head head;
  ssize_t got = pread(codes->fd, &head, sizeof head, 0);
  if (got < 0) return ST_CODES_FAILED;
  if (got != (ssize_t)sizeof head || !head_is_good(&head, &codes->kind)) return ST_CODES_DAMAGED;
  codes->identity = head.identity;
  return read_state(codes);
}

static st_codes_result lock_file(st_codes *codes) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int got;
  do
    got = fcntl(codes->fd, F_OFD_SETLKW, &lock);
  while (got != 0 && errno == EINTR);
  codes->locked = got == 0;
  return got == 0 ? ST_CODES_OK : ST_CODES_FAILED;
}

/* With the lock, and nobody else's hands on it: begin an empty file, or take a bad one away.  DAMAGED: there is
** another file to look at now. */
static st_codes_result settle(st_codes *codes) {
  if (!is_at_path(codes)) return ST_CODES_DAMAGED;
  if (is_empty(codes)) {
    st_codes_result result = write_head(codes);
    return result == ST_CODES_OK ? read_file(codes) : result;
  }
  st_codes_result result = read_file(codes); /* whoever had the lock may have settled it */
  if (result == ST_CODES_DAMAGED && unlink(codes->path) != 0 && errno != ENOENT) return ST_CODES_FAILED;
  return result;
}

st_codes_result st_codes_reopen(st_codes *codes) {
  bool lock = codes->locked;
  for (int try = 0; try < TRIES; try++) {
    leave_file(codes);
    codes->fd = open(codes->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (codes->fd < 0) return ST_CODES_FAILED;
    st_codes_result result = lock ? ST_CODES_DAMAGED : read_file(codes);
    if (result == ST_CODES_DAMAGED) {
      result = lock_file(codes);
      if (result == ST_CODES_OK) result = settle(codes);
      if (!lock || result != ST_CODES_OK) st_codes_unlock(codes);
    }
    if (result != ST_CODES_DAMAGED) return result;
  }
  errno = EAGAIN;
  return ST_CODES_FAILED;
}

st_codes_result st_codes_open(const char *path, const st_codes_kind *kind, st_codes **out) {
  st_codes *codes = *out = st_alloc_zero(sizeof *codes);
  if (!codes) return ST_CODES_NOMEM;
  codes->fd = -1;
  codes->kind = *kind;
  codes->words = st_code_words(kind->dimension);
  codes->path = st_strdup(path);
  codes->room = st_alloc(codes->words * 64 * sizeof *codes->room);
  codes->code = st_alloc(codes->words * sizeof *codes->code);
  codes->fine = st_alloc(st_codes_fine_bytes(codes->words));
  st_codes_result result = codes->path && codes->room && codes->code && codes->fine ? st_codes_reopen(codes) : ST_CODES_NOMEM;
  if (result == ST_CODES_OK) return result;
  int error = errno;
  st_codes_close(codes);
  *out = NULL;
  errno = error;
  return result;
}

void st_codes_close(st_codes *codes) {
  if (!codes) return;
  leave_file(codes);
  st_free(codes->path);
  st_free(codes->room);
  st_free(codes->code);
  st_free(codes->fine);
  st_free(codes->checked);
  st_free(codes);
}

/* What the file says now; DAMAGED also if it is no longer the one. */
static st_codes_result look_again(st_codes *codes) {
  return is_at_path(codes) ? read_state(codes) : ST_CODES_DAMAGED;
}

st_codes_result st_codes_refresh(st_codes *codes) {
  st_codes_result result = codes->fd >= 0 ? look_again(codes) : ST_CODES_DAMAGED;
  return result == ST_CODES_DAMAGED ? st_codes_reopen(codes) : result;
}

void st_codes_unlock(st_codes *codes) {
  struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
  if (codes->locked) fcntl(codes->fd, F_OFD_SETLK, &lock);
  codes->locked = false;
}

st_codes_result st_codes_lock(st_codes *codes) {
  st_codes_result result = codes->fd >= 0 ? lock_file(codes) : ST_CODES_DAMAGED;
  if (result == ST_CODES_OK) result = look_again(codes);
  if (result == ST_CODES_DAMAGED) {
    codes->locked = true; /* reopening locks what it opens */
    result = st_codes_reopen(codes);
  }
  if (result != ST_CODES_OK) st_codes_unlock(codes);
  return result;
}

st_codes_result st_codes_renew(st_codes *codes) {
  if (codes->fd >= 0 && is_at_path(codes) && unlink(codes->path) != 0 && errno != ENOENT) return ST_CODES_FAILED;
  return st_codes_reopen(codes);
}

/* ---- reading ---- */

static const void *mapped(const st_codes *codes, size_t at) { return codes->map + at; }

static bool row_is_good(const st_codes *codes, const st_codes_block *block, size_t i, uint64_t place) {
  const st_code_row *row = &block->rows[i];
  const uint64_t *code = block->codes + i * codes->words;
  return (row->mark == ST_CODES_ALIVE || row->mark == ST_CODES_DEAD) &&
         row->nothing == 0 &&
         row->check == st_codes_row_check(codes, place, row, code, block->shares[i]);
}

st_codes_result st_codes_read(st_codes *codes, size_t which, st_codes_block *out) {
  uint64_t first = (uint64_t)which * ST_CODES_BLOCK, left = codes->slot.state.count - first;
  out->count = left < ST_CODES_BLOCK ? (size_t)left : ST_CODES_BLOCK;
  out->codes = mapped(codes, st_codes_code_at(codes->words, first));
  out->shares = mapped(codes, st_codes_share_at(codes->words, first));
  out->rows = mapped(codes, st_codes_row_at(codes->words, first));
  for (uint32_t *checked = &codes->checked[which]; *checked < out->count; ++*checked)
    if (!row_is_good(codes, out, *checked, first + *checked)) return ST_CODES_DAMAGED;
  return ST_CODES_OK;
}

st_codes_result st_codes_fine(st_codes *codes, uint64_t row, const st_code_fine **out) {
  *out = mapped(codes, st_codes_fine_at(codes->words, row));
  return (*out)->check == st_codes_fine_check(codes, row, *out) ? ST_CODES_OK : ST_CODES_DAMAGED;
}

void st_codes_expect(const st_codes *codes, uint64_t row) {
  const char *fine = mapped(codes, st_codes_fine_at(codes->words, row));
  for (size_t at = 0; at < st_codes_fine_bytes(codes->words); at += LINE) __builtin_prefetch(fine + at);
}

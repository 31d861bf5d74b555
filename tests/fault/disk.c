/* disk.c - see disk.h.
**
** The linker puts the functions below in front of those of the system (tests/meson.build), so that everything is seen: SQLite's
** files, files of codes, copies that are renamed, directories that are made and synced.  Each entry of the record is a head and its
** bytes; it is written before the function returns, so that whoever has had an answer finds all that led to it in the file. */
#include "fault/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault/fault.h"

/* What comes before the bytes of an entry: of a write its data, of all else its path, or its two. */
typedef struct head {
  uint64_t what; /* a letter: Write, Truncate, Sync, Create, Unlink, Rename, Link, Mkdir, (remove) Directory */
  uint64_t inode;
  uint64_t offset; /* of a write; of a truncation the size */
  uint64_t length;
} head;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* an operation and its entry belong together */
static int record = -1;

ssize_t __real_write(int fd, const void *bytes, size_t length);

static void put(const void *bytes, size_t length) {
  if (__real_write(record, bytes, length) != (ssize_t)length) _exit(3); /* a record with a hole would tell lies */
}

static void enter(char what, ino_t inode, uint64_t offset, const void *bytes, size_t length) {
  head h = {(uint64_t)what, (uint64_t)inode, offset, length};
  put(&h, sizeof h);
  if (length) put(bytes, length);
}

static void begin(void) { pthread_mutex_lock(&mutex); }
static void end(void) { pthread_mutex_unlock(&mutex); }

/* The inode of what is open; 0: it is not on a disk. */
static ino_t inode_of(int fd) {
  struct stat found;
  bool kept = fstat(fd, &found) == 0 && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
  return kept ? found.st_ino : 0;
}

static ino_t inode_at(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 ? found.st_ino : 0;
}

/* ---- Faults ---- */

static bool fails(const char *what) {
  if (!fault_due(FAULT_EIO, what)) return false;
  errno = EIO;
  return true;
}

/* The same of what needs room. */
static bool fails_to_make(const char *what) {
  if (fails(what)) return true;
  if (!fault_due(FAULT_ENOSPC, what)) return false;
  errno = ENOSPC;
  return true;
}

/* A disk that is full takes the half of a write, and then nothing.  True: the write fails; else *length is what is taken. */
static bool fails_to_write(const char *what, size_t *length) {
  static bool halved; /* under the mutex */
  if (fails(what)) return true;
  bool due = fault_due(FAULT_ENOSPC, what), none = due && (halved || *length < 2);
  halved = due;
  if (none) errno = ENOSPC;
  else if (due) *length /= 2;
  return none;
}

/* ---- Files ---- */

static ssize_t note_write(int fd, const void *bytes, ssize_t written, off_t at) {
  ino_t inode = record >= 0 && written > 0 ? inode_of(fd) : 0;
  if (inode) enter('W', inode, (uint64_t)at, bytes, (size_t)written);
  return written;
}

static int note(char what, int fd, uint64_t offset, int result) {
  ino_t inode = record >= 0 && result == 0 ? inode_of(fd) : 0;
  if (inode) enter(what, inode, offset, NULL, 0);
  return result;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t length);
ssize_t __wrap_write(int fd, const void *bytes, size_t length) {
  begin();
  off_t at = lseek(fd, 0, SEEK_CUR);
  bool failed = at >= 0 && fails_to_write("write", &length); /* into a file, not a pipe */
  ssize_t written = failed ? -1 : note_write(fd, bytes, __real_write(fd, bytes, length), at);
  end();
  return written;
}

#define PWRITE(name) \
  ssize_t __real_##name(int fd, const void *bytes, size_t length, off_t at); \
  ssize_t __wrap_##name(int fd, const void *bytes, size_t length, off_t at); \
  ssize_t __wrap_##name(int fd, const void *bytes, size_t length, off_t at) { \
    begin(); \
    bool failed = fails_to_write(#name, &length); \
    ssize_t written = failed ? -1 : note_write(fd, bytes, __real_##name(fd, bytes, length, at), at); \
    end(); \
    return written; \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

#define TRUNCATE(name) \
  int __real_##name(int fd, off_t size); \
  int __wrap_##name(int fd, off_t size); \
  int __wrap_##name(int fd, off_t size) { \
    begin(); \
    int result = fails(#name) ? -1 : note('T', fd, (uint64_t)size, __real_##name(fd, size)); \
    end(); \
    return result; \
  }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define SYNC(name) \
  int __real_##name(int fd); \
  int __wrap_##name(int fd); \
  int __wrap_##name(int fd) { \
    begin(); \
    int result = fails("sync") ? -1 : note('S', fd, 0, __real_##name(fd)); \
    end(); \
    return result; \
  }
SYNC(fsync)
SYNC(fdatasync)

/* ---- Names ---- */

static int note_opened(const char *path, int flags, ino_t before, int fd) {
  if (record < 0 || fd < 0) return fd;
  if (!before) enter('C', inode_of(fd), 0, path, strlen(path));
  else if (flags & O_TRUNC) note('T', fd, 0, 0);
  return fd;
}

#define OPEN(name) \
  int __real_##name(const char *path, int flags, ...); \
  int __wrap_##name(const char *path, int flags, ...); \
  int __wrap_##name(const char *path, int flags, ...) { \
    va_list args; \
    va_start(args, flags); \
    unsigned mode = flags & O_CREAT ? va_arg(args, unsigned) : 0; \
    va_end(args); \
    begin(); \
    ino_t before = inode_at(path); \
    bool failed = before ? fails(#name) : flags & O_CREAT && fails_to_make(#name); \
    int fd = failed ? -1 : note_opened(path, flags, before, __real_##name(path, flags, mode)); \
    end(); \
    return fd; \
  }
OPEN(open)
OPEN(open64)

static int note_name(char what, const char *path, ino_t inode, int result) {
  if (record >= 0 && result == 0) enter(what, inode ? inode : inode_at(path), 0, path, strlen(path));
  return result;
}

int __real_mknod(const char *path, mode_t mode, dev_t device);
int __wrap_mknod(const char *path, mode_t mode, dev_t device);
int __wrap_mknod(const char *path, mode_t mode, dev_t device) {
  begin();
  int result = fails_to_make("mknod") ? -1 : note_name('C', path, 0, __real_mknod(path, mode, device));
  end();
  return result;
}

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode) {
  begin();
  int result = fails_to_make("mkdir") ? -1 : note_name('M', path, 0, __real_mkdir(path, mode));
  end();
  return result;
}

#define REMOVE(name, letter) \
  int __real_##name(const char *path); \
  int __wrap_##name(const char *path); \
  int __wrap_##name(const char *path) { \
    begin(); \
    ino_t inode = inode_at(path); \
    int result = inode && fails(#name) ? -1 : note_name(letter, path, inode, __real_##name(path)); \
    end(); \
    return result; \
  }
REMOVE(unlink, 'U')
REMOVE(rmdir, 'D')

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
  char both[8200];
  size_t first = strlen(from) + 1, second = strlen(to);
  begin();
  ino_t inode = inode_at(from);
  int result = fails("rename") ? -1 : __real_rename(from, to);
  if (record >= 0 && result == 0 && first + second < sizeof both) {
    memcpy(both, from, first);
    memcpy(both + first, to, second);
    enter('R', inode, 0, both, first + second);
  }
  end();
  return result;
}

int __real_link(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);
int __wrap_link(const char *from, const char *to) {
  begin();
  int result = fails_to_make("link") ? -1 : note_name('L', to, 0, __real_link(from, to));
  end();
  return result;
}

bool disk_record(const char *path) {
  int fd = __real_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  begin();
  record = fd;
  end();
  return fd >= 0;
}

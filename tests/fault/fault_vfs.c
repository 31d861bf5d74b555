/* fault_vfs.c - a SQLite file system whose operations fail, over the real one.
**
** It becomes the default, so the library opens its files through it without knowing. */
#include <errno.h>
#include <sqlite3.h>
#include <string.h>

#include "fault/fault.h"

typedef enum part { MAIN, WAL, JOURNAL, TEMP, SHM, PARTS } part;

typedef struct file {
  sqlite3_file base;
  part of;
  sqlite3_file *real; /* right behind this */
} file;

typedef enum operation {
  READ, WRITE, TRUNCATE, SYNC, SIZE, LOCK, SHM_MAP, SHM_LOCK, OPEN, REMOVE, ACCESS,
  OPERATIONS
} operation;

#define ON_EACH(word) {word " main", word " wal", word " journal", word " temp", word " shm"}

/* What it fails with, and its name for people. */
static const struct {
  int code;
  const char *names[PARTS];
} operations[OPERATIONS] = {
    [READ] = {SQLITE_IOERR_READ, ON_EACH("read")},
    [WRITE] = {SQLITE_IOERR_WRITE, ON_EACH("write")},
    [TRUNCATE] = {SQLITE_IOERR_TRUNCATE, ON_EACH("truncate")},
    [SYNC] = {SQLITE_IOERR_FSYNC, ON_EACH("sync")},
    [SIZE] = {SQLITE_IOERR_FSTAT, ON_EACH("size")},
    [LOCK] = {SQLITE_IOERR_LOCK, ON_EACH("lock")},
    [SHM_MAP] = {SQLITE_IOERR_SHMMAP, ON_EACH("map")},
    [SHM_LOCK] = {SQLITE_IOERR_SHMLOCK, ON_EACH("lock")},
    [OPEN] = {SQLITE_CANTOPEN, ON_EACH("open")},
    [REMOVE] = {SQLITE_IOERR_DELETE, ON_EACH("delete")},
    [ACCESS] = {SQLITE_IOERR_ACCESS, ON_EACH("look for")},
};

/* What failed because of the system leaves its error behind, too. */
static int failed(operation what) {
  errno = EIO;
  return operations[what].code;
}

/* The code to fail with, or SQLITE_OK. */
static int fault(operation what, part where) {
  const char *name = operations[what].names[where];
  if (fault_due(FAULT_IO, name)) return failed(what);
  if (what == SYNC && fault_due(FAULT_SYNC, name)) return failed(what);
  if (what == WRITE && fault_due(FAULT_FULL, name)) return SQLITE_FULL;
  if (what == READ && where == WAL && fault_due(FAULT_SHORT, name)) return SQLITE_IOERR_SHORT_READ;
  if ((what == LOCK || what == SHM_LOCK) && fault_due(FAULT_BUSY, name)) return SQLITE_BUSY;
  return SQLITE_OK;
}

static file *file_of(sqlite3_file *base) { return (file *)base; }
static sqlite3_file *real_of(sqlite3_file *base) { return file_of(base)->real; }
static const sqlite3_io_methods *methods_of(sqlite3_file *base) { return real_of(base)->pMethods; }

/* ---- Files ---- */

static int file_close(sqlite3_file *f) { return methods_of(f)->xClose(real_of(f)); }

static int file_read(sqlite3_file *f, void *to, int amount, sqlite3_int64 offset) {
  int code = fault(READ, file_of(f)->of);
  if (code == SQLITE_OK) return methods_of(f)->xRead(real_of(f), to, amount, offset);
  memset(to, 0, (size_t)amount);
  return code;
}

static int file_write(sqlite3_file *f, const void *from, int amount, sqlite3_int64 offset) {
  int code = fault(WRITE, file_of(f)->of);
  if (code == SQLITE_OK) return methods_of(f)->xWrite(real_of(f), from, amount, offset);
  methods_of(f)->xWrite(real_of(f), from, amount / 2, offset);
  return code;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size) {
  int code = fault(TRUNCATE, file_of(f)->of);
  return code != SQLITE_OK ? code : methods_of(f)->xTruncate(real_of(f), size);
}

/* No power is cut here, so nothing is really synced: that would take most of a test's time. */
static int file_sync(sqlite3_file *f, int flags) {
  (void)flags;
  return fault(SYNC, file_of(f)->of);
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size) {
  int code = fault(SIZE, file_of(f)->of);
  return code != SQLITE_OK ? code : methods_of(f)->xFileSize(real_of(f), size);
}

static int file_lock(sqlite3_file *f, int level) {
  int code = fault(LOCK, file_of(f)->of);
  return code != SQLITE_OK ? code : methods_of(f)->xLock(real_of(f), level);
}

static int file_unlock(sqlite3_file *f, int level) { return methods_of(f)->xUnlock(real_of(f), level); }

static int file_reserved(sqlite3_file *f, int *out) { return methods_of(f)->xCheckReservedLock(real_of(f), out); }

static int file_control(sqlite3_file *f, int op, void *arg) { return methods_of(f)->xFileControl(real_of(f), op, arg); }
static int file_sector(sqlite3_file *f) { return methods_of(f)->xSectorSize(real_of(f)); }
static int file_device(sqlite3_file *f) { return methods_of(f)->xDeviceCharacteristics(real_of(f)); }

static int file_shm_map(sqlite3_file *f, int region, int size, int extend, void volatile **out) {
  int code = fault(SHM_MAP, SHM);
  *out = NULL;
  return code != SQLITE_OK ? code : methods_of(f)->xShmMap(real_of(f), region, size, extend, out);
}

static int file_shm_lock(sqlite3_file *f, int offset, int n, int flags) {
  int code = flags & SQLITE_SHM_LOCK ? fault(SHM_LOCK, SHM) : SQLITE_OK; /* letting go never fails */
  return code != SQLITE_OK ? code : methods_of(f)->xShmLock(real_of(f), offset, n, flags);
}

static void file_shm_barrier(sqlite3_file *f) { methods_of(f)->xShmBarrier(real_of(f)); }
static int file_shm_unmap(sqlite3_file *f, int remove) { return methods_of(f)->xShmUnmap(real_of(f), remove); }

static int file_fetch(sqlite3_file *f, sqlite3_int64 offset, int amount, void **out) {
  return methods_of(f)->xFetch(real_of(f), offset, amount, out);
}

static int file_unfetch(sqlite3_file *f, sqlite3_int64 offset, void *page) {
  return methods_of(f)->xUnfetch(real_of(f), offset, page);
}

static const sqlite3_io_methods file_methods = {
    .iVersion = 3,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_device,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
    .xFetch = file_fetch,
    .xUnfetch = file_unfetch,
};

/* ---- The file system ---- */

static sqlite3_vfs *real_vfs;

static part part_of(int flags) {
  if (flags & SQLITE_OPEN_MAIN_DB) return MAIN;
  if (flags & SQLITE_OPEN_WAL) return WAL;
  return flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL) ? JOURNAL : TEMP;
}

/* By its name, for operations that have no more. */
static part part_named(const char *name) {
  size_t length = strlen(name);
  if (length > 4 && strcmp(name + length - 4, "-wal") == 0) return WAL;
  return length > 8 && strcmp(name + length - 8, "-journal") == 0 ? JOURNAL : MAIN;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags) {
  file *f = file_of(base);
  (void)vfs;
  f->base.pMethods = NULL;
  f->of = part_of(flags);
  f->real = (sqlite3_file *)(f + 1);
  int code = fault(OPEN, f->of);
  if (code == SQLITE_OK) code = real_vfs->xOpen(real_vfs, name, f->real, flags, out_flags);
  if (code == SQLITE_OK) f->base.pMethods = &file_methods;
  return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_directory) {
  int code = fault(REMOVE, part_named(name));
  (void)vfs;
  (void)sync_directory;
  return code != SQLITE_OK ? code : real_vfs->xDelete(real_vfs, name, 0);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *out) {
  int code = fault(ACCESS, part_named(name));
  (void)vfs;
  *out = 0;
  return code != SQLITE_OK ? code : real_vfs->xAccess(real_vfs, name, flags, out);
}

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *out) {
  (void)vfs;
  return real_vfs->xFullPathname(real_vfs, name, size, out);
}

bool fault_vfs_install(void) {
  static sqlite3_vfs vfs;
  real_vfs = sqlite3_vfs_find(NULL);
  if (!real_vfs) return false;
  vfs = *real_vfs; /* what is not replaced below does not look at its vfs */
  vfs.pNext = NULL;
  vfs.zName = "stele-fault";
  vfs.szOsFile = (int)sizeof(file) + real_vfs->szOsFile;
  vfs.xOpen = vfs_open;
  vfs.xDelete = vfs_delete;
  vfs.xAccess = vfs_access;
  vfs.xFullPathname = vfs_full_pathname;
  return sqlite3_vfs_register(&vfs, 1) == SQLITE_OK;
}

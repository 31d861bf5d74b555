/* fuzz_zstd.c - any bytes as a compressed file, read in rooms of several sizes. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/stream_zstd.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const size_t rooms[] = {1, 7, 4096, 65536};
  int fd = memfd_create("zstd", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
    const char *why = NULL;
    size_t total = 0;
    lseek(fd, 0, SEEK_SET);
    st_zstd *stream = st_zstd_open(fd);
    char *out = malloc(rooms[i]);
    for (;;) {
      ssize_t got = st_zstd_read(stream, out, rooms[i], &why);
      if (got < 0 && !why) abort();
      if (got <= 0 || (total += (size_t)got) > 1 << 20) break;
    }
    free(out);
    st_zstd_close(stream);
  }
  close(fd);
  return 0;
}

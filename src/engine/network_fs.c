/* network_fs.c - see network_fs.h. */
#include "engine/network_fs.h"

#include <libgen.h>
#include <stdio.h>
#include <sys/vfs.h>

bool st_on_network_fs(const char *path) {
  static const unsigned long kinds[] = {
      0x6969,     /* NFS */
      0x517B,     /* SMB */
      0xFF534D42, /* CIFS */
      0xFE534D42, /* SMB2 */
      0x01021997, /* 9p */
      0x65735546, /* FUSE: sshfs and the like */
      0x00C36400, /* Ceph */
      0x5346414F, /* AFS */
      0x47504653, /* GPFS */
      0x0BD00BD0, /* Lustre */
  };
  struct statfs found;
  char copy[4096];
  if (statfs(path, &found) != 0) {
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy) return false;
    if (statfs(dirname(copy), &found) != 0) return false;
  }
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (((unsigned long)found.f_type & 0xFFFFFFFF) == kinds[i]) return true;
  return false;
}

/* ignored.h - directories in which nothing is captured: those of capture.ignore_directories, and those with a file .stele-ignore in them
** or above them. */
#ifndef CLI_IGNORED_H
#define CLI_IGNORED_H

#include "settings.h"

bool ignored_directory(const settings *s, const char *path);

#endif

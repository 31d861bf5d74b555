/* places.c - see places.h. */
#include "places.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

const char *places_environment(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

const char *places_user(void) {
  const char *home = places_environment("HOME");
  if (home) return home;
  const struct passwd *user = getpwuid(getuid());
  return user && user->pw_dir && *user->pw_dir ? user->pw_dir : NULL;
}

char *places_expand(const char *path) {
  const char *user = strncmp(path, "~/", 2) == 0 ? places_user() : NULL;
  return user ? text_format("%s%s", user, path + 1) : text_format("%s", path);
}

char *places_home(void) {
  const char *data = places_environment("XDG_DATA_HOME");
  const char *user = places_user();
  if (data && data[0] == '/') return text_format("%s/stele", data); /* the standard: ignore a relative one */
  return user ? text_format("%s/.local/share/stele", user) : NULL;
}

char *places_config(void) {
  const char *config = places_environment("XDG_CONFIG_HOME");
  const char *user = places_user();
  if (config && config[0] == '/') return text_format("%s/stele/config.toml", config);
  return user ? text_format("%s/.config/stele/config.toml", user) : NULL;
}

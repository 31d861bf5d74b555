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

/* The user's own directory, or NULL. */
static const char *user_directory(void) {
  const char *home = places_environment("HOME");
  if (home) return home;
  const struct passwd *user = getpwuid(getuid());
  return user && user->pw_dir && *user->pw_dir ? user->pw_dir : NULL;
}

char *places_expand(const char *path) {
  const char *user = strncmp(path, "~/", 2) == 0 ? user_directory() : NULL;
  return user ? text_format("%s%s", user, path + 1) : text_format("%s", path);
}

char *places_home(void) {
  const char *home = places_environment("STELE_HOME");
  const char *data = places_environment("XDG_DATA_HOME");
  const char *user = user_directory();
  if (home) return places_expand(home);
  if (data && data[0] == '/') return text_format("%s/stele", data); /* the standard: ignore a relative one */
  return user ? text_format("%s/.local/share/stele", user) : NULL;
}

void places_set(stele_place **places, size_t *count, const char *store, size_t length, const char *location) {
  stele_place *place = NULL;
  for (size_t i = 0; i < *count && !place; i++)
    if (strncmp((*places)[i].store, store, length) == 0 && !(*places)[i].store[length]) place = &(*places)[i];
  if (place) {
    free((char *)place->location);
  } else {
    *places = text_need(realloc(*places, (*count + 1) * sizeof **places));
    place = &(*places)[(*count)++];
    *place = (stele_place){.store = text_need(strndup(store, length))};
  }
  place->location = places_expand(location);
}

void places_free(stele_place *places, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free((char *)places[i].store);
    free((char *)places[i].location);
  }
  free(places);
}

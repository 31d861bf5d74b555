/* places.h - where the files are: the user's directory, the home of the stores, the configuration. */
#ifndef CLI_PLACES_H
#define CLI_PLACES_H

/* A variable of the environment; NULL also when it is empty. */
const char *places_environment(const char *name);

/* The user's own directory, or NULL. */
const char *places_user(void);

/* A copy of a path, with a leading ~/ replaced by the user's directory. */
char *places_expand(const char *path);

/* Where the stores are if nobody says it: $XDG_DATA_HOME/stele, or ~/.local/share/stele, in new memory.  NULL: neither. */
char *places_home(void);

/* $XDG_CONFIG_HOME/stele/config.toml, or ~/.config/stele/config.toml, in new memory.  NULL: neither. */
char *places_config(void);

#endif

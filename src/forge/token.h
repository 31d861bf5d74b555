/* token.h - the token that the forge is asked with. */
#ifndef FORGE_TOKEN_H
#define FORGE_TOKEN_H

/* $STELE_GITHUB_TOKEN, $HIPPO_GITHUB_TOKEN, $GITHUB_TOKEN, or what `gh auth token` says for the host of that address; in new
** memory.  NULL: there is none.  It is shown to nobody. */
char *token_find(const char *api);

#endif

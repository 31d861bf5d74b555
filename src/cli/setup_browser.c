/* setup_browser.c - see setup.h: how browsers find `stele native-messaging-host`.
**
** A browser starts what a manifest in a directory of its own names, and hands it words of its own; so a script stands
** beside the manifest, with the words that are meant. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diff.h"
#include "file.h"
#include "places.h"
#include "setup.h"
#include "text.h"

#define SCRIPT_NAME "stele-native-messaging-host"
#define MANIFEST_NAME "stele.json" /* the name by which the extension asks for it */

/* As in web/extension/manifest.json: the second one follows from the key there. */
#define FIREFOX_EXTENSION "pages@stele"
#define CHROMIUM_EXTENSION "chrome-extension://nokopcgffbdnnbplldfllgffmbdnahdc/"

/* ---- Places ---- */

#ifdef __APPLE__
#define SUPPORT "Library/Application Support/"
#define FIREFOX SUPPORT "Mozilla/NativeMessagingHosts/"
#define CHROMIUM SUPPORT "Chromium/NativeMessagingHosts/"
#define CHROME SUPPORT "Google/Chrome/NativeMessagingHosts/"
#define CONFIGURED false
#else
#define FIREFOX ".mozilla/native-messaging-hosts/"
#define CHROMIUM "chromium/NativeMessagingHosts/"
#define CHROME "google-chrome/NativeMessagingHosts/"
#define CONFIGURED true /* below $XDG_CONFIG_HOME */
#endif

/* The script in a directory of the user's, or of where programs keep their configuration. */
static char *script_in(const char *directory, bool configuration) {
  const char *user = places_user(), *moved = configuration ? places_environment("XDG_CONFIG_HOME") : NULL;
  if (moved && moved[0] == '/') return text_format("%s/%s" SCRIPT_NAME, moved, directory);
  return user ? text_format("%s/%s%s" SCRIPT_NAME, user, configuration ? ".config/" : "", directory) : NULL;
}

char *setup_firefox(void) {
  return script_in(FIREFOX, false);
}

char *setup_chromium(void) {
  return script_in(CHROMIUM, CONFIGURED);
}

char *setup_chrome(void) {
  return script_in(CHROME, CONFIGURED);
}

/* A copy of a path, so many names shorter, and with another at its end. */
static char *beside(const char *path, int names, const char *other) {
  char *copy = text_format("%s", path), *result;
  for (int i = 0; i < names; i++) *strrchr(copy, '/') = '\0';
  result = text_format("%s%s", copy, other);
  free(copy);
  return result;
}

/* Has the browser a directory? */
bool setup_browser_there(const char *script) {
  char *directory = beside(script, 2, "");
  bool there = access(directory, F_OK) == 0;
  free(directory);
  return there;
}

/* ---- The script ---- */

char *setup_script(cli *c, const char *program) {
  char *words = setup_command_line(c, program);
  char *body = text_format("exec %s native-messaging-host\n", words);
  free(words);
  return body;
}

/* ---- The manifest ---- */

static char *manifest_text(const setup_target *target, const char *script) {
  bool firefox = strcmp(target->name, "firefox") == 0;
  char *path = text_need(text_quote(script));
  char *text = text_format("{\n"
                           "  \"name\": \"stele\",\n"
                           "  \"description\": \"Stele: the pages you read\",\n"
                           "  \"path\": %s,\n"
                           "  \"type\": \"stdio\",\n"
                           "  \"%s\": [\"%s\"]\n"
                           "}\n",
                           path, firefox ? "allowed_extensions" : "allowed_origins",
                           firefox ? FIREFOX_EXTENSION : CHROMIUM_EXTENSION);
  free(path);
  return text;
}

typedef struct manifest {
  char *script, *path;
  char *was, *text; /* as it is, or NULL, and as it should be */
} manifest;

static bool look(const setup_target *target, manifest *m) {
  size_t length;
  int error;
  *m = (manifest){.script = target->file()};
  if (!m->script || !text_valid(m->script)) return false;
  m->path = beside(m->script, 1, "/" MANIFEST_NAME);
  m->was = file_read(m->path, &length, &error);
  m->text = manifest_text(target, m->script);
  return true;
}

static void free_manifest(manifest *m) {
  free(m->script);
  free(m->path);
  free(m->was);
  free(m->text);
}

bool setup_manifest_there(const setup_target *target) {
  manifest m;
  bool there = look(target, &m) && m.was && strcmp(m.was, m.text) == 0 && access(m.script, X_OK) == 0;
  free_manifest(&m);
  return there;
}

static int write_manifest(const manifest *m, bool put) {
  if (!put) return !m->was || unlink(m->path) == 0 ? 0 : errno;
  int error = chmod(m->script, 0700) == 0 ? 0 : errno;
  return error ? error : file_write(m->path, m->text, strlen(m->text), NULL);
}

int setup_manifest(cli *c, const setup_target *target, bool put, bool run) {
  manifest m;
  int error = look(target, &m) ? 0 : EILSEQ, status = 0; /* JSON is UTF-8 */
  bool same = m.was && m.text && strcmp(m.was, m.text) == 0;
  if (!error && !run && !(put && same)) diff_print(&c->out, m.path, m.was, put ? m.text : NULL);
  if (!error && run) error = write_manifest(&m, put);
  if (error) {
    char *message = text_format("%s cannot be written: %s", m.path ? m.path : "the manifest", strerror(error));
    status = out_failure(&c->out, &(stele_failure){STELE_IO, "", "", message, ""});
    free(message);
  }
  free_manifest(&m);
  return status;
}

/* find_services.c - units, containers, images, databases and hosts, by what the programs that speak to them take. */
#include "enrich/find.h"
#include "enrich/letters.h"

/* The arguments of a command, without its options. */
typedef struct arguments {
  const st_simple *command;
  size_t at;
  const char *valued; /* options whose value is the next word */
} arguments;

static bool is_plain(const st_word *word) {
  if (word->expands || word->redirects || word->text.length == 0) return false;
  for (size_t i = 0; i < word->text.length; i++)
    if (!st_is_alnum(word->text.bytes[i]) && !strchr("._-/@:", word->text.bytes[i])) return false;
  return true;
}

static const st_word *next(arguments *a) {
  while (a->at < a->command->count) {
    const st_word *word = &a->command->words[a->at++];
    if (word->redirects) continue;
    if (word->text.length && word->text.bytes[0] == '-') {
      if (st_text_listed(word->text, a->valued)) a->at++;
      continue;
    }
    return word;
  }
  return NULL;
}

/* The value of an option, as -h db, --host db or --host=db; NULL: it is not there. */
static bool option(const st_simple *command, size_t first, const char *names_of, st_text *out) {
  for (size_t i = first; i < command->count; i++) {
    st_text word = command->words[i].text;
    size_t equals = st_text_find(word, '=');
    if (!st_text_listed((st_text){word.bytes, equals}, names_of)) continue;
    if (equals < word.length) *out = st_text_from(word, equals + 1);
    else if (i + 1 < command->count && is_plain(&command->words[i + 1])) *out = command->words[i + 1].text;
    else continue;
    return true;
  }
  return false;
}

static void add_unit(st_names *names, st_text unit) {
  static const char *const kinds[] = {".service", ".socket", ".timer"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (st_text_ends(unit, kinds[i])) unit.length -= strlen(kinds[i]);
  st_names_add(names, ST_NAME_SERVICE, unit);
}

static void find_systemd(st_names *names, const st_simple *command, size_t first) {
  arguments a = {command, first + 1, " -n -t --type --state -H -M "};
  const st_word *verb = next(&a);
  if (!verb || !st_text_listed(verb->text, " start stop restart reload status enable disable mask unmask is-active is-enabled is-failed try-restart "
                                           "kill edit cat show "))
    return;
  for (const st_word *word; (word = next(&a)) != NULL;)
    if (is_plain(word)) add_unit(names, word->text);
}

static void find_containers(st_names *names, const st_simple *command, size_t first) {
  arguments a = {command, first + 1, " -f -p --file -e --env -v --volume -p --publish --name --network -w --workdir -u --user -t --tag --tail -n "
                                     "--context --since --mount --entrypoint --platform "};
  const st_word *verb = next(&a);
  st_text name;
  if (!verb) return;
  if (st_text_is(verb->text, "compose")) {
    verb = next(&a);
    if (!verb) return;
    if (st_text_listed(verb->text, " up restart logs exec stop start build run rm kill pull "))
      for (const st_word *word; (word = next(&a)) != NULL && is_plain(word);) {
        st_names_add(names, ST_NAME_SERVICE, word->text);
        if (st_text_listed(verb->text, " exec run ")) return;
      }
    return;
  }
  if (option(command, first, " --name ", &name)) st_names_add(names, ST_NAME_SERVICE, name);
  bool several = st_text_listed(verb->text, " stop start restart rm kill pull ");
  if (!several && !st_text_listed(verb->text, " run exec logs inspect attach push top stats ")) return;
  for (const st_word *word; (word = next(&a)) != NULL && is_plain(word);) {
    st_names_add(names, ST_NAME_SERVICE, word->text);
    if (!several) return;
  }
}

/* kubectl logs deployment/api, kubectl rollout restart deploy/api */
static void find_kubernetes(st_names *names, const st_simple *command, size_t first) {
  arguments a = {command, first + 1, " -n --namespace -f -l -c -o --context --tail --since "};
  for (const st_word *word; (word = next(&a)) != NULL;) {
    size_t slash = st_text_find(word->text, '/');
    if (!is_plain(word) || slash + 1 >= word->text.length) continue;
    if (st_text_listed((st_text){word->text.bytes, slash}, " deployment deploy service svc statefulset sts daemonset ds pod po job cronjob "))
      st_names_add(names, ST_NAME_SERVICE, st_text_from(word->text, slash + 1));
  }
}

static bool is_host(st_text text) {
  bool letter = false;
  for (size_t i = 0; i < text.length; i++) {
    if (!st_is_alnum(text.bytes[i]) && text.bytes[i] != '.' && text.bytes[i] != '-') return false;
    letter = letter || st_is_alnum(text.bytes[i]);
  }
  return letter && text.length > 1;
}

static st_text without_user(st_text text) {
  size_t at = st_text_find(text, '@');
  return at < text.length ? st_text_from(text, at + 1) : text;
}

static void find_ssh(st_names *names, const st_simple *command, size_t first) {
  arguments a = {command, first + 1, " -p -i -l -o -L -R -D -F -J -b -c -E -W "};
  const st_word *word = next(&a);
  if (word && !word->expands && is_host(without_user(word->text))) st_names_add(names, ST_NAME_HOST, without_user(word->text));
}

/* host:path is what scp and rsync copy from or to. */
static void find_copies(st_names *names, const st_simple *command, size_t first) {
  arguments a = {command, first + 1, " -P -i -o -e -F -l "};
  for (const st_word *word; (word = next(&a)) != NULL;) {
    size_t colon = st_text_find(word->text, ':');
    st_text host = without_user((st_text){word->text.bytes, colon});
    if (colon < word->text.length && !word->expands && is_host(host)) st_names_add(names, ST_NAME_HOST, host);
  }
}

/* Clients of databases: the server itself, and where it runs. */
static void find_database(st_names *names, const st_simple *command, size_t first, const char *service) {
  st_text host;
  st_names_add(names, ST_NAME_SERVICE, st_text_of(service));
  if (option(command, first, " -h --host ", &host) && is_host(host) && !st_text_listed(host, " localhost 127.0.0.1 "))
    st_names_add(names, ST_NAME_HOST, host);
}

void st_find_services(st_names *names, const st_simple *command, size_t first) {
  st_text tool = command->words[first].text, unit;
  if (st_text_is(tool, "systemctl")) find_systemd(names, command, first);
  if (st_text_is(tool, "journalctl") && option(command, first, " -u --unit ", &unit)) add_unit(names, unit);
  if (st_text_is(tool, "service") && command->count > first + 1 && is_plain(&command->words[first + 1]))
    add_unit(names, command->words[first + 1].text);
  if (st_text_listed(tool, " docker podman ")) find_containers(names, command, first);
  if (st_text_is(tool, "kubectl")) find_kubernetes(names, command, first);
  if (st_text_listed(tool, " ssh mosh ssh-copy-id ping ")) find_ssh(names, command, first);
  if (st_text_listed(tool, " scp rsync ")) find_copies(names, command, first);
  if (st_text_listed(tool, " psql pg_dump pg_restore createdb dropdb pg_isready ")) find_database(names, command, first, "postgresql");
  if (st_text_listed(tool, " mysql mysqldump mariadb ")) find_database(names, command, first, "mysql");
  if (st_text_is(tool, "redis-cli")) find_database(names, command, first, "redis");
  if (st_text_listed(tool, " mongosh mongo ")) find_database(names, command, first, "mongodb");
}

/* find_files.c - names of files, by their endings and well-known names. */
#include "enrich/find.h"
#include "enrich/letters.h"

enum { LOCATIONS_MAX = 16 << 10 }; /* bytes of an output that are looked at */

static const char ENDINGS[] =
    " a adoc bash bat bin bz2 c cc cfg cjs clj cmake conf cpp crt cs csproj css csv cts cu cxx dart db deb der diff dll dockerfile "
    "ejs el env erl ex exe exs fish fs gif go gql gradle graphql gz h hcl hh hpp hs htm html hxx ico ini ipynb java jar jpeg jpg js json json5 "
    "jsonc jsonl jsx key ko kt kts l less lock log lua m4 map markdown md mdx mjs mk ml mli mm mod mp3 mp4 mts nim nix o orig parquet patch "
    "pdf pem php pid pl plist pm png po properties proto ps1 pub py pyc pyi pyx qml r rb rej rpm rs rst s sass sbt scala scm scss sh so sock "
    "sql sqlite sqlite3 sum sv svelte svg swift tar tcl tex tf tfstate tfvars tgz tmpl toml ts tsv tsx ttf txt v vim vue wasm wav webp whl "
    "woff2 xlsx xml xz y yaml yml zig zip zsh zst ";

static const char NAMES[] =
    " .bash_profile .bashrc .clang-format .dockerignore .editorconfig .env .eslintrc .gitattributes .gitignore .gitmodules .npmrc .nvmrc "
    ".prettierrc .profile .tmux.conf .vimrc .zshenv .zshrc BUILD Brewfile CHANGELOG CODEOWNERS Caddyfile Dockerfile Gemfile Jenkinsfile Justfile "
    "LICENSE Makefile PKGBUILD Pipfile Procfile README Rakefile Taskfile Vagrantfile authorized_keys crontab fstab hosts justfile known_hosts "
    "makefile meson.build meson_options.txt sshd_config sudoers ";

/* Products and forms of speech that look like files. */
static const char NO_FILES[] =
    " alpine.js asp.net backbone.js chart.js d3.js discord.js e.g ember.js etc.md express.js i.e moment.js nest.js next.js node.js nuxt.js "
    "p5.js react.js socket.io three.js vue.js ";

static bool is_name_byte(char c) { return st_is_alnum(c) || (c && strchr("_./~+@%,=-[]#", c)) || (unsigned char)c >= 0x80; }

static bool is_word(st_text word) {
  for (size_t i = 0; i < word.length; i++)
    if (!is_name_byte(word.bytes[i])) return false;
  return true;
}

/* Quotes and punctuation around it, and :12, :12:5, (12,5) and #L12 behind it. */
static st_text strip(st_text word) {
  while (word.length && strchr("`'\"([{<*", word.bytes[0])) word = st_text_from(word, 1);
  size_t behind = 0;
  while (behind < word.length && word.bytes[behind] != ':' && word.bytes[behind] != '(') behind++;
  size_t digit = behind + 1;
  if (digit < word.length && st_is_digit(word.bytes[digit])) word.length = behind;
  for (;;) {
    while (word.length && strchr("`'\")]}>,;:!?*.", word.bytes[word.length - 1])) word.length--;
    const char *line = word.length ? memmem(word.bytes, word.length, "#L", 2) : NULL;
    if (!line) return word;
    word.length = (size_t)(line - word.bytes);
  }
}

static bool has_ending(st_text base) {
  size_t dot = base.length;
  while (dot > 0 && base.bytes[dot - 1] != '.') dot--;
  if (dot == 0 || dot == 1) return false; /* of .gitignore it is the name */
  return base.length - dot <= 10 && st_text_listed(st_text_from(base, dot), ENDINGS);
}

/* 1.2.so, v3.4.1.lock: of a name there must be a letter before the ending. */
static bool has_letter(st_text base) {
  for (size_t i = 0; i < base.length && base.bytes[i] != '.'; i++)
    if (!st_is_digit(base.bytes[i]) && base.bytes[i] != '-') return true;
  return base.length && base.bytes[0] == '.';
}

static bool is_listed(st_text base) { return st_text_listed(base, NAMES) || st_text_begins(base, "Dockerfile.") || st_text_begins(base, ".env."); }

/* In HEAD:src/a.c, host:a.c and --config=a.toml the file is what stands behind the sign. */
static st_text behind_sign(st_text word) {
  size_t colon = st_text_find(word, ':'), equals = st_text_find(word, '=');
  if (colon + 1 < word.length && colon > 0 && !st_is_digit(word.bytes[colon + 1])) return st_text_from(word, colon + 1);
  if (equals + 1 < word.length) return st_text_from(word, equals + 1);
  return word;
}

st_text st_file_named(st_text word) {
  static const st_text none = {"", 0};
  if (word.length < 2 || word.length > ST_NAME_MAX + 20 || memmem(word.bytes, word.length, "://", 3)) return none;
  if (word.bytes[0] == '@' || word.bytes[0] == '%') word = st_text_from(word, 1); /* curl -d @body.json */
  st_text file = strip(behind_sign(strip(word)));
  if (file.length == 0 || file.bytes[0] == '-' || file.bytes[0] == ',' || file.bytes[0] == '=' || !is_word(file)) return none;
  st_text base = st_path_base(file);
  if (memchr(file.bytes, '@', file.length) && !memchr(file.bytes, '/', file.length)) return none; /* react@18.js is a package */
  return is_listed(base) || (has_ending(base) && has_letter(base)) ? file : none;
}

st_text st_file_in_prose(st_text word) {
  st_text file = st_file_named(word);
  char small[16];
  if (file.length == 0 || memchr(file.bytes, '/', file.length)) return file;
  st_text base = st_path_base(file);
  if (!memchr(base.bytes, '.', base.length) && !st_text_listed(base, " Dockerfile Makefile Jenkinsfile Gemfile Rakefile ")) return (st_text){"", 0};
  if (base.length >= sizeof small) return file;
  for (size_t i = 0; i < base.length; i++) small[i] = (char)(st_is_upper(base.bytes[i]) ? base.bytes[i] + 32 : base.bytes[i]);
  return st_text_listed((st_text){small, base.length}, NO_FILES) ? (st_text){"", 0} : file;
}

/* Where compilers and tests say that it went wrong: src/a.c:12:5.  What others wrote (libraries) is left out. */
void st_find_locations(st_names *names, st_text text) {
  static const char *const others[] = {"node_modules/", "site-packages/", "/usr/", ".cargo/", ".rustup/", "/lib/python", "vendor/"};
  st_text token;
  if (text.length > LOCATIONS_MAX) text.length = LOCATIONS_MAX;
  while (st_text_token(&text, &token)) {
    st_text file = token.length > ST_NAME_MAX ? (st_text){"", 0} : st_file_named(token);
    const char *behind = file.bytes + file.length;
    bool placed = file.length && behind + 1 < token.bytes + token.length && (*behind == ':' || *behind == '(') && st_is_digit(behind[1]);
    for (size_t i = 0; placed && i < sizeof others / sizeof *others; i++) placed = !st_text_has(file, others[i]);
    if (placed) st_names_add(names, ST_NAME_FILE, file);
  }
}

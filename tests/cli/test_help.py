#!/usr/bin/env python3
"""The help of every command and method, on the terminal and as man pages; what shells complete.  Prints TAP."""

import os
import shlex
import subprocess
import sys

from place import BIN, Place, has, in_terminal, main, same, some, test

BUILD = os.environ.get("STELE_TEST_BUILD", os.path.dirname(BIN or ""))


def commands(place):
    return place.run("help", "--json").reply()["commands"]


@test("help: an overview with every command and option, by help, --help and -h")
def _():
    with Place() as place:
        done = place.run("help")
        same((done.status, done.err), (0, ""))
        for command in commands(place):
            has(done.out, f"\n  stele {command['name']}")
        for option in place.run("help", "--json").reply()["options"]:
            has(done.out, " ".join(filter(None, (option["name"], option["value"]))))
        same(place.run("--help").out, done.out)
        same(place.run("-h").out, done.out)
        same(done.out.startswith("  stele tour"), True)
        same(os.listdir(place.path), [])


@test("help of each command: examples first, its usage, all its options; by help, --help and -h")
def _():
    with Place() as place:
        for command in some(commands(place)):
            name = command["name"]
            page = place.run("help", name)
            same((page.status, page.err), (0, ""))
            same(page.out.startswith(f"  {command['examples'][0]}\n"), True)
            has(page.out, f"\nusage: stele {name}", *(f"\n  {option['short'] + ', ' if option['short'] else ''}{option['name']}"
                                                      for option in command["options"]))
            same(place.run(name, "--help").out, page.out)
            same(place.run(name, "-h").out, page.out)
            same(place.run("help", name, "--json").reply(), command)
            for option in command["options"]:
                same(bool(option["doc"].strip()), True)
        same(os.listdir(place.path), [])


def command_lines(example):
    """The calls of stele in a line of a shell, as words."""
    lexer = shlex.shlex(example, posix=True, punctuation_chars="|<>")
    lexer.whitespace_split = True
    words = []
    for word in [*lexer, "|"]:
        if word not in ("|", "<", ">"):
            words.append(word)
        else:
            if words[:1] == ["stele"]:
                yield words[1:]
            words = []


@test("every example of the help is a command line that is understood")
def _():
    with Place() as place:
        everything = place.run("help", "--json").reply()
        common = {option["name"] for option in everything["options"]}
        for command in some(everything["commands"]):
            lines = [words for example in command["examples"] for words in command_lines(example)]
            same((command["name"], any(command["name"] in words for words in lines)), (command["name"], True))
            for words in lines:
                # With --help behind it nothing is done, but the options are read as in earnest.
                done = place.run(*[word for word in words if word != "--"], "--help")
                same((words, done.status, done.err), (words, 0, ""))
                taken = common | {option["name"] for option in command["options"]}
                if command["name"] in words:
                    same([word for word in words if word.startswith("--") and word.split("=")[0] not in taken], [])
        same(os.listdir(place.path), [])


@test("what is unknown: did you mean, and exit status 2")
def _():
    with Place() as place:
        for words, near in ((["serach", "x"], "search"), (["search", "--sorted", "x"], "--sort"), (["call", "stele.versio"], "stele.version"),
                            (["help", "telemetry.create_sesion"], "telemetry.create_session"), (["help", "serch"], "search"),
                            (["token", "creat", "x"], "create"), (["redact", "tset"], "test"), (["completion", "bahs"], "bash"),
                            (["backup", "telemtry"], "telemetry"), (["schema", "conversatoin"], "conversation"),
                            (["methods", "sever"], "server")):
            done = place.run(*words)
            same((words, done.status, done.out), (words, 2, ""))
            has(done.err, f"did you mean {near}?")
        for command in some(commands(place)):
            done = place.run(command["name"], "--xyzzy")
            same((command["name"], done.status, done.out), (command["name"], 2, ""))
            has(done.err, "there is no option --xyzzy")


@test("help fits the terminal")
def _():
    with Place() as place:
        for words in [["help"], ["help", "search"], ["search", "-h"], ["help", "conversation.append_message"], ["methods"]]:
            for columns in (60, 80, 132):
                status, shown = in_terminal(place, *words, "--no-color", columns=columns)
                same(status, 0)
                lines = [line for line in shown.splitlines() if len(line) > columns and not line.startswith("  stele")]
                same(lines, [])


@test("man pages: of the program, of each command, of all methods; without a warning")
def _():
    with Place() as place:
        methods = place.run("methods", "--json").reply()
        pages = {"man1/stele.1", "man7/stele-methods.7"} | {f"man1/stele-{c['name']}.1" for c in commands(place)}
        found = {f"{section}/{name}" for section in ("man1", "man7") for name in os.listdir(os.path.join(BUILD, "docs", section))}
        same(found, pages)
        for page in some(sorted(pages)):
            path = os.path.join(BUILD, "docs", page)
            done = subprocess.run(["groff", "-man", "-ww", "-k", "-Tutf8", "-P-cbou", path], capture_output=True, text=True, timeout=60)
            same((page, done.returncode, done.stderr), (page, 0, ""))
            has(done.stdout, "NAME", "EXAMPLES" if page.startswith("man1") else "DESCRIPTION")
            if page == "man7/stele-methods.7":
                for method in methods:
                    has(done.stdout, method["name"])
        source = place.run("help", "search", "--man").out
        with open(os.path.join(BUILD, "docs", "man1", "stele-search.1"), encoding="utf-8") as file:
            same(file.read(), source)
        same(place.run("help", "telemetry.create_session", "--man").out.startswith('.TH "telemetry.create_session" "7"'), True)


# ---- Completion --------------------------------------------------------------------------------

def fill(place):
    for name in ("alpha_1", "alpha_2", "beta"):
        place.call("conversation.create_session", {"session_id": name, "source": "cli"}).reply()
    place.call("conversation.set_session_title", {"session_id": "beta", "title": "The other\none"})


def words_of(place, *words):
    return [line.split("\t")[0] for line in place.run("completion", "words", "--", *words).out.splitlines()]


@test("completion: what can stand where")
def _():
    with Place() as place:
        fill(place)
        all_commands = [command["name"] for command in commands(place)]
        same(words_of(place, ""), all_commands)
        same(words_of(place, "sea"), ["search"])
        same(words_of(place, "show", "al"), ["alpha_2", "alpha_1"])
        same(words_of(place, "--home", place.at("none"), "show", ""), [])
        same(words_of(place, "show", "--home", place.at("none"), ""), [])
        same(words_of(place, "delete", "alpha_1", "b"), ["beta"])
        same(words_of(place, "search", "x", "--sort", ""), ["rank", "newest", "oldest"])
        same(words_of(place, "search", "x", "--sort=n"), ["--sort=newest"])
        same(words_of(place, "search", "x", "--sor"), ["--sort"])
        same(words_of(place, "search", "--session", "be"), ["beta"])
        same(words_of(place, "search", "--", "--so"), [])
        same("--sort" in words_of(place, "sessions", "--"), False)
        same("--home" in words_of(place, "--"), True)
        same(words_of(place, "call", "telemetry.create_s"), ["telemetry.create_session"])
        same(words_of(place, "backup", "t"), ["telemetry"])
        same(words_of(place, "schema", "t"), ["telemetry"])
        same(words_of(place, "--store", "t"), ["telemetry="])
        same(words_of(place, "token", ""), ["create", "list", "revoke", "pub"])
        same(words_of(place, "token", "pub", "be"), ["beta"])
        same(words_of(place, "token", "list", ""), [])
        same(words_of(place, "redact", ""), ["test", "rules", "apply"])
        same(words_of(place, "completion", "z"), ["zsh"])
        same(words_of(place, "import", ""), [":file", "auto"])
        same(words_of(place, "nothing", ""), [])
        same(place.run("completion", "words", "--", "show", "bet").out, "beta\tThe other one\n")
        for option in (option for command in commands(place) for option in command["options"]):
            same(bool(option["name"].startswith("--")), True)


@test("completion makes nothing, and is silent about what is wrong")
def _():
    with Place() as place:
        for words in (["show", ""], ["--store", "conversation=/nowhere/x", "show", ""], ["--database", "nonsense", "show", ""]):
            same(place.run("completion", "words", "--", *words).status, 0)
        same(os.listdir(place.path), [])


def shell(place, *words):
    """Run a shell that knows stele by its name."""
    os.makedirs(place.at("bin"), exist_ok=True)
    if not os.path.exists(place.at("bin", "stele")):
        os.symlink(BIN, place.at("bin", "stele"))
    env = place.environment({"PATH": place.at("bin") + os.pathsep + os.environ["PATH"]})
    os.makedirs(env["HOME"], exist_ok=True)
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, cwd=place.path)
    same((done.returncode, done.stderr), (0, ""))
    return done.stdout


@test("completion in bash")
def _():
    with Place() as place:
        fill(place)
        script = """
            source <(stele completion bash)
            complete -p stele
            try() {
              COMP_LINE=$1 COMP_POINT=${#1}
              shift
              COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
              _stele
              echo "${COMPREPLY[*]}"
            }
            try 'stele sea' stele sea
            try 'stele show al' stele show al
            try 'stele search x --sort ' stele search x --sort ''
            try 'stele search x --sort=n' stele search x --sort = n
            try 'stele search x --sort=' stele search x --sort =
            try 'stele import bi' stele import bi
        """
        same(shell(place, "bash", "-c", script).splitlines(),
             ["complete -F _stele stele", "search", "alpha_2 alpha_1", "rank newest oldest", "newest", "rank newest oldest", "bin"])


@test("completion in zsh")
def _():
    with Place() as place:
        fill(place)
        # _describe and _files are zsh's own; here they say what they were given.
        script = r"""
            autoload -U compinit; compinit -D -u
            source <(stele completion zsh)
            echo ${_comps[stele]}
            _describe() { local -a given; given=("${(@P)${@[-1]}}"); print -l -- $given }
            _files() { echo files }
            try() { words=("$@"); CURRENT=$#; PREFIX=${@[-1]}; IPREFIX=; _stele; }
            try stele sea
            try stele show al
            try stele import ''
        """
        shown = shell(place, "zsh", "-f", "-c", script)
        same(shown.splitlines(), ["_stele", "search:find what was said, done, noted or read", "alpha_2:", "alpha_1:", "auto:", "files"])


@test("completion in fish")
def _():
    with Place() as place:
        fill(place)
        script = "stele completion fish | source; for line in 'stele sea' 'stele show al' 'stele search --sort=n' 'stele import bi'; " \
                 "complete -C $line; end"
        shown = [line.split("\t")[0] for line in shell(place, "fish", "--no-config", "-c", script).splitlines()]
        same(shown, ["search", "alpha_2", "alpha_1", "--sort=newest", "bin/"])


if __name__ == "__main__":
    sys.exit(main())

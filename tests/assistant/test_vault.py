#!/usr/bin/env python3
"""The vault from the outside: tokens are exchanged with Python's cryptography, keys are exchanged, tokens are tampered
with, and what is secret is looked for wherever it must not be.  Prints TAP."""

import json
import os
import pty
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
import place as cli  # noqa: E402
from assistant import fernet  # noqa: E402
from method import doors  # noqa: E402
from place import Place, has, lacks, main, same, test  # noqa: E402
from python import interpreter  # noqa: E402
from serve.server import serving  # noqa: E402

OLD, NEW, OTHER = ("b2xkIGtleSBvZiB0aGlydHktdHdvIGJ5dGVzLCB5ZXM=", "bmV3IGtleSBvZiB0aGlydHktdHdvIGJ5dGVzLCB5ZXM=",
                   "b3RoZXIga2V5LCBvZiB0aGlydHktdHdvIGJ5dGVzISE=")
SEED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
USER, PASSWORD = "bob.the.user@navette.example", "correct-horse ü battery"


class Vault:
    """The C API on one home, opened with whatever keys one asks for."""

    def __init__(self, home):
        self.home = home
        self.player = doors.Player()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.player.__exit__(*(_ or (None,)))

    def ask(self, keys, *calls):
        """(word, reply) of each (method, arguments)."""
        options = {"home": self.home, **({"vault_keys": keys} if keys is not None else {})}
        requests = [("call", f"assistant.{method}", json.dumps(args)) for method, args in calls]
        return self.player.ask(("open", json.dumps(options)), *requests, ("close",))[1:-1]

    def call(self, keys, method, **args):
        [(word, reply)] = self.ask(keys, (method, args))
        same((method, word, reply if word == "error" else None), (method, "ok", None))
        return reply

    def refusal(self, keys, method, **args):
        [(word, reply)] = self.ask(keys, (method, args))
        same((method, word), (method, "error"))
        return reply


def home():
    """A directory of the test's own, gone afterwards."""
    return doors.Sqlite()


def entry(vault, service="navette"):
    return vault.call(None, "get_vault_entry", service=service)


def login(vault, keys, service="navette"):
    reply = vault.call(keys, "vault_get", service=service)
    return reply["username"], reply["password"]


# ---- Tokens ------------------------------------------------------------------------------------

@test("what Stele encrypts, Python's cryptography decrypts")
def _():
    with home() as homes, Vault(homes.new()["home"]) as vault:
        texts = ["", "x", "a" * 15, "a" * 16, "a" * 17, PASSWORD, "雪" * 1000]
        for number, text in enumerate(texts):
            vault.call(OLD, "vault_put", service=str(number), username=USER, password=text, totp_seed=SEED)
        kept = [entry(vault, str(number)) for number in range(len(texts))]
        same(fernet.decrypt([OLD], *(row["password_enc"] for row in kept)), texts)
        same(fernet.decrypt([OLD], kept[0]["username_enc"], kept[0]["totp_seed_enc"]), [USER, SEED])
        same(fernet.decrypt([NEW], kept[0]["username_enc"]), [None])


@test("what Python's cryptography encrypts, Stele decrypts")
def _():
    with home() as homes, Vault(homes.new()["home"]) as vault:
        texts = ["", "x", "a" * 15, "a" * 16, "a" * 17, PASSWORD, "雪" * 1000]
        for number, token in enumerate(fernet.encrypt([NEW], *texts)):
            vault.call(None, "save_vault_entry", service=str(number), username_enc=token, password_enc=token)
            same(login(vault, f"{OLD},{NEW}", str(number)), (texts[number], texts[number]))
        [seed] = fernet.encrypt([NEW], SEED)
        vault.call(None, "save_vault_entry", service="s", username_enc=seed, password_enc=seed, totp_seed_enc=seed)
        same(vault.call(NEW, "vault_totp", service="s", now=59), {"code": "287082", "valid_for": 1})


@test("a token that was changed anywhere, cut or lengthened is refused, and nothing of it is told")
def _():
    with home() as homes, Vault(homes.new()["home"]) as vault:
        [token] = fernet.encrypt([OLD], PASSWORD)
        changed = [token[:i] + ("A" if token[i] != "A" else "B") + token[i + 1:] for i in range(len(token))]
        changed += [token[:i] for i in range(0, len(token), 7)] + [token + "A", token + "=", token + "\n", " " + token, token * 2]
        calls = []
        for each in changed:
            calls += [("save_vault_entry", {"service": "s", "username_enc": token, "password_enc": each}),
                      ("vault_get", {"service": "s"})]
        answers = vault.ask(OLD, *calls)[1::2]
        for each, (word, reply) in zip(changed, answers, strict=True):
            same((each, word, reply.get("message")), (each, "error", "assistant.vault_get: no vault key opens the password of s"))
        same({json.dumps(reply) for _, reply in answers}, {json.dumps(answers[0][1])})


# ---- Keys --------------------------------------------------------------------------------------

@test("keys are exchanged: a new one comes first, everything is encrypted with it, the old one goes")
def _():
    with home() as homes, Vault(homes.new()["home"]) as vault:
        for service in ("a", "b"):
            vault.call(OLD, "vault_put", service=service, username=USER, password=service, totp_seed=SEED)
        [stranger] = fernet.encrypt([OTHER], PASSWORD)
        vault.call(None, "save_vault_entry", service="c", username_enc=stranger, password_enc=stranger)
        before = entry(vault, "c")
        same(login(vault, f"{NEW} {OLD}", "a"), (USER, "a"))
        same(vault.call(f"{NEW}\n{OLD}", "vault_rotate"), {"rotated": 2, "unreadable": ["c"]})
        for service in ("a", "b"):
            same(login(vault, NEW, service), (USER, service))
            same(vault.call(NEW, "vault_totp", service=service, now=59)["code"], "287082")
            same(vault.refusal(OLD, "vault_get", service=service)["code"], "DENIED")
            same(fernet.decrypt([NEW], entry(vault, service)["totp_seed_enc"]), [SEED])
        same(entry(vault, "c"), before)


@test("without a key, with a wrong one, with what is none: an error that says what to do, and never the key")
def _():
    with home() as homes, Vault(homes.new()["home"]) as vault:
        vault.call(OLD, "vault_put", service="s", username=USER, password=PASSWORD, totp_seed=SEED)
        for keys, told in ((None, "no vault key was given"), ("", "vault key 1 is not a Fernet key"),
                           ("hunter2-is-no-key", "vault key 1 is not a Fernet key"),
                           (f"{OLD},{NEW[:-1]}", "vault key 2 is not a Fernet key"),
                           (NEW, "no vault key opens")):
            for method, args in (("vault_get", {"service": "s"}), ("vault_totp", {"service": "s"}),
                                 *([] if keys == NEW else [("vault_rotate", {}),
                                                           ("vault_put", {"service": "s", "username": USER, "password": PASSWORD})])):
                reply = vault.refusal(keys, method, **args)
                same((reply["code"], told in reply["message"], bool(reply["hint"])), ("DENIED", True, True))
                lacks(json.dumps(reply), OLD, NEW, NEW[:-1], "hunter2", USER, PASSWORD)
            same(vault.call(keys, "list_vault_services"), [{"service": "s"}])


@test("the command line, the server and Python take the keys from VAULT_MASTER_KEY")
def _():
    with Place() as place:
        made = place.run("vault", "key").out.strip()
        env = {"VAULT_MASTER_KEY": made}
        args = {"service": "s", "username": USER, "password": PASSWORD}
        place.call("assistant.vault_put", args, env=env).reply()
        same(place.call("assistant.vault_get", {"service": "s"}, env=env).reply()["password"], PASSWORD)
        for wrong in (None, "", "no key at all", OTHER):
            done = place.call("assistant.vault_get", {"service": "s"}, "--json", env={"VAULT_MASTER_KEY": wrong})
            lacks(str(done.error(1, "DENIED")), "no key at all", OTHER)
        same(place.run("sessions", env={"VAULT_MASTER_KEY": "of another program"}).status, 0)
        program = ("import sys, stele\n"
                   "print(stele.open(sys.argv[1]).assistant.vault_get(service='s')['password'])\n"
                   "print(stele.open(sys.argv[1], vault_keys=sys.argv[2]).assistant.vault_get(service='s')['password'])\n"
                   "try: stele.open(sys.argv[1], vault_keys=None).assistant.vault_get(service='s')\n"
                   "except stele.DeniedError as error: print(error.hint)\n")
        done = subprocess.run([sys.executable, "-c", program, place.home, made], stdout=subprocess.PIPE, encoding="utf-8",
                              env=interpreter.environment(VAULT_MASTER_KEY=made, PYTHONIOENCODING="utf-8"))
        same(done.stdout.splitlines(), [PASSWORD, PASSWORD, "set VAULT_MASTER_KEY; `stele vault key` makes a key"])


# ---- The command -------------------------------------------------------------------------------

@test("stele vault: a login goes in by standard input and comes out; what is not said of it stays")
def _():
    with Place() as place:
        env = {"VAULT_MASTER_KEY": OLD}
        put = place.run("vault", "put", "navette", "navette.example", text=f"{USER}\n{PASSWORD}\n{SEED}\n".encode(), env=env)
        same((put.status, put.err), (0, ""))
        lacks(put.out, PASSWORD, USER)
        same(place.run("vault", "get", "navette", "--json", env=env).reply(),
             {"service": "navette", "domains": "navette.example", "username": USER, "password": PASSWORD, "has_totp": True})
        has(place.run("vault", "get", "navette", env=env).out, f"username  {USER}\n", f"password  {PASSWORD}\n")
        same(place.run("vault", "put", "navette", text=f"{USER}\nnew\n".encode(), env=env).status, 0)
        reply = place.run("vault", "get", "navette", "--json", env=env).reply()
        same((reply["password"], reply["domains"], reply["has_totp"]), ("new", "navette.example", True))
        same(len(place.run("vault", "totp", "navette", "--json", env=env).reply()["code"]), 6)
        same(place.run("vault", "rotate", "--json", env={"VAULT_MASTER_KEY": f"{NEW},{OLD}"}).reply(),
             {"rotated": 1, "unreadable": []})
        same([row["service"] for row in place.run("vault", "list", "--json").reply()], ["navette"])


@test("stele vault: what is missing or wrong is told")
def _():
    with Place() as place:
        env = {"VAULT_MASTER_KEY": OLD}
        has(place.run("vault", "put", "s", text=b"bob\n", env=env).err, "the password is missing")
        has(place.run("vault", "put", "s", text=b"", env=env).err, "the user name is missing")
        has(place.run("vault", "put", "s", text=b"bob\n\xff\xfe\n", env=env).err, "the password is not UTF-8")
        done = place.run("vault", "put", "s", text=b"bob\nhunter2\nno-seed!\n", env=env)
        has(done.err, "totp_seed: it is neither base32")
        lacks(done.err, "hunter2", "no-seed!")
        same(place.run("vault", "get", "s", "--json", env=env).error(1, "NOTFOUND")["field"], "service")
        has(place.run("vault", "get", env=env).err, "usage: stele vault list | put SERVICE")
        has(place.run("vault", "put", "s", "d", PASSWORD, env=env).err, "too many arguments")


class Terminal:
    """The program on a terminal, with somebody who answers."""

    def __init__(self, place, *words, env):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen([cli.BIN, *words], env=place.environment(env), stdin=slave, stdout=slave, stderr=slave,
                                        start_new_session=True)
        os.close(slave)
        self.shown = ""

    def until(self, text):
        while text not in self.shown:
            self.shown += os.read(self.master, 4096).decode()

    def answer(self, question, line):
        self.until(question)
        os.write(self.master, line.encode() + b"\n")

    def end(self):
        try:
            while chunk := os.read(self.master, 4096):
                self.shown += chunk.decode()
        except OSError:  # the other side is closed
            pass
        os.close(self.master)
        return self.process.wait(60)


@test("stele vault put: a terminal does not show what is typed")
def _():
    with Place() as place:
        env = {"VAULT_MASTER_KEY": OLD}
        terminal = Terminal(place, "vault", "put", "navette", env=env)
        terminal.answer("user name: ", USER)
        terminal.answer("password: ", PASSWORD)
        terminal.answer("one-time codes, if there is one: ", SEED)
        same(terminal.end(), 0)
        has(terminal.shown, USER)
        lacks(terminal.shown, PASSWORD, SEED)
        same(place.run("vault", "get", "navette", "--json", env=env).reply()["password"], PASSWORD)


# ---- Where nothing secret may be ---------------------------------------------------------------

def files_below(directory):
    for path, _, names in os.walk(directory):
        for name in names:
            full = os.path.join(path, name)
            if os.path.isfile(full):
                with open(full, "rb") as file:
                    yield full, file.read()


def forms(secret):
    """The ways in which a text may stand in a file."""
    return {secret.encode(), json.dumps(secret)[1:-1].encode(), secret.encode("utf-16-le")}


def leaks(secrets, texts):
    """(where, which) of every secret in (where, bytes)."""
    return [(where, secret) for where, data in texts for secret in secrets if any(form in data for form in forms(secret))]


@test("no file of the home, no log, no audit, no figure and no error has what is secret")
def _():
    env = {"VAULT_MASTER_KEY": f"{OLD},{NEW}"}
    secrets = [OLD, NEW, PASSWORD, USER, SEED, "wrong-seed-9!", "hunter2hunter2"]
    with serving(settings="audit=on,logs=on,log_requests=on,record=1,jobs=1", env=env) as server:
        told = []

        def post(method, body, headers=None):
            answer = server.post("/v1/" + method.replace(".", "/", 1), body if isinstance(body, str) else json.dumps(body), headers)
            told.append((f"answer to {method}", (answer.text + str(answer.headers)).encode()))
            return answer

        seed = f"otpauth://totp/navette?digits=8&secret={SEED}"
        login = {"service": "navette", "username": USER, "password": PASSWORD, "totp_seed": seed, "domains": "navette.example"}
        server.call("assistant.vault_put", **login)
        reply = server.call("assistant.vault_get", service="navette")
        same((reply["username"], reply["password"]), (USER, PASSWORD))
        secrets.append(server.call("assistant.vault_totp", service="navette", now=59)["code"])
        post("assistant.vault_rotate", {})
        post("assistant.list_vault_meta", {})
        post("assistant.vault_put", {**login, "totp_seed": "wrong-seed-9!"})
        post("assistant.vault_put", {**login, "password": ["hunter2hunter2"]})
        post("assistant.vault_put", {**login, "session_id": "s", "passwort": "hunter2hunter2"})
        post("assistant.vault_put", '{"service":"s","password":"hunter2hunter2')
        post("assistant.vault_put", {**login, "service": None})
        same(post("assistant.vault_get", {"service": "navette"}, {"Idempotency-Key": "again"}).status, 400)
        same(post("assistant.vault_put", login, {"Idempotency-Key": "again"}).status, 400)
        server.call("stele.backup", store="assistant")
        for path in ("/metrics", "/v1/status", "/openapi.json"):
            told.append((path, server.get(path).text.encode()))
        command = open(f"/proc/{server.process.pid}/cmdline", "rb").read()
        for words in (["config"], ["config", "--json"], ["status", "--json"], ["vault", "list", "--json"]):
            done = subprocess.run([cli.BIN, "--home", server.home, *words], env={**os.environ, **env}, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            told.append((" ".join(words), done.stdout))
        server.stop()
        audit = [line for path, data in files_below(os.path.join(server.home, "audit")) for line in data.decode().splitlines()]
        put = json.loads(next(line for line in audit if '"assistant.vault_put"' in line))["arguments"]
        same(put, {"service": "navette", "domains": "navette.example", **dict.fromkeys(("username", "password", "totp_seed"), {"secret": True})})
        texts = [*files_below(server.home), ("log", "".join(server.lines).encode()), ("command line", command), *told]
        has(" ".join(path for path, _ in texts), "assistant.db", "audit", "server.log")
        same(leaks(secrets, texts), [])


@test("a search for secrets finds one that is there")
def _():
    same(leaks(["ü secret"], [("a", "x ü secret".encode()), ("b", b"\\u00fc secret"), ("c", b"nothing")]),
         [("a", "ü secret"), ("b", "ü secret")])


@test("a reply is kept nowhere: what was decrypted is not in the store's file, even right after the call")
def _():
    with home() as homes, Vault(homes.new()["home"]) as vault:
        vault.call(OLD, "vault_put", service="s", username=USER, password=PASSWORD, totp_seed=SEED)
        [(_, got), _] = vault.ask(OLD, ("vault_get", {"service": "s"}), ("vault_totp", {"service": "s"}))
        same(got["password"], PASSWORD)
        same(leaks([USER, PASSWORD, SEED, OLD], files_below(vault.home)), [])


@test("methods with secrets are no tools of MCP, whatever the profile")
def _():
    with serving(env={"VAULT_MASTER_KEY": OLD}) as server:
        server.call("assistant.vault_put", service="s", username=USER, password=PASSWORD)

        def ask(method, params):
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            return server.post("/mcp?profile=all", json.dumps(message), {"MCP-Protocol-Version": "2025-11-25"}).text
        listed, cursor = [], None
        while True:
            reply = json.loads(ask("tools/list", {"cursor": cursor} if cursor else {}))["result"]
            listed += [tool["name"] for tool in reply["tools"]]
            cursor = reply.get("nextCursor")
            if not cursor:
                break
        same([name for name in listed if "vault" in name],
             [name for name in listed if name in ("assistant.list_vault_services", "assistant.list_vault_meta",
                                                  "assistant.delete_vault_entry", "assistant.vault_rotate")])
        same(len([name for name in listed if "vault" in name]), 4)
        answer = ask("tools/call", {"name": "assistant.vault_get", "arguments": {"service": "s"}})
        has(answer, "there is no tool assistant.vault_get")
        lacks(answer, PASSWORD)


@test("what is secret needs the rights of an administrator")
def _():
    with serving(env={"VAULT_MASTER_KEY": OLD}) as server:
        server.call("assistant.vault_put", service="s", username=USER, password=PASSWORD)
        token = server.call("server.create_token", name="w", scopes=["assistant:write"])["token"]
        for method, args in (("vault_get", {"service": "s"}), ("vault_totp", {"service": "s"}), ("get_vault_entry", {"service": "s"}),
                             ("vault_rotate", {}), ("delete_vault_entry", {"service": "s"}),
                             ("save_vault_entry", {"service": "s", "username_enc": "u", "password_enc": "p"}),
                             ("vault_put", {"service": "s", "username": "u", "password": "p"})):
            answer = server.post(f"/v1/assistant/{method}", json.dumps(args), token=token)
            same((method, answer.status), (method, 403))
            lacks(answer.text, USER, PASSWORD)
        same(server.post("/v1/assistant/list_vault_services", "{}", token=token).status, 200)


@test("several threads of a server have the keys")
def _():
    with serving(env={"VAULT_MASTER_KEY": OLD}) as server:
        found = []

        def work(number):
            connection = server.connect()
            for method, args in (("vault_put", {"service": str(number), "username": USER, "password": str(number)}),
                                 ("vault_get", {"service": str(number)})):
                connection.request("POST", f"/v1/assistant/{method}", json.dumps(args), {"Authorization": f"Bearer {server.token}"})
                reply = json.loads(connection.getresponse().read())
            found.append(reply.get("password", str(reply)))
            connection.close()
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        same(sorted(found), [str(number) for number in range(8)])


if __name__ == "__main__":
    sys.exit(main())

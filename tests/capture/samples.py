"""Secrets made up at run time, one kind per built-in rule, so that none is kept in the repository; the
places in which they turn up; and texts that hold none."""

import base64
import json
import os
import string
import subprocess

HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"


def some(random, alphabet, count):
    """Random characters, at first, last and in between of every kind that a service would use."""
    while True:
        text = "".join(random.choice(alphabet) for _ in range(count))
        kinds = {(c.isdigit(), c.isupper()) for c in text if c.isalnum()}
        wanted = {(c.isdigit(), c.isupper()) for c in alphabet if c.isalnum()}
        if text[0].isalnum() and text[-1].isalnum() and (count < 8 or kinds == wanted):
            return text


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def jwt(random):
    head = base64url(json.dumps({"alg": random.choice(["HS256", "RS256"]), "typ": "JWT"}).encode())
    body = base64url(json.dumps({"sub": some(random, ALNUM, 12), "iat": random.randint(1, 10**9)}).encode())
    return f"{head}.{body}.{some(random, URLSAFE, 43)}"


def private_key(random, kind="RSA ", newline="\n"):
    lines = [some(random, BASE64, 64) for _ in range(6)] + [some(random, BASE64, 22) + "=="]
    return newline.join([f"-----BEGIN {kind}PRIVATE KEY-----", *lines, f"-----END {kind}PRIVATE KEY-----"])


def pgp_block(random):
    lines = [some(random, BASE64, 64) for _ in range(6)]
    return "\n".join(["-----BEGIN PGP PRIVATE KEY BLOCK-----", "Version: 1", "", *lines, "=" + some(random, ALNUM, 4),
                      "-----END PGP PRIVATE KEY BLOCK-----"])


def discord(random):
    number = str(random.randint(10**17, 10**18 - 1)).encode()
    return f"{base64url(number)}.{some(random, URLSAFE, 6)}.{some(random, URLSAFE, 27)}"


# Rule: (the secret, and the text that it needs around it, with {} in its place)
TOKENS = {
    "aws-access-key-id": lambda r: r.choice(["AKIA", "ASIA", "ABIA", "AROA"]) + some(r, UPPER, 16),
    "gcp-api-key": lambda r: "AIza" + some(r, URLSAFE, 35),
    "google-oauth-token": lambda r: "ya29." + some(r, URLSAFE, 60),
    "google-oauth-secret": lambda r: "GOCSPX-" + some(r, URLSAFE, 28),
    "google-refresh-token": lambda r: "1//0" + some(r, URLSAFE, 60),
    "azure-client-secret": lambda r: some(r, ALNUM, 3) + "8Q~" + some(r, ALNUM, 34),
    "digitalocean-token": lambda r: r.choice(["dop", "doo", "dor"]) + "_v1_" + some(r, HEX, 64),
    "heroku-key": lambda r: "HRKU-" + some(r, URLSAFE, 40),
    "cloudflare-origin-key": lambda r: "v1.0-" + some(r, HEX, 24) + "-" + some(r, HEX, 146),
    "fly-token": lambda r: "fo1_" + some(r, URLSAFE, 43),
    "vault-token": lambda r: r.choice(["hvs", "hvb"]) + "." + some(r, URLSAFE, 90),
    "terraform-token": lambda r: some(r, ALNUM, 14) + ".atlasv1." + some(r, ALNUM, 67),
    "databricks-token": lambda r: "dapi" + some(r, HEX, 32),
    "doppler-token": lambda r: "dp.pt." + some(r, ALNUM, 43),
    "pulumi-token": lambda r: "pul-" + some(r, HEX, 40),
    "tailscale-key": lambda r: "tskey-auth-" + some(r, ALNUM, 12) + "-" + some(r, ALNUM, 24),
    "planetscale-token": lambda r: "pscale_tkn_" + some(r, URLSAFE, 43),
    "supabase-key": lambda r: "sbp_" + some(r, HEX, 40),
    "netlify-token": lambda r: "nfp_" + some(r, ALNUM, 40),
    "github-token": lambda r: r.choice(["ghp_", "gho_", "ghu_", "ghs_", "ghr_"]) + some(r, ALNUM, 36),
    "github-fine-grained-token": lambda r: "github_pat_" + some(r, ALNUM, 22) + "_" + some(r, ALNUM, 59),
    "gitlab-token": lambda r: r.choice(["glpat-", "gldt-", "glrt-", "glptt-"]) + some(r, URLSAFE, 20),
    "atlassian-token": lambda r: "ATATT3xFfGF0" + some(r, URLSAFE, 170) + "=" + some(r, UPPER, 8),
    "npm-token": lambda r: "npm_" + some(r, ALNUM, 36),
    "stele-token": lambda r: "stele_" + some(r, HEX, 64),
    "pypi-token": lambda r: "pypi-AgEIcHlwaS5vcmc" + some(r, URLSAFE, 150),
    "rubygems-key": lambda r: "rubygems_" + some(r, HEX, 48),
    "docker-token": lambda r: "dckr_pat_" + some(r, URLSAFE, 27),
    "circleci-token": lambda r: "CCIPAT_" + some(r, ALNUM, 22) + "_" + some(r, HEX, 40),
    "postman-key": lambda r: "PMAK-" + some(r, HEX, 24) + "-" + some(r, HEX, 34),
    "sentry-token": lambda r: "sntryu_" + some(r, HEX, 64),
    "newrelic-key": lambda r: "NRAK-" + some(r, UPPER, 27),
    "grafana-token": lambda r: "glsa_" + some(r, ALNUM, 32) + "_" + some(r, HEX, 8),
    "dynatrace-token": lambda r: "dt0c01." + some(r, UPPER, 24) + "." + some(r, UPPER, 64),
    "anthropic-key": lambda r: "sk-ant-api03-" + some(r, URLSAFE, 93) + "AA",
    "openai-key": lambda r: r.choice(["sk-proj-", "sk-svcacct-"]) + some(r, URLSAFE, 74),
    "openrouter-key": lambda r: "sk-or-v1-" + some(r, HEX, 64),
    "openai-legacy-key": lambda r: "sk-" + some(r, ALNUM, 48),
    "huggingface-token": lambda r: "hf_" + some(r, ALNUM, 34),
    "groq-key": lambda r: "gsk_" + some(r, ALNUM, 52),
    "replicate-token": lambda r: "r8_" + some(r, ALNUM, 37),
    "perplexity-key": lambda r: "pplx-" + some(r, ALNUM, 48),
    "xai-key": lambda r: "xai-" + some(r, ALNUM, 80),
    "slack-token": lambda r: f"xox{r.choice('abprs')}-{r.randint(10**11, 10**12)}-{r.randint(10**11, 10**12)}-" + some(r, ALNUM, 24),
    "slack-app-token": lambda r: "xapp-1-A" + some(r, UPPER, 10) + f"-{r.randint(10**12, 10**13)}-" + some(r, HEX, 64),
    "discord-token": discord,
    "twilio-key": lambda r: r.choice(["SK", "AC"]) + some(r, HEX, 32),
    "sendgrid-key": lambda r: "SG." + some(r, URLSAFE, 22) + "." + some(r, URLSAFE, 43),
    "mailgun-key": lambda r: "key-" + some(r, HEX, 32),
    "mailchimp-key": lambda r: some(r, HEX, 32) + f"-us{r.randint(1, 21)}",
    "stripe-key": lambda r: r.choice(["sk_live_", "rk_live_"]) + some(r, ALNUM, 24),
    "stripe-webhook-secret": lambda r: "whsec_" + some(r, ALNUM, 32),
    "square-token": lambda r: "sq0atp-" + some(r, URLSAFE, 22),
    "square-access-token": lambda r: "EAAA" + some(r, URLSAFE, 60),
    "shopify-token": lambda r: "shpat_" + some(r, HEX, 32),
    "linear-key": lambda r: "lin_api_" + some(r, ALNUM, 40),
    "notion-token": lambda r: r.choice(["ntn_", "secret_"]) + some(r, ALNUM, 43),
    "figma-token": lambda r: "figd_" + some(r, URLSAFE, 40),
    "contentful-token": lambda r: "CFPAT-" + some(r, URLSAFE, 43),
    "age-secret-key": lambda r: "AGE-SECRET-KEY-1" + some(r, BECH32, 58),
    "jwt": jwt,
}

# Secrets that are found by what is around them: the rule, the secret, the text with {} in its place.
PLACED = [
    ("azure-storage-key", lambda r: some(r, BASE64, 86) + "==",
     "DefaultEndpointsProtocol=https;AccountName=store;AccountKey={};EndpointSuffix=core.windows.net"),
    ("azure-storage-key", lambda r: some(r, BASE64, 43) + "=",
     "Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={}"),
    ("azure-sas", lambda r: some(r, ALNUM, 43) + "%3D",
     "https://store.blob.core.windows.net/box/file.txt?sv=2022-11-02&se=2026-01-01&sr=b&sp=r&sig={}"),
    ("slack-webhook", lambda r: "T" + some(r, UPPER, 8) + "/B" + some(r, UPPER, 8) + "/" + some(r, ALNUM, 24),
     "curl -X POST https://hooks.slack.com/services/{} -d '{{}}'"),
    ("discord-webhook", lambda r: some(r, URLSAFE, 68), "https://discord.com/api/webhooks/112233445566778899/{}"),
    ("telegram-bot-token", lambda r: "AA" + some(r, URLSAFE, 33), "https://api.telegram.org/bot987654321:{}/getMe"),
    ("sentry-dsn", lambda r: some(r, HEX, 32), "SENTRY_DSN=https://{}@o12345.ingest.sentry.io/678"),
    ("authorization-header", lambda r: some(r, ALNUM, 32), "curl -H 'Authorization: Bearer {}' https://host/api"),
    ("authorization-header", lambda r: some(r, ALNUM, 24), '{{"headers": {{"Authorization": "Token {}"}}}}'),
    ("bearer-token", lambda r: some(r, ALNUM, 32), "the header says bearer {} and so on"),
    ("basic-credentials", lambda r: base64.b64encode(f"bob:{some(r, ALNUM, 12)}".encode()).decode(),
     "Authorization: Basic {}"),
    ("session-cookie", lambda r: some(r, ALNUM, 32), "Cookie: theme=dark; sessionid={}; lang=en"),
    ("session-cookie", lambda r: some(r, HEX, 40), "Set-Cookie: connect.sid={}; Path=/; HttpOnly"),
    ("session-cookie", lambda r: some(r, UPPER, 32), "cookie: JSESSIONID={}"),
    ("url-password", lambda r: some(r, ALNUM, 12), "DATABASE_URL=postgres://bob:{}@db.internal:5432/shop"),
    ("url-password", lambda r: some(r, ALNUM, 9), "mongodb+srv://bob:{}@cluster0.abcde.mongodb.net/?w=majority"),
    ("url-password", lambda r: some(r, ALNUM, 16), "redis://:{}@cache:6379/0"),
    ("url-password", lambda r: some(r, string.ascii_lowercase, 10), "amqp://bob:{}@queue/vhost"),
    ("url-password", lambda r: some(r, ALNUM, 16), "git clone https://bob:{}@git.internal/project.git"),
    ("url-password", lambda r: some(r, ALNUM, 16), "mysql://bob:{}@127.0.0.1/shop"),
    ("curl-user", lambda r: some(r, ALNUM, 12), "curl -s -u bob:{} https://host/api"),
    ("netrc-password", lambda r: some(r, ALNUM, 12), "machine host login bob password {}"),
    ("sshpass-password", lambda r: some(r, ALNUM, 12), "sshpass -p '{}' ssh bob@host"),
    ("private-key", private_key, "{}"),
    ("private-key", lambda r: private_key(r, ""), "here it is:\n{}\nkeep it"),
    ("private-key", lambda r: private_key(r, "EC "), "{}"),
    ("private-key", lambda r: private_key(r, "OPENSSH "), "cat > key <<E\n{}\nE"),
    ("private-key", lambda r: private_key(r, "ENCRYPTED "), "{}"),
    ("private-key", lambda r: private_key(r, "", "\\n"), '{{"type":"service_account","private_key":"{}"}}'),
    ("private-key", lambda r: private_key(r, "RSA ", "\\\\n"), '"{{\\"private_key\\":\\"{}\\"}}"'),
    ("private-key", lambda r: private_key(r).rsplit("\n", 2)[0], "{}"),  # cut off
    ("private-key", pgp_block, "{}"),
]

# Names that say what they hold, and how they get it.
NAMES = ["password", "DB_PASSWORD", "dbPassword", "admin_passwd", "api_key", "apiKey", "API-KEY", "X-Api-Key", "secret",
         "CLIENT_SECRET", "clientSecret", "aws_secret_access_key", "AWS_SESSION_TOKEN", "access_token", "authToken",
         "GITHUB_TOKEN", "SECRET_KEY", "private_key", "accessKey", "CLOUDFLARE_API_TOKEN", "credential", "passphrase",
         "SPRING_DATASOURCE_PASSWORD", "npm_config_authToken", "signing_key"]
ASSIGNMENTS = ["{name}={value}", "{name}: {value}", '{name} = "{value}"', "{name}='{value}'", '"{name}": "{value}"',
               "'{name}': '{value}'", "export {name}={value}", '{{\\"{name}\\": \\"{value}\\"}}', "{name}: '{value}',",
               'env["{name}"] = "{value}"', 'const {name} = "{value}";', '{name}: str = "{value}"',
               "https://host/path?x=1&{name}={value}&y=2", "docker run -e {name}={value} image", "--{name} {value}",
               "--{name}={value}", "<{name}>{value}</{name}>", "{name} := \"{value}\"", "{name} => '{value}'",
               "set {name}={value}\r\nnext", "jdbc:sqlserver://host;user=bob;{name}={value};encrypt=true",
               "a line\\n{name}={value}\\nanother"]

# Where a token that speaks for itself turns up.
CONTEXTS = ["{}", "export X={}", '{{"a": "{}"}}', "https://host/?q={}&x=1", "Header: {}", "run --with {} now",
            "one line\n{}\nanother", "'{}'", "`{}`", "({})", "x={};", "first\\n{}\\nlast", "- {}", "<a>{}</a>", "é{}ü", "a,{},b"]

# ---- Nothing to redact ----

PLACEHOLDERS = ["$PASSWORD", "${DB_PASSWORD}", "${{ secrets.X }}", "<your-api-key>", "xxxxxxxxxxxxxxxx", "changeme",
                "your_token_here", "YOUR_API_KEY", "********", "...", "None", "null", "true", "process.env.API_KEY",
                "os.environ['TOKEN']", "get_token()", "config.password", "self._token", "{{ vault_password }}", "%PASSWORD%",
                "/run/secrets/db", "./secrets/key.pem", "~/.ssh/id_ed25519", "C:\\\\keys\\\\key.pem", "string", "str",
                "value", "TOKEN", "api-key", "example", "hidden", "42", "1700000000", "12h", "Optional[str]", "&str",
                "await fetchToken(user)", "tokens[i]", "secrets.token_hex(16)", "input('Password: ')", "new_token_value",
                "userPassword", "b64decode(x)", "required", "oauth2", "sha256", "[REDACTED]", "[redacted]", "",
                "123e4567-e89b-12d3-a456-426614174000", "my-service-token-2", "prod/db/main", "arn:aws:iam::role/x"]
NEUTRAL = ["key=value", "cache_key: {sha}", "commit {sha}", "git show {sha}", "max_tokens: 4096", "token_count=1234567",
           "{uuid}", "request_id={uuid}", "session_id: {uuid}", "data:image/png;base64,{image}", "sha256:{sha}{sha24}",
           "integrity sha512-{image}", "etag: \"{sha}\"", "input_tokens: 123456, output_tokens: 789",
           "primary_key=('id', 'name')", "public_key_fingerprint: {sha}", "password_hash_rounds = 600000",
           "blob {image}", "see https://host:8080/path/@scope/name", "ssh://git@host:22/project.git",
           "docker run -u 1000:1000 image", "the token is invalid", "passwords must have 12 characters",
           "Basic authentication is off", "bearer authentication-required-for-this", "import secrets, tokenize",
           "author: Bob <bob@host>", "s3://bucket/key/with/parts", "pip install token-bucket==1.2.3", "x-request-id: {uuid}",
           "postgres://postgres:postgres@localhost/test", "postgres://user:password@host/db", "redis://localhost:6379/0",
           "mysql://$USER:$PASS@host/db", "https://{{user}}:{{pass}}@host", "eyJ is how a JWT begins", "sk-learn, task-runner",
           "-----BEGIN PRIVATE KEY-----", "-----BEGIN CERTIFICATE-----", "ghp_ is the prefix", "AKIAIOSFODNN7EXAMPLE",
           "assert token == expected_token_2", "if (password !== other.password) {{", "token: &'a str,", "auth = (user, pw)"]


def neutral(random):
    values = {"sha": some(random, HEX, 40), "sha24": some(random, HEX, 24), "image": some(random, BASE64, 400),
              "uuid": "-".join(some(random, HEX, n) for n in (8, 4, 4, 4, 12))}
    return [line.format(**values) for line in NEUTRAL]


def placeholders():
    forms = ["{name}={value}", "{name}: {value}", '{name} = {value}', '"{name}": "{value}"', "export {name}={value}",
             "--{name} {value}", "--{name}={value}"]
    return [form.format(name=name, value=value) for form in forms for name in NAMES for value in PLACEHOLDERS]


VERBS = ["Fix", "Add", "Remove", "Rename", "Speed up", "Document", "Test", "Revert", "Move", "Split"]
THINGS = ["token refresh", "the password form", "API key validation", "secret rotation", "auth middleware",
          "credential helper", "the login page", "session handling", "access-key docs", "JWT parser", "a flaky test",
          "the build", "error messages", "url parsing", "private key loading", "pass-through mode", "the tokenizer"]
REASONS = ["in the parser", "when the server restarts (#{n})", "for issue {n}", "after review", "on Windows",
           "without a password", "to v{n}.2", "so that tokens expire", "by key", "see commit {sha}"]
COMMANDS = ["git commit -m '{v} {t} {r}'", "grep -rn 'password' src/ | head -{n}", "export PATH=$PATH:/opt/tool{n}/bin",
            "curl -H \"Authorization: Bearer $TOKEN\" https://host/{n}", "docker build -t app:{n} --secret id=npm .",
            "kubectl get secret db-{n} -o yaml", "ssh -i ~/.ssh/id_rsa bob@host{n}", "python3 -m pytest -k token_{n}",
            "aws s3 cp s3://bucket/key{n} .", "openssl rand -hex {n}", "psql \"$DATABASE_URL\" -c 'select {n}'",
            "gh auth login --with-token < token.txt", "echo ${{API_KEY:?}} | wc -c", "vault kv get secret/app{n}"]


def commits(random, count):
    """Commit messages and commands, as people write them."""
    lines = []
    for n in range(count):
        values = {"v": random.choice(VERBS), "t": random.choice(THINGS), "n": random.randint(1, 999),
                  "sha": some(random, HEX, 40)}
        values["r"] = random.choice(REASONS).format(**values)
        lines.append(f"{values['v']} {values['t']} {values['r']}" if n % 2 else random.choice(COMMANDS).format(**values))
    return lines


# What shows, or tests, that a secret is seen.
WITH_SECRETS = {"test_driver_postgres.c", "test_totp.c", "security.md", "planner_learnings.txt", "assistant_audit.txt", "assistant_vault.txt", "capture_ingest.txt"}


def own_texts(source):
    """(path, text) of the project's own sources, tests and documents."""
    for directory, names, files in os.walk(source):
        names[:] = sorted(name for name in names if not name.startswith((".", "build", "node_modules", "__pycache__")))
        for name in sorted(files):
            if name in WITH_SECRETS:
                continue
            if name.endswith((".c", ".h", ".py", ".sql", ".md", ".txt", ".build")) or name in ("Makefile", "setup"):
                with open(os.path.join(directory, name), encoding="utf-8") as file:
                    yield os.path.join(directory, name), file.read()


def own_log(source):
    """The project's own commit messages, where there is a repository."""
    done = subprocess.run(["git", "-C", source, "log", "--format=%B"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode() if done.returncode == 0 else ""

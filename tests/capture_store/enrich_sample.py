"""Things that happened, and what there is to say about each: the sample on which enrichment is measured.

What is expected is what a careful reader would note, by the rules of docs/enrichment.md: programs with their verbs, but no builtins of the shell;
files, but no directories; what went wrong, if something did."""

NAMES = ("projects", "tools", "files", "services", "errors", "env_vars", "domains", "repos", "hosts")
SAMPLE = []


def _note(kind, outcome, names, **what):
    SAMPLE.append({"kind": kind, "outcome": outcome, **what,
                   "names": {each: [name for name in names.pop(each, "").split("; ") if name] for each in NAMES}})
    assert not names, names


def shell(commands, outcome, cwd="/", repo=None, **names):
    """Commands of a session: each a text, or (text, exit code[, stdout[, stderr]])."""
    rows = [(each, 0) if isinstance(each, str) else each for each in commands]
    _note("shell", outcome, names, cwd=cwd, repo=repo, commands=[(*row, *[None] * (4 - len(row))) for row in rows])


def segment(prompts, calls, answers, outcome, cwd="/", commits=(), **names):
    _note("agentic", outcome, names, cwd=cwd, prompts=list(prompts), calls=[list(each) for each in calls], answers=list(answers), commits=list(commits))


def page(url, title, outcome="unknown", query=None, text=None, **names):
    _note("browser", outcome, names, url=url, title=title, query=query, text=text)


def run(repo, conclusion, outcome, jobs=(), findings=(), log=None, **names):
    _note("workflow", outcome, names, repo=repo, conclusion=conclusion, jobs=list(jobs), findings=list(findings), log=log)


# ---- Commands ----

shell([("cargo test -p core", 101, "running 3 tests\nerror[E0425]: cannot find value `limit` in this scope\n  --> src/search/rank.rs:88:17\n")], "failure",
      cwd="/src/ada/finder", projects="finder", tools="cargo; cargo test", files="src/search/rank.rs", errors="E0425")
shell([("cargo build", 101, None, "error: linking with `cc` failed\n/usr/bin/ld: undefined reference to `deflate'"), "cargo build --features vendored"], "success",
      cwd="/src/ada/finder", projects="finder", tools="cargo; cargo build", errors="undefined reference")
shell(["git add -A && git commit -m 'Retry with back-off' && git push origin main"], "success", cwd="/src/ada/shop", repo="ada/shop",
      projects="shop", repos="ada/shop", tools="git; git add; git commit; git push")
shell([("git rebase main", 1, "Auto-merging src/app.ts\nCONFLICT (content): Merge conflict in src/app.ts\n", "error: could not apply 3f2a1bc"), "vim src/app.ts",
       "git add src/app.ts", "git rebase --continue"], "success", cwd="/src/ada/shop", repo="ada/shop", projects="shop", repos="ada/shop",
      tools="git; git rebase; git add; vim", files="src/app.ts", errors="merge conflict")
shell([("git push", 1, None, "! [rejected] main -> main (non-fast-forward)\nerror: failed to push some refs")], "failure", tools="git; git push", errors="non-fast-forward")
shell([("pytest tests/test_cart.py::test_total -x", 1, "E   AssertionError: assert 41 == 42\ntests/test_cart.py:17: AssertionError\n1 failed in 0.12s")], "failure",
      cwd="/src/ada/shop", projects="shop", tools="pytest", files="tests/test_cart.py", errors="AssertionError")
shell([("python -m pytest -q", 0, "....\n4 passed in 0.31s")], "success", cwd="/src/ada/shop", projects="shop", tools="python; pytest")
shell([("python3 manage.py migrate", 1, None, "Traceback (most recent call last):\n  File \"manage.py\", line 22, in <module>\n"
        "django.db.utils.OperationalError: could not connect to server: Connection refused")], "failure", cwd="/srv/web/shop", projects="shop",
      tools="python3", files="manage.py", errors="OperationalError; connection refused")
shell([("npm run build", 2, "src/api/client.ts(14,7): error TS2322: Type 'string' is not assignable to type 'number'.")], "failure", cwd="/src/lin/portal",
      projects="portal", tools="npm; npm run", files="src/api/client.ts", errors="TS2322")
shell([("npm install", 1, None, "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree"), ("npm install --legacy-peer-deps", 0)], "success",
      cwd="/src/lin/portal", projects="portal", tools="npm; npm install", errors="ERESOLVE")
shell([("node server.js", 1, None, "Error: listen EADDRINUSE: address already in use :::3000")], "failure", tools="node", files="server.js",
      errors="EADDRINUSE; address already in use")
shell(["make -j8 2>&1 | tail -5"], "success", cwd="/src/ada/finder", projects="finder", tools="make; tail")
shell([("make test | tee log.txt", 0, "ok 1 - opens\nnot ok 2 - closes\n")], "failure", cwd="/src/ada/finder", projects="finder", tools="make; tee", files="log.txt")
shell([("gcc -O2 -o tool src/tool.c", 1, None, "src/tool.c:12:5: error: expected ';' before 'return'"), "gcc -O2 -o tool src/tool.c", ("./tool", 139)], "failure",
      cwd="/src/ada/finder", projects="finder", tools="gcc", files="src/tool.c; ./tool", errors="SIGSEGV")
shell(["cmake -B build -DCMAKE_BUILD_TYPE=Release", "ninja -C build", "ctest --test-dir build"], "success", cwd="/src/ada/finder", projects="finder",
      tools="cmake; ninja; ctest")
shell([("shellcheck bin/deploy.sh", 1, "In bin/deploy.sh line 3:\nrm $dir\n   ^-- SC2086 (info): Double quote to prevent globbing.")], "failure",
      cwd="/src/ada/shop", projects="shop", tools="shellcheck", files="bin/deploy.sh", errors="SC2086")
shell([("go test ./...", 1, "--- FAIL: TestParse (0.00s)\n    parse_test.go:31: got 3, want 4\nFAIL\nFAIL\texample.org/calc\t0.004s")], "failure",
      cwd="/src/lin/calc", projects="calc", tools="go; go test", files="parse_test.go")
shell(["go build ./cmd/calc", "go vet ./..."], "success", cwd="/src/lin/calc", projects="calc", tools="go; go build; go vet")
shell([("docker compose up -d postgres", 0), ("docker logs shop-web --tail 50", 0), ("docker exec -it shop-web bash", 0)], "success", tools="docker; docker compose; docker logs; docker exec",
      services="postgres; shop-web")
shell([("docker run --rm -e POSTGRES_PASSWORD=[REDACTED] -p 5432:5432 --name pg postgres:16", 125, None, "docker: Error response from daemon: Conflict.")], "failure",
      tools="docker; docker run", services="pg; postgres:16", env_vars="POSTGRES_PASSWORD")
shell(["sudo systemctl restart nginx.service", "journalctl -u nginx -n 50 --no-pager"], "success", tools="systemctl; systemctl restart; journalctl", services="nginx")
shell([("sudo systemctl start redis-server", 5, None, "Failed to start redis-server.service: Unit redis-server.service not found.")], "failure",
      tools="systemctl; systemctl start", services="redis-server")
shell([("kubectl -n web rollout restart deployment/api", 0), ("kubectl -n web get pods", 0, "api-7d4 0/1 CrashLoopBackOff 3")], "success", tools="kubectl; kubectl rollout; kubectl get",
      services="api")
shell([("kubectl logs deploy/worker --tail=20", 1, None, "Error from server (NotFound): deployments.apps \"worker\" not found")], "failure", tools="kubectl; kubectl logs",
      services="worker")
shell(["psql -h db.example.net -U app -c 'select count(*) from orders'"], "success", tools="psql", services="postgresql", hosts="db.example.net")
shell(["pg_dump shop > backup.sql", "scp backup.sql ada@vault.example.org:/srv/backups/"], "success", tools="pg_dump; scp", files="backup.sql",
      services="postgresql", hosts="vault.example.org")
shell([("ssh deploy@web1.example.org 'uptime'", 255, None, "ssh: connect to host web1.example.org port 22: Connection timed out")], "failure", tools="ssh",
      hosts="web1.example.org", errors="connection timed out")
shell(["rsync -av --delete dist/ www.example.org:/var/www/html/"], "success", tools="rsync", hosts="www.example.org")
shell([("curl -fsS https://api.example.com/v1/health", 22, None, "curl: (22) The requested URL returned error: 503")], "failure", tools="curl", domains="api.example.com")
shell(["curl -s http://localhost:9200/_cat/indices"], "success", tools="curl", services="localhost:9200")
shell(["git clone git@github.com:ada/shop.git", "cd shop", "npm ci"], "success", tools="git; git clone; npm; npm ci", repos="ada/shop")
shell(["wget https://downloads.example.org/tool-1.2.tar.gz", "tar xzf tool-1.2.tar.gz", "cd tool-1.2 && ./configure --prefix=/opt/tool"], "success",
      tools="wget; tar", files="tool-1.2.tar.gz; ./configure", domains="downloads.example.org")
shell([("gti status", 127, None, "zsh: command not found: gti"), "git status"], "partial", tools="git; git status", errors="command not found")
shell([("cat /etc/nginx/sites-enabled/default", 0), ("sudo vim /etc/nginx/nginx.conf", 0), ("sudo nginx -t", 1, None, 'nginx: [emerg] unexpected "}" in /etc/nginx/nginx.conf:34')],
      "failure", tools="cat; vim; nginx", files="/etc/nginx/sites-enabled/default; /etc/nginx/nginx.conf")
shell([("rm /var/lib/app/lock.pid", 1, None, "rm: cannot remove '/var/lib/app/lock.pid': Permission denied")], "failure", tools="rm", files="/var/lib/app/lock.pid",
      errors="permission denied")
shell([("df -h", 0), ("dd if=/dev/zero of=fill.bin bs=1M", 1, None, "dd: error writing 'fill.bin': No space left on device")], "failure", tools="df; dd", files="fill.bin",
      errors="no space left on device")
shell(["export DATABASE_URL=postgres://app@db.internal:5432/shop", "alembic upgrade head"], "success", tools="alembic; alembic upgrade", env_vars="DATABASE_URL",
      services="postgresql")
shell(["RUST_LOG=debug RUST_BACKTRACE=1 cargo run -- --config conf/dev.toml"], "success", cwd="/src/ada/finder", projects="finder", tools="cargo; cargo run",
      files="conf/dev.toml", env_vars="RUST_LOG; RUST_BACKTRACE")
shell(["echo $AWS_PROFILE && aws s3 ls"], "success", tools="aws; aws s3", env_vars="AWS_PROFILE")
shell([("terraform apply -auto-approve", 1, None, "Error: creating EC2 Instance: UnauthorizedOperation\n  on main.tf line 12, in resource")], "failure",
      cwd="/src/lin/infra", projects="infra", tools="terraform; terraform apply")
shell(["for f in *.log; do gzip \"$f\"; done"], "success", tools="gzip")
shell(["grep -rn 'TODO' src/ | wc -l", ("grep -q nothing README.md", 1)], "success", cwd="/src/ada/finder", projects="finder", tools="grep; wc", files="README.md")
shell(["sed -i 's/foo.c/bar.c/' Makefile"], "success", cwd="/src/ada/finder", projects="finder", tools="sed", files="Makefile")
shell(["jq '.items[].name' reply.json > names.txt"], "success", tools="jq", files="reply.json; names.txt")
shell(["cat > notes.md <<'EOF'\nrun make && ./x.sh in /tmp\nEOF", "git add notes.md"], "success", tools="cat; git; git add", files="notes.md")
shell(["ls", "pwd", "cd .."], "unknown")
shell([("sleep 5", 130)], "unknown")
shell([("git log --oneline | head -3", 141)], "unknown", tools="git; git log; head")
shell([("mvn -q test", 1, "[ERROR] java.lang.NullPointerException: Cannot invoke \"Order.total()\"\n[ERROR] Tests run: 4, Failures: 1\nBUILD FAILURE")], "failure",
      cwd="/src/lin/billing", projects="billing", tools="mvn", errors="NullPointerException")
shell([("bundle exec rspec spec/models/user_spec.rb", 1, "NoMethodError: undefined method `name' for nil\n1 example, 1 failure")], "failure", cwd="/src/lin/crm",
      projects="crm", tools="bundle; bundle exec; rspec", files="spec/models/user_spec.rb", errors="NoMethodError")
shell([("uv run ruff check .", 1, "app/views.py:3:8: F401 `os` imported but unused\nFound 1 error."), ("uv run ruff check --fix .", 0), ("uv run ruff check .", 0)], "success",
      cwd="/src/ada/shop", projects="shop", tools="uv; uv run; ruff", files="app/views.py", errors="F401")
shell([("timeout 60 ./scripts/soak.sh", 124), ("sudo -E env PATH=$PATH ./scripts/soak.sh", 0)], "success", cwd="/src/ada/shop", projects="shop",
      files="./scripts/soak.sh", env_vars="PATH")
shell([("redis-cli -h cache.internal ping", 1, None, "Could not connect to Redis at cache.internal:6379: Name or service not known")], "failure", tools="redis-cli", services="redis",
      hosts="cache.internal")
shell([("java -jar build/libs/app.jar", 137)], "failure", tools="java", files="build/libs/app.jar", errors="SIGKILL")
shell(["brew install ripgrep fd", "rg -n 'fn main' -g '*.rs'"], "success", tools="brew; brew install; rg")
shell(["gh pr create --title 'Faster search' --body-file pr.md", "gh run watch"], "success", cwd="/src/ada/finder", repo="ada/finder", projects="finder", repos="ada/finder",
      tools="gh; gh pr; gh run", files="pr.md")

# ---- Commands that were written down after the rules were, as they are in histories ----

shell(["find . -name '*.orig' -delete", "git diff --stat HEAD~3 -- src/parser.y src/lexer.l"], "success", cwd="/src/eve/lang", projects="lang", tools="find; git; git diff",
      files="src/parser.y; src/lexer.l")
shell([("LD_LIBRARY_PATH=./build valgrind --leak-check=full ./build/tests/run_all 2> leaks.txt", 1, None, None)], "failure", cwd="/src/eve/lang", projects="lang", tools="valgrind",
      files="./build/tests/run_all; leaks.txt", env_vars="LD_LIBRARY_PATH")
shell(["cp .env.example .env && sed -i \"s#^SECRET_KEY=.*#SECRET_KEY=$(openssl rand -hex 32)#\" .env"], "success", cwd="/srv/web/blog", projects="blog", tools="cp; sed; openssl", files=".env.example; .env")
shell([("ansible-playbook -i hosts.ini site.yml --limit web2", 2, "fatal: [web2]: UNREACHABLE! => {\"msg\": \"Failed to connect to the host via ssh\"}")], "failure",
      tools="ansible-playbook", files="hosts.ini; site.yml", hosts="web2")
shell([("mysql -u root shop < dump.sql", 1, None, "ERROR 1064 (42000) at line 3: You have an error in your SQL syntax")], "failure", tools="mysql", files="dump.sql", services="mysql",
      errors="ERROR 1064")
shell(["while ! nc -z localhost 5432; do sleep 1; done; echo up"], "success", tools="nc", services="localhost:5432")
shell([("cd backend && ./gradlew test --info", 1, "com.example.CartTest > total FAILED\n    org.opentest4j.AssertionFailedError: expected: <3> but was: <4>\nBUILD FAILED in 12s")], "failure",
      cwd="/src/lin/store", projects="store", files="./gradlew", errors="AssertionFailedError")
shell(["tmux new -s build", "nohup python train.py --epochs 20 > train.log 2>&1 &"], "success", cwd="/src/eve/vision", projects="vision", tools="tmux; python", files="train.py; train.log")
shell([("python train.py", 1, None, "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")], "failure", cwd="/src/eve/vision", projects="vision", tools="python", files="train.py",
      errors="OutOfMemoryError; out of memory")
shell(["openssl s_client -connect mail.example.org:993 </dev/null | openssl x509 -noout -dates"], "success", tools="openssl", hosts="mail.example.org")
shell([("dotnet build src/Api/Api.csproj", 1, "src/Api/Startup.cs(12,9): error CS0246: The type or namespace name 'Foo' could not be found")], "failure", cwd="/src/lin/api", projects="api",
      tools="dotnet; dotnet build", files="src/Api/Api.csproj; src/Api/Startup.cs", errors="CS0246")
shell(["docker build -t registry.example.com/shop:1.4 .", "docker push registry.example.com/shop:1.4"], "success", cwd="/src/ada/shop", projects="shop",
      tools="docker; docker build; docker push", services="registry.example.com/shop:1.4")
shell([("vagrant up", 1, None, "The box 'debian/bookworm64' could not be found")], "failure", tools="vagrant")
shell(["helm upgrade --install ingress ingress-nginx/ingress-nginx -n web -f values/prod.yaml"], "success", tools="helm; helm upgrade", files="values/prod.yaml", services="ingress")
shell([("psql \"$DATABASE_URL\" -f migrations/0007_index.sql", 3, None, "psql:migrations/0007_index.sql:4: ERROR:  relation \"orders\" does not exist")], "failure", tools="psql",
      files="migrations/0007_index.sql", services="postgresql", env_vars="DATABASE_URL")
shell(["git stash", "git checkout -b fix/leak", "git stash pop", "git commit -am 'Free the arena'"], "success", cwd="/src/eve/lang", projects="lang",
      tools="git; git stash; git checkout; git commit")

# ---- Segments ----

segment(["Why does `cargo test` fail in src/store/lock.rs?"], [("Bash", "cargo test store"), ("Read", "/src/ada/finder/src/store/lock.rs"),
        ("Edit", "/src/ada/finder/src/store/lock.rs")],
        ["The problem was a deadlock: the guard was held across the await.", "I fixed the lock order. All tests pass."], "success", cwd="/src/ada/finder",
        projects="finder", tools="cargo; cargo test", files="src/store/lock.rs; /src/ada/finder/src/store/lock.rs")
segment(["Add pagination to the orders endpoint in app/api/orders.py"], [("Read", "app/api/orders.py"), ("Edit", "app/api/orders.py"), ("Bash", "pytest tests/api -q")],
        ["I've added limit and offset to the endpoint.", "The tests still fail with a ValidationError in tests/api/test_orders.py."], "failure", cwd="/src/ada/shop",
        projects="shop", tools="pytest", files="app/api/orders.py; tests/api/test_orders.py", errors="ValidationError")
segment(["Set up CI with GitHub Actions, see https://docs.github.com/actions"], [("Write", ".github/workflows/ci.yml"), ("Bash", "git push -u origin ci")],
        ["The workflow is in place and has been added to the repository."], "success", cwd="/src/lin/portal", commits=["Add a CI workflow"], projects="portal",
        tools="git; git push", files=".github/workflows/ci.yml", domains="docs.github.com")
segment(["The container crashes with `ECONNREFUSED` when it talks to Redis"], [("Bash", "docker logs portal-api"), ("Grep", "createClient in src/cache.ts")],
        ["`REDIS_URL` points to localhost inside the container."], "unknown", cwd="/src/lin/portal", projects="portal", tools="docker; docker logs", files="src/cache.ts",
        services="portal-api", errors="ECONNREFUSED", env_vars="REDIS_URL")
segment(["Let's use SQLite instead of JSON files because concurrent writers lose data."], [("Write", "/src/ada/notes/store.py")], ["Implemented the store on SQLite."], "success",
        cwd="/src/ada/notes", projects="notes", files="/src/ada/notes/store.py")
segment(["What does this project do?", "Thanks"], [("Read", "README.md"), ("Glob", "src/**/*.c")], ["It is a parser for logs, written with Node.js in mind."], "unknown", cwd="/src/ada/logs",
        projects="logs", files="README.md")

# ---- Pages ----

page("https://stackoverflow.com/questions/231767/yield", "python - TypeError: 'NoneType' object is not iterable - Stack Overflow", query="TypeError NoneType not iterable",
     domains="stackoverflow.com", errors="TypeError")
page("https://github.com/ada/finder/issues/12", "Search is slow on large stores · Issue #12 · ada/finder", domains="github.com", repos="ada/finder")
page("https://docs.python.org/3/library/sqlite3.html", "sqlite3 - DB-API 2.0 interface for SQLite databases", text="The sqlite3 module provides a SQL interface compliant with the DB-API 2.0 specification.",
     domains="docs.python.org")
page("https://nvd.nist.gov/vuln/detail/CVE-2024-3094", "NVD - CVE-2024-3094", domains="nvd.nist.gov", errors="CVE-2024-3094")

# ---- Runs ----

run("ada/shop", "failure", "failure", jobs=[("lint", "success"), ("test", "failure")], findings=[("failure", "ruff", "F401", "app/views.py", 3, "`os` imported but unused"),
    ("warning", None, None, None, None, "Node.js 16 actions are deprecated")], projects="shop", repos="ada/shop", tools="ruff", files="app/views.py", errors="F401")
run("ada/shop", "success", "success", jobs=[("lint", "success"), ("test", "success")], projects="shop", repos="ada/shop")
run("lin/calc", "failure", "failure", jobs=[("build", "failure")], log="panic: runtime error: index out of range\nexit status 2\nmake: *** [Makefile:4: test] Error 1", projects="calc",
    repos="lin/calc")
run("lin/calc", "cancelled", "unknown", jobs=[("build", "cancelled")], projects="calc", repos="lin/calc")

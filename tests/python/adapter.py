"""What the tests of the adapters share: their frameworks' stand-ins, both engines, and agents that are killed on their way."""

import itertools
import json
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PUBLISHED = os.path.join(HERE, "published")
ENGINES = ["sqlite"] if os.environ.get("STELE_WITHOUT_POSTGRES") == "1" else ["sqlite", "postgres"]
STEPS, KILLS = 40, 4
_numbers = itertools.count(1)


def with_published():
    """From here on, what is imported by the frameworks' names is what stands for them."""
    sys.path.insert(0, PUBLISHED)


def options(engine, place):
    """Arguments of an adapter, behind its own: an empty database."""
    if engine == "sqlite":
        return {"where": place}
    server = os.environ["STELE_TEST_POSTGRES"]
    schema = server + ("&" if "?" in server else "?") + f"schema=adapter_{os.getpid()}_{next(_numbers)}_"
    return {"where": place, "stores": {name: schema + name for name in ("conversation", "assistant", "server")}}


def opened(where):
    """The same database, for a look at what an adapter keeps in it."""
    import stele  # found once the interpreter was started anew
    return stele.open(where["where"], **{name: value for name, value in where.items() if name != "where"})


def each_engine(test, name):
    """A test that is given the options of an empty database, on each engine."""
    def keep(function):
        for engine in ENGINES:
            @test(f"{engine}: {name}")
            def _(place, engine=engine):
                function(options(engine, place))
        return function
    return keep


def python(program, *args, published=True, **more):
    """Start a program of its own with the package, with or without the frameworks."""
    path = [os.environ["STELE_TEST_PYTHON"], *([PUBLISHED] if published else [])]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    return subprocess.Popen([sys.executable, "-c", program, *args], stdout=subprocess.PIPE, text=True, env=env, **more)


def finished(process):
    out, _ = process.communicate(timeout=120)
    if process.returncode != 0:
        raise AssertionError(f"ended with {process.returncode}: {out}")
    return out.split()


def killed_on_its_way(program, where):
    """Run an agent that prints the number of each step it has done, killing it several times; it is started again until it
    is through.  Answers the steps it told of, in their order."""
    told = []
    for kill in range(KILLS):
        process = python(program, json.dumps(where), str(STEPS))
        for line in process.stdout:
            told.append(int(line))
            if told[-1] >= (kill + 1) * STEPS // (KILLS + 1):
                process.send_signal(signal.SIGKILL)  # wherever it is by now
                break
        told += map(int, process.stdout.read().split())  # told before it died
        process.stdout.close()
        process.wait()
    return told + [int(step) for step in finished(python(program, json.dumps(where), str(STEPS)))]

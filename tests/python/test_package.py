#!/usr/bin/env python3
"""The package as it is installed: built without a network, carrying the library, and where it looks for one.  Prints TAP."""

import ast
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from python import interpreter  # noqa: E402
from python.tap import main, same, test  # noqa: E402

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))
PATHS = "import stele, stele._library as l; print(l.path); print(stele.__file__); print(stele.open(':memory:').stele.version()['version'])"


def run(*command, env=None, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}")
    return done.stdout.split("\n")


def variables(**more):
    """Those of a user who knows nothing of the build directory."""
    env = interpreter.environment(**more)
    for name in ("PYTHONPATH", "STELE_LIBRARY"):
        if name not in more:
            env.pop(name)
    return env


@test("pip installs it without a network; the installed one carries its library")
def _(place):
    venv, env = os.path.join(place, "venv"), variables()
    env.pop("LD_PRELOAD", None)
    run(sys.executable, "-m", "venv", venv, env=env)
    python = os.path.join(venv, "bin", "python")
    run(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", os.path.join(SOURCE, "bindings", "python"),
        env={**env, "STELE_LIBRARY": interpreter.LIBRARY}, cwd=place)
    library, file, version, _ = run(python, "-c", PATHS, env=variables(), cwd=place)
    same(os.path.commonpath([library, file, venv]), venv)
    same(os.path.basename(library), "libstele.so")
    installed = run(python, "-m", "pip", "show", "--files", "--disable-pip-version-check", "stele", env=env, cwd=place)
    same([line for line in installed if line.startswith(("Name", "Version"))], ["Name: stele", f"Version: {version}"])
    for name in ("stele/py.typed", "stele/_stores.pyi", "stele/libstele.so", "stele/compat/hermes.py",
                 "stele/compat/kiso.py"):
        same((name, f"  {name}" in installed), (name, True))
    same("Requires: " in installed, True)


@test("the library is looked for in $STELE_LIBRARY, then beside the package, then where the system looks")
def _(place):
    shutil.copytree(interpreter.PACKAGE, os.path.join(place, "package"))
    package, directory = os.path.join(place, "package"), os.path.dirname(interpreter.LIBRARY)
    beside = os.path.join(package, "stele", "libstele.so")
    ours = {"PYTHONPATH": package, "LD_LIBRARY_PATH": directory}
    same(run(sys.executable, "-c", PATHS, env=variables(**ours))[0], "libstele.so.0")
    shutil.copyfile(interpreter.LIBRARY, beside)
    same(run(sys.executable, "-c", PATHS, env=variables(**ours))[0], beside)
    same(run(sys.executable, "-c", PATHS, env=variables(**ours, STELE_LIBRARY=interpreter.LIBRARY))[0], interpreter.LIBRARY)


@test("a library that is missing, none of ours, or of another version is told")
def _(place):
    code = "import sys\ntry:\n import stele\nexcept ImportError as error: print(error)"
    said = run(sys.executable, "-c", code, env=variables(PYTHONPATH=interpreter.PACKAGE, STELE_LIBRARY="/nowhere.so"))[0]
    same("install Stele, or name the library in $STELE_LIBRARY" in said, True)
    said = run(sys.executable, "-c", code, env=variables(PYTHONPATH=interpreter.PACKAGE, STELE_LIBRARY="libc.so.6"))[0]
    same(said, "libc.so.6 is not libstele")
    package = os.path.join(place, "package")
    shutil.copytree(interpreter.PACKAGE, package)
    with open(os.path.join(package, "stele", "_abi.py"), "a") as file:
        file.write("VERSION = '9.9'\n")
    said = run(sys.executable, "-c", code, env=variables(PYTHONPATH=package, STELE_LIBRARY=interpreter.LIBRARY))[0]
    same(said.endswith("and this package was made for 9.9"), True)


@test("the stubs name every method of every store with its parameters, in four ways")
def _(place):
    with open(os.path.join(interpreter.PACKAGE, "stele", "_stores.pyi"), encoding="utf-8") as file:
        classes = {node.name: node for node in ast.parse(file.read()).body if isinstance(node, ast.ClassDef)}
    code = ("import inspect, json, stele._stores as s; print(json.dumps({k.__name__: {n: list(inspect.signature(f).parameters) "
            "for n, f in vars(k).items() if inspect.isfunction(f)} for k in s.STORES.values()}))")
    import json
    stores = json.loads(run(sys.executable, "-c", code, env=interpreter.environment())[0])
    same(len(stores) >= 3, True)
    for name, methods in stores.items():
        for suffix in ("", "Rows", "Async", "AsyncRows"):
            stub = {node.name: [each.arg for each in node.args.args + node.args.kwonlyargs] for node in classes[name + suffix].body
                    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
            same(stub, methods)


if __name__ == "__main__":
    main()

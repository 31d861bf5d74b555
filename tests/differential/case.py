"""A workload that showed a difference, as a case of tests/method: to be kept there once what it shows is mended.

What is expected is what `rightly` answered, the model where there is one; of a refusal its code.
"""

import json
import re

from differential.compare import REOPEN, answers


TOKEN = re.compile(r'"token-(\d+)"')


def named(line, newest):
    """A line with a name for each token, which nobody can know before: $token1; token-0 is the newest."""
    return TOKEN.sub(lambda found: f"$token{int(found[1]) or newest}", line)


def text(title, players, calls, rightly):
    lines, newest = [f"== {title}"], 0
    for (method, args), said in zip(calls, answers(players, calls)):
        if method == REOPEN:
            lines.append("# every store is closed and opened again here")
            continue
        word, told = said[rightly]
        expected = json.dumps(told, ensure_ascii=False) if word == "ok" else f"!{told['code']} {told['field']}".rstrip()
        lines.append(named(f"{method}  {json.dumps(args, ensure_ascii=False)}  -> {expected}", newest))
        newest = max([newest, *map(int, TOKEN.findall(expected))])
    return "\n".join(lines) + "\n"


def answers_to(players, calls, found):
    """The call at which they differ, and what each answered, as remarks."""
    number, said = found
    method, args = calls[number]
    shown = [f"# {player.name + ':':12} {word} {json.dumps(told, ensure_ascii=False)[:2000]}" for player, (word, told) in zip(players, said)]
    return "\n".join([f"# {method} {json.dumps(args, ensure_ascii=False)}", *shown])


def report(players, calls, found):
    """What each said of the last call, then the case."""
    return answers_to(players, calls, found) + "\n" + text("(say what must be so)", players, calls[:found[0] + 1], len(players) - 1)

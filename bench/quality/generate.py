#!/usr/bin/env python3
"""Write a generated set of chats and questions into a directory: messages.jsonl and queries.jsonl.

    python3 bench/quality/generate.py DIR [--seed N] [--users N]

The same seed gives the same set.  Most users are two people who chat now and then over two years; some talk to an assistant
that answers at length.  life.py has what they talk about.  Each question has a type:

    told         asks in about the words of the turn that answers
    inflected    in other forms of the words
    otherwise    in other words
    answer       the turn that answers has none of the words: the turn before it asked
    when         for a time: the turn tells the event, with a relative date
    in-month     several such events: the one of that month, which only the time of the turn tells
    many         all turns of a person on something, over several sessions
    both         both people have told such a thing: the turn of the one who is asked about
    newest       a fact was replaced: the turn that told it last
    mine         (these two of users who talk to an assistant, and ask in the first person) said in passing in a request,
                 where the assistant's long answers have the words too
    advised      what the assistant recommended, somewhere in a long answer
"""

import argparse
import datetime
import json
import os
import random

from life import ADVICE, CHANGES, KINDS, PLACES, REQUESTS, SMALL_TALK, TOPICS

PEOPLE = ["Caro", "Marek", "Joanna", "Femi", "Nate", "Ines", "Audrey", "Tariq", "Maria", "Kenji", "Deborah", "Sam", "Yusuf", "Ellen", "Gina", "Pavel"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
ASSISTANT = "assistant"
SESSIONS = 28         # of a user
EVENTS = 5            # told in a session, about
USERS = 8
EACH_TYPE = 7         # questions of a type and user, at most


def first_person(text, name):
    """A question of somebody as this one would ask it."""
    for theirs, mine in ((f"{name}'s", "my"), (f"does {name}", "do I"), (f"has {name}", "have I"), (f"is {name}", "am I"), (f"of {name}", "of mine"),
                         (f"to {name}", "to me"), (f"for {name}", "for me"), (f"from {name}", "from me"), (f"made {name}", "made me"), (name, "I")):
        text = text.replace(theirs, mine)
    return text


class User:
    """One user's chats and questions."""

    def __init__(self, rng, number, names):
        self.rng, self.name, self.names = rng, f"user{number}", names
        self.assistant = names[1] == ASSISTANT
        self.messages, self.questions, self.events = [], [], []
        self.changes, self.advised = {}, {}
        self.session, self.time = 0, datetime.datetime(2023, 1, 9, 18, 0) + datetime.timedelta(days=rng.randrange(40))

    # ---- turns ----

    def turn(self, speaker, text, vocative=True):
        other = self.names[1 - self.names.index(speaker)]
        text = text.replace("{other}", other)
        if vocative and not self.assistant and self.rng.random() < 0.2 and other not in text:
            text = self.rng.choice([f"{other}, {text[0].lower()}{text[1:]}" if not text.startswith(("I ", "I'", '"')) else f"Hey {other}! {text}",
                                    f"{text} What do you think, {other}?", f"Hi {other}! {text}"])
        self.time += datetime.timedelta(seconds=self.rng.randrange(20, 240))
        number = f"{self.name}-{self.session}-{len(self.messages)}"
        self.messages.append({"id": number, "user": self.name, "session": f"s{self.session}", "speaker": speaker,
                              "ts": self.time.replace(tzinfo=datetime.timezone.utc).isoformat(), "text": text})
        return number

    def small_talk(self, turns):
        speaker = self.rng.choice(self.names)
        for _ in range(turns):
            source = SMALL_TALK if self.rng.random() < 0.6 else self.rng.choice(list(KINDS.values())).chat
            self.turn(speaker, self.rng.choice(source), vocative=False)
            speaker = self.names[1 - self.names.index(speaker)]

    def relative_time(self):
        """A relative date, short and as the beginning of a sentence."""
        rel = self.rng.choice(["yesterday", "last Saturday", "last week", "two days ago", "on Tuesday", "this morning", "last Friday", "a few days ago", "the other day"])
        return {"rel": rel, "Rel": rel[0].upper() + rel[1:], "when_short": self.rng.choice(["Monday", "last week", "the first of the month"])}

    # ---- what is told ----

    def event(self, kind_name, speaker):
        """One event of a kind, with its values chosen."""
        rng = self.rng
        values = {slot: rng.choice(choices) for slot, choices in KINDS[kind_name].slots.items()} | self.relative_time()
        values |= {"name": speaker, "weeks": rng.randrange(2, 9), "dish_bare": values.get("dish", "").removeprefix("a ")}
        if "who" in values:
            values |= {"Who": values["who"][0].upper() + values["who"][1:], "who_bare": values["who"].split()[-1]}
        return {"kind": kind_name, "speaker": speaker, "values": values, "time": self.time, "details": []}

    def tell(self, kind_name, speaker):
        kind, rng = KINDS[kind_name], self.rng
        event = self.event(kind_name, speaker)
        values = event["values"]
        event["turn"] = self.turn(speaker, rng.choice(kind.say).format_map(values))
        other = self.names[1 - self.names.index(speaker)]
        self.turn(other, rng.choice(kind.reply))
        for asked, answer, later in kind.details:
            if rng.random() < 0.75:
                self.turn(other, asked)
                event["details"].append((self.turn(speaker, answer.format_map(values), vocative=rng.random() < 0.3), later))
                if rng.random() < 0.5:
                    self.turn(other, rng.choice(kind.reply + kind.chat))
        self.events.append(event)

    def request(self, kind_name):
        """A fact in passing, in a request; the assistant answers at length, with words of the fact's kind."""
        kind, rng, speaker = KINDS[kind_name], self.rng, self.names[0]
        event = self.event(kind_name, speaker)
        asked = rng.choice(REQUESTS).format(topic=TOPICS[kind_name])
        said = rng.choice(kind.say).format_map(event["values"])
        event["turn"] = self.turn(speaker, rng.choice([f"{asked} {said}", f"{said} {asked}", f"{said} Anyway. {asked}"]))
        advice = rng.sample(ADVICE, rng.randrange(4, 9))
        place = f"{rng.choice(PLACES[0])} {rng.choice(PLACES[1])}"
        advice.insert(rng.randrange(len(advice)), f"You could also ask at {place}, people speak well of it.")
        self.advised.setdefault(kind_name, []).append(
            self.turn(self.names[1], f"Of course! Here are some thoughts on {TOPICS[kind_name]}. "
                      + " ".join(f"{n}. {a}" for n, a in enumerate(advice, 1)) + " Let me know how it goes!"))
        for about in rng.sample(list(KINDS), rng.randrange(1, 3)):
            another = rng.choice(REQUESTS).format(topic=TOPICS[about])
            self.turn(speaker, rng.choice([f"Thanks. One more thing. {another}", another, rng.choice(KINDS[about].chat)]))
            self.turn(self.names[1], "Sure. " + " ".join(rng.sample(ADVICE, rng.randrange(3, 6))))
        self.events.append(event)

    def change(self, speaker):
        """A fact that replaces the one told before, if there was one."""
        topic, ways, values, question = self.rng.choice(CHANGES)
        told = self.changes.setdefault((topic, speaker), [])
        if len(told) < len(values):
            told.append((self.turn(speaker, self.rng.choice(ways).format(v=values[len(told)])), question.format(name=speaker)))
            self.turn(self.names[1 - self.names.index(speaker)], self.rng.choice(["Good to know.", "Really? Times change.", "Oh, that's new."]))

    def talk(self):
        """One session."""
        self.session += 1
        self.time += datetime.timedelta(days=self.rng.randrange(9, 38), minutes=self.rng.randrange(-300, 200))
        self.small_talk(self.rng.randrange(2, 5))
        for _ in range(self.rng.randrange(EVENTS - 1, EVENTS + 2)):
            if self.assistant:
                self.request(self.rng.choice(list(KINDS)))
            else:
                self.tell(self.rng.choice(list(KINDS)), self.rng.choice(self.names))
            if not self.assistant:
                self.small_talk(self.rng.randrange(0, 5))
            if self.rng.random() < 0.12:
                self.change(self.names[0] if self.assistant else self.rng.choice(self.names))
        self.small_talk(self.rng.randrange(1, 4))

    # ---- what is asked ----

    def ask(self, kind, text, gold):
        if self.assistant and kind != "advised":
            kind, text = "mine", first_person(text, self.names[0])
        self.questions.append({"type": kind, "user": self.name, "query": text, "gold": gold})

    def of(self, kind_name, speaker):
        return [e for e in self.events if e["kind"] == kind_name and e["speaker"] == speaker]

    def ask_of_event(self, event):
        """The questions of which this event alone is the answer."""
        kind, rng, values = KINDS[event["kind"]], self.rng, event["values"]
        same = self.of(event["kind"], event["speaker"])
        gold = [e["turn"] for e in same]
        for turn, later in event["details"]:
            twins = [t for e in same for t, text in e["details"] if text == later and text.format_map(e["values"]) == later.format_map(values)]
            self.ask("answer", later.format_map(values), twins)
        for type_name, ways in (("told", kind.ask), ("inflected", kind.inflected), ("otherwise", kind.otherwise)):
            for way in ways:
                names_it = any("{" + slot + "}" in way for slot in kind.slots)
                if names_it or len(same) <= 2:
                    mine = [e["turn"] for e in same if way.format_map(e["values"]) == way.format_map(values)]
                    self.ask(type_name, way.format_map(values), mine if names_it else gold)
        for way in kind.when:
            self.ask("when", way.format_map(values), [e["turn"] for e in same if way.format_map(e["values"]) == way.format_map(values)])
        months = [(e["time"].year, e["time"].month) for e in same]
        if len(same) > 1 and months.count((event["time"].year, event["time"].month)) == 1:
            way = rng.choice(kind.ask)
            if not any("{" + slot + "}" in way for slot in kind.slots):
                self.ask("in-month", f"{way.format_map(values).rstrip('?')} in {MONTHS[event['time'].month - 1]} {event['time'].year}?", [event["turn"]])
        others = [] if self.assistant else self.of(event["kind"], self.names[1 - self.names.index(event["speaker"])])
        if others and len(same) == 1 and kind.ask and "{name}" in kind.ask[0]:
            self.ask("both", kind.ask[0].format_map(values), gold)

    def ask_all(self):
        for event in self.events:
            self.ask_of_event(event)
        for kind_name, kind in KINDS.items():
            for speaker in self.names:
                gold = [e["turn"] for e in self.of(kind_name, speaker)]
                for way in kind.collect if len(gold) > 1 else []:
                    self.ask("many", way.format(name=speaker), gold[:6])
        for kind_name, gold in self.advised.items():
            if len(gold) <= 3:
                self.ask("advised", f"Which place did you recommend when I asked about {TOPICS[kind_name].replace('my ', 'the ')}?", gold)
        for told in self.changes.values():
            if len(told) > 1:
                self.ask("newest", told[-1][1], [told[-1][0]])

    def chosen_questions(self):
        """Some of each type, no question twice."""
        chosen, seen = [], set()
        self.rng.shuffle(self.questions)
        for question in self.questions:
            mine = sum(q["type"] == question["type"] for q in chosen)
            if question["query"] not in seen and mine < (4 * EACH_TYPE if question["type"] == "mine" else EACH_TYPE):
                seen.add(question["query"])
                chosen.append(question)
        return sorted(chosen, key=lambda q: q["type"])


def generate(seed, users):
    """(messages, queries) of so many users."""
    rng = random.Random(seed)
    messages, queries = [], []
    for number in range(users):
        pair = rng.sample(PEOPLE, 2)
        user = User(rng, number, ["user", ASSISTANT] if number % 4 == 3 else pair)
        for _ in range(SESSIONS):
            user.talk()
        user.ask_all()
        messages += user.messages
        queries += [{"qid": f"{user.name}-q{n}", **question} for n, question in enumerate(user.chosen_questions())]
    return messages, queries


def write_lines(path, rows):
    with open(path, "w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_set(directory, seed, users):
    os.makedirs(directory, exist_ok=True)
    messages, queries = generate(seed, users)
    write_lines(os.path.join(directory, "messages.jsonl"), messages)
    write_lines(os.path.join(directory, "queries.jsonl"), queries)
    return len(messages), len(queries)


def main():
    parser = argparse.ArgumentParser(description="Write a generated set of chats and questions.")
    parser.add_argument("dir")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--users", type=int, default=USERS)
    args = parser.parse_args()
    print("{} messages, {} questions".format(*write_set(args.dir, args.seed, args.users)))


if __name__ == "__main__":
    main()

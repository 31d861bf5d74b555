"""An endpoint for tests that answers POST .../chat/completions and GET .../models as it is told to."""

from answering import Answer as Any, Answering, next_of

KEY = "key-" + "71d0" * 6  # of nobody
MODEL = "small-1"


def said(text, reason="stop", usage=(11, 7)):
    """A whole answer in which the model says this."""
    answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}]}
    if usage:
        answer["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return answer


class Answer(Any):
    """body: what the model says, or all of the answer, or a function of the question that gives either."""

    def bytes(self, question):
        body = self.body(question) if callable(self.body) else self.body
        return Any(said(body) if isinstance(body, str) else body).bytes(question)


class Endpoint(Answering):
    """Each answer is given once, the last one for ever.  models: what it lists; None: it does not."""

    def __init__(self, *answers, models=(MODEL,)):
        super().__init__()
        self.answers = list(answers or [Answer("yes")])
        self.models = models

    def choose(self, asked):
        if not asked.path.split("?")[0].endswith("/models"):
            return next_of(self.answers)
        if isinstance(self.models, Any):
            return self.models
        return Any({}, 404) if self.models is None else Any({"data": [{"id": name, "object": "model"} for name in self.models]})

    def questions(self):
        """What was asked of the model."""
        return [asked for asked in self.asked if asked.body is not None]

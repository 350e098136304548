"""A runner of frames, as a process that answers lines."""

from .runners import ROOT, Died, Process, fields_of
from .sessions import parse_answer

ASKED_AT_ONCE = 32
"""The number of requests to a session before its first answer is read: a switch between two processes costs more than an answer."""


class FrameRunner:
    """A runner of frames: a path from the root of the repository, or a command of several words."""

    def __init__(self, name, program):
        self.name = name
        self.process = Process(program if isinstance(program, list) else [str(ROOT / program)])

    def ask(self, line):
        """Ask one thing; a runner that dies has answered with that."""
        try:
            self.process.send(line)
            answer = fields_of(self.process.line())
            if answer["result"] == "stream":
                answer = {"result": "stream", "reads": [fields_of(self.process.line()) for _ in range(int(answer["reads"]))]}
            return answer
        except Died as error:
            return {"result": "died", "message": str(error)}

    def ask_lines(self, line):
        """Ask something of a session; give the words of the answer, and the lines that follow it."""
        return self.ask_all([line])[0]

    def ask_all(self, lines):
        """Ask things of a session one behind another; give what ask_lines gives of each. A runner that dies answers what is left with that."""
        def read():
            answer = parse_answer(self.process.line())
            return answer, [self.process.line() for _ in range(int(answer["lines"]))]
        return self._ask_in_batches(lines, read, lambda dead: (dead, []))

    def ask_each(self, lines):
        """Ask short things, of which none needs another's answer; give what ask gives of each."""
        return self._ask_in_batches(lines, lambda: fields_of(self.process.line()), lambda dead: dead)

    def _ask_in_batches(self, lines, read, died):
        """Ask some lines at a time, and read what answers each; of a runner that dies, ``died`` answers what is left."""
        answers = []
        try:
            for at in range(0, len(lines), ASKED_AT_ONCE):
                some = lines[at:at + ASKED_AT_ONCE]
                self.process.send(*some)
                for _ in some:
                    answers.append(read())
        except Died as error:
            answers += [died({"result": "died", "message": str(error)})] * (len(lines) - len(answers))
        return answers

    def close(self):
        """End the runner."""
        self.process.close()

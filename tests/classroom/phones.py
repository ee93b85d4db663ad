"""Phones as a class has them: each joins, waits for a question, answers, and may come back."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.testclient import TestClient

from viz.app.server.guard import Guard
from viz.core.classroom.questions import ClassQuestion

QUESTION = ClassQuestion("choice", ("Which?", "哪个？"), (("one", "一"), ("two", "二"), ("three", "三")))
NUMBER = ClassQuestion("number", ("How many?", "多少？"))


def machine(host: str = "192.168.1.7") -> TestClient:
    """The server as somebody with this address sees it."""
    return TestClient(Guard(Starlette(), [], {}), client=(host, 5000))


class Phone:
    """One phone.

    Args:
        http: the server.
        code: of the room.
        name: of the seat that it has already.
    """

    def __init__(self, http: TestClient, code: str, name: str = "") -> None:
        self.http, self.code = http, code
        self.name = name or http.post(f"/class/{code}/join", json={}).json()["phone"]

    def post(self, verb: str, **said: object) -> tuple[int, dict]:
        """What the server says, with its status; {} where it says nothing."""
        answer = self.http.post(f"/class/{self.code}/{verb}", json={"phone": self.name, **said})
        return answer.status_code, answer.json() if answer.content else {}

    def answer(self, option: object, question: ClassQuestion = QUESTION) -> tuple[int, dict]:
        return self.post("answer", question=question.name, answer=option)

    def now(self, version: str = "") -> dict:
        return self.post("now", version=version)[1]

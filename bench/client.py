"""A visitor of the app without a browser: a client of Streamlit's own protocol."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, field
from html import unescape

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

MOST_BYTES = 200 * 2**20  # of one message
_TRANSLATION = re.compile(r'<p class="hl-translation"[^>]*>(.*?)</p>', re.DOTALL)
_TAG = re.compile(r"<rt>.*?</rt>|<[^>]*>")


@dataclass
class Run:
    """What one run of the app's script sent.

    Attributes:
        translation: the last one that it showed; None for none.
        seconds: from asking for the run to its last element.
        ended: whether the script ended by itself.
    """

    translation: str | None = None
    seconds: float = 0.0
    ended: bool = False


@dataclass
class Visitor:
    """One open page: what it knows of the widgets on it."""

    connection: ClientConnection
    widgets: dict[str, str] = field(default_factory=dict)

    @classmethod
    async def arrive(cls, url: str) -> Visitor:
        """A visitor who has a connection and has not asked for anything."""
        address = f"{url.replace('http', 'ws', 1)}/_stcore/stream"
        return cls(await connect(address, subprotocols=["streamlit"], max_size=MOST_BYTES, compression=None))  # type: ignore[list-item]

    async def open(self, patience: float) -> Run:
        """The run that draws the page for the first time."""
        return await self._run(BackMsg(), patience)

    async def translate(self, sentence: str, patience: float) -> Run:
        """The run after a sentence was typed and Enter pressed.

        Raises:
            KeyError: there is no box for a sentence on the page.
        """
        asked = BackMsg()
        states = asked.rerun_script.widget_states.widgets
        states.add(id=self.widgets["text"], string_value=sentence)
        states.add(id=self.widgets["button"], trigger_value=True)
        return await self._run(asked, patience)

    async def leave(self) -> None:
        """Close the page."""
        await self.connection.close()

    async def _run(self, asked: BackMsg, patience: float) -> Run:
        """Ask for a run, and read until it ends, or for so many seconds."""
        asked.rerun_script.context_info.timezone = "UTC"
        asked.rerun_script.context_info.locale = "en-US"
        asked.rerun_script.query_string = ""
        found, began, started = Run(), False, time.perf_counter()
        await self.connection.send(asked.SerializeToString())
        while not found.ended and (left := patience - (time.perf_counter() - started)) > 0:
            try:
                message = ForwardMsg.FromString(await asyncio.wait_for(self.connection.recv(decode=False), left))
            except TimeoutError:
                break
            sort = message.WhichOneof("type")
            began = began or sort == "new_session"
            if began and sort == "delta":
                found.seconds = time.perf_counter() - started
                self._read(message, found)
            found.ended = began and sort == "script_finished"
        return found

    def _read(self, message: ForwardMsg, found: Run) -> None:
        element = message.delta.new_element
        if element.HasField("html") and (shown := _TRANSLATION.search(element.html.body)):
            found.translation = unescape(_TAG.sub("", shown[1]))
        elif element.HasField("text_input") and "-text" in element.text_input.id and element.text_input.form_id:
            self.widgets["text"] = element.text_input.id
        elif element.HasField("button") and element.button.is_form_submitter:
            self.widgets.setdefault("button", element.button.id)

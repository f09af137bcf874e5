"""The errors that end a command: told to the user as one message, without a traceback."""

from __future__ import annotations


class UserError(Exception):
    """Something the user can put right: what is wrong, where, and what to do. Exit code 2.

    `where` names the file, line or key; `remedy` is a sentence in the imperative.
    """

    def __init__(self, message: str, *, where: str = "", remedy: str = "") -> None:
        self.message = message
        self.where = where
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text}\n  {self.remedy}" if self.remedy else text

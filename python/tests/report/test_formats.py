"""`busmark report --to`: which forms there are, and what becomes of a name that is none."""

import importlib
import inspect

import pytest

from busmark.errors import UserError
from busmark.report.formats import FORMATS, chosen


def test_each_form_is_written_by_its_module() -> None:
    for form in FORMATS.values():
        write = importlib.import_module(form.module).write
        assert list(inspect.signature(write).parameters) == ["result", "campaign", "folder"]


def test_forms_are_chosen_by_name_each_once() -> None:
    assert chosen(" html,html ") == [FORMATS["html"]]


@pytest.mark.parametrize("names", ["", ",", "html,hmtl"])
def test_a_form_that_does_not_exist_is_refused(names: str) -> None:
    with pytest.raises(UserError, match="html"):
        chosen(names)

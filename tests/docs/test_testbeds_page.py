"""docs/testbeds.md says what the testbeds say."""

from tests.docs.testbeds_page import PAGE, page


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run: python -m tests.docs.testbeds_page"

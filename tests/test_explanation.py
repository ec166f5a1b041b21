"""What a report says of a check is what the check says of itself."""

from gradcheck.checks import CHECKS
from gradcheck.explanation import check_text


def test_titles_of_every_outcome_are_passed_through() -> None:
    for check in CHECKS:
        text = check_text(check)
        assert (text.title, text.failure_title, text.error_title, text.warning_title) == (
            check.title,
            check.failure_title,
            check.error_title,
            check.warning_title,
        )
        assert text.failure_title
        assert text.error_title

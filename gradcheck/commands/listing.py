"""`gradcheck list engines|testbeds|checks`."""

from gradcheck.commands.command import console

ENGINES = "\n  gradcheck list engines"
TESTBEDS = "\n  gradcheck list testbeds"
CHECKS = "\n  gradcheck list checks"


def engines() -> None:
    """Engines, with what each states about its gradient."""
    from gradcheck import listing

    console().print(listing.engines())


def testbeds() -> None:
    """Testbeds, each with its question."""
    from gradcheck import listing

    console().print(listing.testbeds())


def checks() -> None:
    """Checks, each with what it claims where it passes."""
    from gradcheck import listing

    console().print(listing.checks())

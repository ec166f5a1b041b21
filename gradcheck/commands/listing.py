"""`gradcheck list engines|testbeds|checks|methods`."""

from gradcheck.commands.command import console

ENGINES = "\n  gradcheck list engines"
TESTBEDS = "\n  gradcheck list testbeds"
CHECKS = "\n  gradcheck list checks"
METHODS = "\n  gradcheck list methods"


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


def methods() -> None:
    """Published methods and engines: what each differentiates, how, and where that is written."""
    from gradcheck import listing

    console().print(listing.methods())

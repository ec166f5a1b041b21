"""`python -m gradcheck`, and the command `gradcheck`."""

from gradcheck.cli import app


def main() -> None:
    """Run the command line."""
    app(prog_name="gradcheck")


if __name__ == "__main__":
    main()

"""The command line of what is seen: python -m viz COMMAND."""

from __future__ import annotations

import sys

from model.__main__ import Parser
from model.errors import HeadlightError
from viz.export import command as pictures
from viz.export.show import command as talks


def main(argv: list[str] | None = None) -> int:
    """Run one command; 0 on success, 2 with one sentence on stderr where the caller can mend it."""
    parser = Parser(prog="python -m viz", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    what = "a sentence with its attention as a page, a picture or numbers; a storyboard as a talk"
    pictures.add_export(commands.add_parser("export", help=what))
    talks.add_storyboard(commands.add_parser("storyboard", help="the talks that ship, and whether a talk still holds"))
    pictures.add_font(commands.add_parser("font", help="make the font of pictures anew from Debian's fonts-noto-cjk"))
    args = parser.parse_args(argv)
    try:
        if args.command == "font":
            print(pictures.make_font(args))
        elif args.command == "storyboard":
            print(talks.storyboard(args))
        else:
            print((talks.export if talks.is_storyboard(args.text) else pictures.export)(args))
    except (HeadlightError, ValueError) as error:
        print(f"python -m viz {args.command}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"python -m viz {args.command}: {error.filename}: {error.strerror or error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

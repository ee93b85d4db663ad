"""The command line's subcommands, one file each: ``add_arguments(parser)`` and ``run(args) -> None``."""

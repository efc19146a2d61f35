"""The commands of the lab, one file or one folder a command, found by `fastapply.cli.commands`."""

"""The viewer: a whole trace in one page of its own, without a server."""

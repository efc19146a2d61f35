"""fastapply: puts an edit that a coding model wrote into the file it is for."""

__version__ = "0.1.0"

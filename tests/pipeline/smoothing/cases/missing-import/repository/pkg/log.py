import logging

logger = logging.getLogger("pkg")

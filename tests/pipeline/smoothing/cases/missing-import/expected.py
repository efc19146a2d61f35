import os
from pkg.log import logger


def load(name):
    with open(name) as file:
        return file.read()


def save(name, text):
    with open(name, "w") as file:
        file.write(text)
    logger.info("saved %s", name)
    return os.path.getsize(name)

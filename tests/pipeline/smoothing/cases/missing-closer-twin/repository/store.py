import os


def load(name):
    with open(name) as file:
        return file.read()


def save(name, text):
    with open(name, "w") as file:
        file.write(text)
    return os.path.getsize(name)

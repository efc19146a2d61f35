import os
import sys
import sys as system


def main():
    return os.path.join(os.getcwd(), system.argv[1])

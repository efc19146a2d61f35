import os
import sys
from os import path


def main():
    return path.join(os.getcwd(), sys.argv[1])

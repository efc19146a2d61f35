from web import Application


def make():
    routes = []
    return routes

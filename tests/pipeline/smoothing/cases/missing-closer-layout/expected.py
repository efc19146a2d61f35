from web import Application


def make():
    app = Application()
    app.add("/", index)
    routes = []
    return routes

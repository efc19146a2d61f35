def prices(lines):
    return total(lines)

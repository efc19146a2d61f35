def run():
    from pkg.log import logger

    logger.info("run")

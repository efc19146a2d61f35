def run():
    from loguru import logger

    logger.info("run")

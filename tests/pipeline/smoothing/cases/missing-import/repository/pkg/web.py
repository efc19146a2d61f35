from pkg.log import logger

logger.info("here")

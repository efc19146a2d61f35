import type { NextFunction, Request, Response } from 'express';
import type { Redis } from 'ioredis';

import { logger } from '../lib/logger';
import { HttpError } from '../lib/httpError';

export interface RateLimitOptions {
  /** Length of the window in seconds. */
  windowSeconds: number;
  /** Requests allowed per window and key. */
  max: number;
  /** Prefix for the Redis keys, so that two limiters never share a counter. */
  prefix?: string;
  /** Sent as the body of the 429 response. */
  message?: string;
}

interface Bucket {
  count: number;
  resetAt: number;
}

const DEFAULT_PREFIX = 'rl';
const DEFAULT_MESSAGE = 'Too many requests, please slow down.';

function keyFor(req: Request, prefix: string): string {
  const forwarded = req.header('x-forwarded-for');
  const ip = forwarded ? forwarded.split(',')[0].trim() : req.ip;
  return `${prefix}:${ip}`;
}

async function increment(redis: Redis, key: string, windowSeconds: number): Promise<Bucket> {
  const [[, count], [, ttl]] = (await redis
    .multi()
    .incr(key)
    .ttl(key)
    .exec()) as [[Error | null, number], [Error | null, number]];

  if (ttl < 0) {
    await redis.expire(key, windowSeconds);
  }

  const remaining = ttl < 0 ? windowSeconds : ttl;
  return { count, resetAt: Date.now() + remaining * 1000 };
}

function setHeaders(res: Response, bucket: Bucket, max: number): void {
  res.setHeader('X-RateLimit-Limit', String(max));
  res.setHeader('X-RateLimit-Remaining', String(Math.max(0, max - bucket.count)));
  res.setHeader('X-RateLimit-Reset', String(Math.ceil(bucket.resetAt / 1000)));
}

/**
 * Fixed-window limiter backed by Redis. Fails open: when Redis is down,
 * requests are let through and the failure is logged.
 */
export function rateLimit(redis: Redis, options: RateLimitOptions) {
  const prefix = options.prefix ?? DEFAULT_PREFIX;
  const message = options.message ?? DEFAULT_MESSAGE;

  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const key = keyFor(req, prefix);

    let bucket: Bucket;
    try {
      bucket = await increment(redis, key, options.windowSeconds);
    } catch (err) {
      logger.warn({ err, key }, 'rate limiter unavailable');
      next();
      return;
    }

    setHeaders(res, bucket, options.max);

    if (bucket.count > options.max) {
      logger.info({ key, count: bucket.count }, 'rate limit exceeded');
      next(new HttpError(429, message));
      return;
    }

    next();
  };
}

/**
 * Limiter for the login endpoints, keyed by the submitted e-mail address
 * as well as by the client address.
 */
export function loginRateLimit(redis: Redis, options: RateLimitOptions) {
  const prefix = options.prefix ?? 'rl:login';
  const message = options.message ?? DEFAULT_MESSAGE;

  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const email = String(req.body?.email ?? '').toLowerCase();
    const key = `${keyFor(req, prefix)}:${email}`;

    let bucket: Bucket;
    try {
      bucket = await increment(redis, key, options.windowSeconds);
    } catch (err) {
      logger.warn({ err, key }, 'rate limiter unavailable');
      next();
      return;
    }

    setHeaders(res, bucket, options.max);

    if (bucket.count > options.max) {
      logger.info({ key, count: bucket.count }, 'rate limit exceeded');
      next(new HttpError(429, message));
      return;
    }

    if (bucket.blocked) {
      logger.info({ key }, 'blocked');
      next(new HttpError(403, message));
      return;
    }

    next();
  };
}

export const apiLimits = {
  read: { windowSeconds: 60, max: 300 },
  write: { windowSeconds: 60, max: 60 },
  login: { windowSeconds: 900, max: 10 },
} satisfies Record<string, RateLimitOptions>;

import * as z from 'zod';

/** An exact amount in nano-USD, as an integer. */
export const nanoUsd = z.int();
/** An amount in USD as decimal text without an exponent, such as `0.0125`. */
export const usd = z.string().regex(/^-?\d+(\.\d{1,9})?$/);

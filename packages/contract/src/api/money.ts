import * as z from 'zod';

/** Integer nano-USD. This is the exact value. */
export const nanoUsd = z.int();
/** The same amount as decimal text, such as `0.0125`, without an exponent. */
export const usd = z.string().regex(/^-?\d+(\.\d{1,9})?$/);

import * as z from 'zod';

/** Integer nano-USD; the exact value. */
export const nanoUsd = z.int();
/** The same amount as decimal text, such as `0.0125`; never with an exponent. */
export const usd = z.string().regex(/^-?\d+(\.\d{1,9})?$/);

/** Integer nano-USD as exact decimal USD without trailing zeros. */
export function usdText(amountNanoUsd: number): string {
  const digits = Math.abs(amountNanoUsd).toString().padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${amountNanoUsd < 0 ? '-' : ''}${digits.slice(0, -9)}${fraction && `.${fraction}`}`;
}

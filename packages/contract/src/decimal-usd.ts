/** Formats integer nano-USD as exact decimal USD without trailing zeros. */
export function toDecimalUsd(amountNanoUsd: number): string {
  const digits = Math.abs(amountNanoUsd).toString().padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${amountNanoUsd < 0 ? '-' : ''}${digits.slice(0, -9)}${fraction && `.${fraction}`}`;
}

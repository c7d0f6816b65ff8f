/** What somebody typed as a number: null for nothing. What is no number stays as it is, for the server to say so. */
export function parseNumberField(text: string): number | string | null {
  const plain = text.trim().replaceAll(/[\s_,](?=\d{3}\b)/g, '');
  if (plain === '') return null;
  const value = Number(plain);
  return Number.isFinite(value) ? value : text;
}

/** A number as a field shows it. */
export function formatNumberField(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

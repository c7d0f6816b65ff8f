/**
 * Converts a field’s text to a number, or to null if empty. Returns other text unchanged, so that the server
 * reports the error.
 */
export function parseNumberField(text: string): number | string | null {
  const plain = text.trim().replaceAll(/[\s_,](?=\d{3}\b)/g, '');
  if (plain === '') return null;
  const value = Number(plain);
  return Number.isFinite(value) ? value : text;
}

/** Formats a number for a field. */
export function formatNumberField(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

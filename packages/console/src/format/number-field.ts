/** A number with thousands separators. `0,125` is not one: it is probably a decimal comma. */
const WITH_SEPARATORS = /^-?[1-9]\d{0,2}([\s_,]\d{3})+(\.\d+)?$/;

/**
 * Converts the text of a field to a number, or to null if the field is empty. Returns text that is not a number
 * unchanged, so that the server reports the error.
 */
export function parseNumberField(text: string): number | string | null {
  const typed = text.trim();
  const plain = WITH_SEPARATORS.test(typed) ? typed.replaceAll(/[\s_,]/g, '') : typed;
  if (plain === '') return null;
  const value = Number(plain);
  return Number.isFinite(value) ? value : text;
}

/** Formats a number as the text of a field. Null and undefined become an empty text. */
export function formatNumberField(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

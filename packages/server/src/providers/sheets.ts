import * as listed from './listed.ts';
import type { ProviderSheet } from './provider.ts';

/** Every provider Floe knows, by name. */
export const SHEETS: readonly ProviderSheet[] = Object.values(listed);

export function sheetOf(kind: string): ProviderSheet | undefined {
  return SHEETS.find((sheet) => sheet.kind === kind);
}

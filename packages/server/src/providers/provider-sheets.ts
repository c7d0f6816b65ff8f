import * as listed from './all-sheets.ts';
import type { ProviderSheet } from './provider-sheet.ts';

/** Every provider Floe knows, by name. */
export const PROVIDER_SHEETS: readonly ProviderSheet[] = Object.values(listed);

export function findProviderSheet(kind: string): ProviderSheet | undefined {
  return PROVIDER_SHEETS.find((sheet) => sheet.kind === kind);
}

import * as listed from './all-sheets.ts';
import type { ProviderSheet } from './provider-sheet.ts';

/** The provider sheets of all kinds of providers. */
export const PROVIDER_SHEETS: readonly ProviderSheet[] = Object.values(listed);

/** Returns the provider sheet for a kind of provider; undefined for an unknown kind. */
export function findProviderSheet(kind: string): ProviderSheet | undefined {
  return PROVIDER_SHEETS.find((sheet) => sheet.kind === kind);
}

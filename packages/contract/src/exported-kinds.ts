/** Sections of an org in floe.yaml whose entries can be told one by one. */
export const EXPORTED_KINDS = [
  'teams',
  'keys',
  'providers',
  'routes',
  'limits',
  'budgets',
  'policies',
  'channels',
  'monitors',
  'boards',
] as const;

export type ExportedKind = (typeof EXPORTED_KINDS)[number];

/** Sections of an org in floe.yaml whose entries can be told one by one. */
export const EXPORTED_SECTIONS = [
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

export type ExportedSection = (typeof EXPORTED_SECTIONS)[number];

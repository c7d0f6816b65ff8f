/** The sections of an organization in floe.yaml whose entries can be exported individually. */
export const EXPORTED_CONFIG_SECTIONS = [
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

export type ExportedConfigSection = (typeof EXPORTED_CONFIG_SECTIONS)[number];

/** The sections of an organization in floe.yaml whose entries can be exported individually. */
export const EXPORTABLE_CONFIG_SECTIONS = [
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

export type ExportableConfigSection = (typeof EXPORTABLE_CONFIG_SECTIONS)[number];

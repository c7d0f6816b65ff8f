import { messagesProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';
import { claudeQuirks } from './claude-quirks.ts';

/** The provider definition of Anthropic. */
export const anthropic: ProviderDefinition = {
  ...messagesProviderDefaults,
  kind: 'anthropic',
  name: 'Anthropic',
  baseUrl: 'https://api.anthropic.com',
  keyVariables: ['ANTHROPIC_API_KEY'],
  urlVariables: ['ANTHROPIC_BASE_URL'],
  quirks: claudeQuirks,
  defaultSurface: 'b',
  countsTokens: true,
  priceCatalogName: 'anthropic',
  docs: 'https://platform.claude.com/docs/en/api',
  checked: '2026-11-21',
};

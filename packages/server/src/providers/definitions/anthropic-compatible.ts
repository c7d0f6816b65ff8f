import { messagesProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';
import { claudeQuirks } from './claude-quirks.ts';

/**
 * The provider definition of any provider that implements the Messages dialect. The base URL must be
 * configured, without `/v1`.
 */
export const anthropicCompatible: ProviderDefinition = {
  ...messagesProviderDefaults,
  kind: 'anthropic-compatible',
  name: 'Anthropic-compatible',
  keyVariables: [],
  quirks: [{ options: { defaultMaxTokens: 8_192, tools: ['no-strict'] } }, ...claudeQuirks],
  docs: 'https://platform.claude.com/docs/en/api',
  checked: '2026-11-21',
};

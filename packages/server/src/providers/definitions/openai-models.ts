import type { DialectPreference, Quirk } from '../provider-definition.ts';

/**
 * Models that accept no reasoning parameters. They accept stop sequences, penalties and seeds, which
 * Responses does not have.
 */
const NON_REASONING = [
  'gpt-3.5*',
  'gpt-4*',
  'chatgpt-4*',
  'gpt-5-chat*',
  'gpt-audio*',
  'gpt-oss*',
  '*-search-preview*',
  'ft:gpt-3.5*',
  'ft:gpt-4*',
];
const REASONING = ['gpt-*', 'o1*', 'o3*', 'o4*', 'codex-*', 'ft:gpt-*', 'ft:o*'];

/**
 * The preferred dialect of each OpenAI model: Chat Completions for models without reasoning, Responses for reasoning
 * models. From GPT-5.4 on, Chat Completions rejects requests that combine tools and reasoning, and GPT-5.6 reasons by
 * default. Responses accepts this combination.
 */
export const openaiDialectPreferences: readonly DialectPreference[] = [
  { models: NON_REASONING, dialect: 'chat' },
  { models: REASONING, dialect: 'responses' },
];

/**
 * The quirks of OpenAI models, as measured in July 2026. Reasoning efforts are in descending order, so that
 * an effort between two values is rounded up. For models with unknown names, such as deployments, reasoning
 * is omitted.
 */
export const openaiQuirks: readonly Quirk[] = [
  {
    options: {
      renames: { max_tokens: 'max_completion_tokens' },
      rejectedFields: ['top_k'],
      maxStopSequences: 4,
      reasoningStyle: 'none',
      hints: ['cache-key', 'seed', 'metadata'],
    },
  },
  {
    models: REASONING,
    options: {
      reasoningStyle: 'effort',
      efforts: ['xhigh', 'high', 'medium', 'low', 'none'],
      rejectedFields: ['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty', 'stop'],
      hints: ['cache-key', 'seed', 'metadata', 'verbosity'],
      tools: ['freeform'],
    },
  },
  {
    models: ['o1*', 'o3*', 'o4*', 'codex-*', 'ft:o*'],
    options: { efforts: ['high', 'medium', 'low'], hints: ['cache-key', 'seed', 'metadata'], tools: [] },
  },
  {
    models: ['gpt-5', 'gpt-5-2*', 'gpt-5-mini*', 'gpt-5-nano*'],
    options: { efforts: ['high', 'medium', 'low', 'minimal'] },
  },
  { models: ['gpt-5.1', 'gpt-5.1-2*'], options: { efforts: ['high', 'medium', 'low', 'none'] } },
  { models: ['gpt-5*-codex*'], options: { efforts: ['high', 'medium', 'low'] } },
  { models: ['gpt-5-pro*'], options: { efforts: ['high'] } },
  { models: ['gpt-5.*-pro*'], options: { efforts: ['xhigh', 'high', 'medium'] } },
  { models: ['gpt-5.*-chat*'], options: { efforts: ['medium'] } },
  {
    models: NON_REASONING,
    options: {
      reasoningStyle: 'none',
      rejectedFields: ['top_k'],
      hints: ['cache-key', 'seed', 'metadata'],
      tools: [],
    },
  },
];

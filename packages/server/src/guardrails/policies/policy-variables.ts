import type { ConditionValue, ConditionVariables, ConditionVocabulary } from '@floe/conditions/vocabulary';

const MESSAGE = new Map([
  ['role', 'user'],
  ['text', 'text'],
]);

/**
 * Every variable and its members, with an example value of the correct type. Missing values are 0, empty or
 * false, so that conditions need not test for presence. See `docs/reference/conditions.md`.
 */
const EXAMPLE_VARIABLES = {
  request: new Map<string, ConditionValue>([
    ['model', 'provider/model'],
    ['stream', false],
    ['max_tokens', 0n],
    ['temperature', 0],
    ['system', 'text'],
    ['messages', [MESSAGE]],
    ['text', 'text'],
    ['tools', ['name']],
    ['bytes', 0n],
  ]),
  answer: new Map<string, ConditionValue>([
    ['text', 'text'],
    ['finish', 'stop'],
    ['tools', ['name']],
  ]),
  usage: new Map<string, ConditionValue>([
    ['input_tokens', 0n],
    ['output_tokens', 0n],
    ['cached_tokens', 0n],
    ['reasoning_tokens', 0n],
  ]),
  key: 'name',
  team: 'id',
  owner: 'name',
  end_user: 'name',
  surface: 'chat',
  metadata: new Map<string, ConditionValue>(),
  session: new Map<string, ConditionValue>([
    ['id', 'id'],
    ['relayed', false],
    ['requests', 0n],
  ]),
} as const satisfies ConditionVariables;

/** The variables that a policy's `when` condition may use. */
export const POLICY_VOCABULARY: ConditionVocabulary = {
  example: EXAMPLE_VARIABLES,
  dynamicVariables: new Set(['metadata']),
};

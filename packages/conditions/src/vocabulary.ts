/** A value that conditions can read. Integers have the type bigint. */
export type ConditionValue =
  | string
  | boolean
  | bigint
  | number
  | null
  | readonly ConditionValue[]
  | ReadonlyMap<string, ConditionValue>;

/** The values of all variables in an evaluation. */
export type ConditionVariables = Readonly<Record<string, ConditionValue>>;

/** The variables that one kind of condition may use. */
export interface ConditionVocabulary {
  /** Every variable with an example value of the correct type. A map has all its members. */
  readonly example: ConditionVariables;
  /**
   * Variables with members that clients choose, such as `metadata` or `tool.arguments`. Conditions may read
   * any member.
   */
  readonly dynamicVariables: ReadonlySet<string>;
}

/**
 * Returns the members of a variable. Returns null if the variable has no members, or if clients choose the
 * names of its members.
 * @example
 * const vocabulary = { example: { request: new Map([['model', 'gpt-5']]) }, dynamicVariables: new Set() };
 * getVariableMembers(vocabulary, 'request'); // new Map([['model', 'gpt-5']])
 */
export function getVariableMembers(
  { example, dynamicVariables }: ConditionVocabulary,
  root: string,
): ReadonlyMap<string, ConditionValue> | null {
  const value = Object.hasOwn(example, root) ? example[root] : undefined;
  return value instanceof Map && !dynamicVariables.has(root) ? value : null;
}

/** A value that a condition can see. Whole numbers are integers to it. */
export type ConditionValue =
  | string
  | boolean
  | bigint
  | number
  | null
  | readonly ConditionValue[]
  | ReadonlyMap<string, ConditionValue>;

/** What a condition is given: a value for every variable it names. */
export type ConditionVariables = Readonly<Record<string, ConditionValue>>;

/** The variables that conditions of one kind may name. */
export interface ConditionVocabulary {
  /** Every variable with a value of the right kind; a map has all members there are. */
  readonly example: ConditionVariables;
  /** What senders fill as they like, such as `metadata` or `tool.arguments`: every member may be asked for. */
  readonly dynamicVariables: ReadonlySet<string>;
}

/**
 * The members of a variable; null when it has none, or any.
 *
 * @example
 * const vocabulary = { example: { request: new Map([['model', 'gpt-5']]) }, dynamicVariables: new Set() };
 * variableMembers(vocabulary, 'request'); // new Map([['model', 'gpt-5']])
 */
export function variableMembers(
  { example, dynamicVariables }: ConditionVocabulary,
  root: string,
): ReadonlyMap<string, ConditionValue> | null {
  const value = Object.hasOwn(example, root) ? example[root] : undefined;
  return value instanceof Map && !dynamicVariables.has(root) ? value : null;
}

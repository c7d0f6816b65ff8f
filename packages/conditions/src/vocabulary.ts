/** A value that a condition can see. Whole numbers are integers to it. */
export type Variable =
  | string
  | boolean
  | bigint
  | number
  | null
  | readonly Variable[]
  | ReadonlyMap<string, Variable>;

/** What a condition is given: a value for every variable it names. */
export type Variables = Readonly<Record<string, Variable>>;

/** The variables that conditions of one kind may name. */
export interface Vocabulary {
  /** Every variable with a value of the right kind; a map has all members there are. */
  readonly example: Variables;
  /** What senders fill as they like, such as `metadata` or `tool.arguments`: every member may be asked for. */
  readonly open: ReadonlySet<string>;
}

/**
 * The members of a variable; null when it has none, or any.
 *
 * @example
 * const vocabulary = { example: { request: new Map([['model', 'gpt-5']]) }, open: new Set() };
 * membersOf(vocabulary, 'request'); // new Map([['model', 'gpt-5']])
 */
export function membersOf({ example, open }: Vocabulary, root: string): ReadonlyMap<string, Variable> | null {
  const value = Object.hasOwn(example, root) ? example[root] : undefined;
  return value instanceof Map && !open.has(root) ? value : null;
}

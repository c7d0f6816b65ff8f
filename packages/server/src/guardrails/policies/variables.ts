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

const MESSAGE = new Map([
  ['role', 'user'],
  ['text', 'text'],
]);

/**
 * Every variable and its members, with an example that has the right kind. What a request or answer leaves out
 * is 0, empty or false, so that a condition need not ask whether it is there; `docs/policies.md` says more.
 */
export const EXAMPLE = {
  request: new Map<string, Variable>([
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
  answer: new Map<string, Variable>([
    ['text', 'text'],
    ['finish', 'stop'],
    ['tools', ['name']],
  ]),
  usage: new Map<string, Variable>([
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
  metadata: new Map<string, Variable>(),
} as const satisfies Variables;

export type Root = keyof typeof EXAMPLE;

/** Null when there is no such variable. */
export function membersOf(root: string): ReadonlyMap<string, Variable> | null {
  const example: Variable | undefined = Object.hasOwn(EXAMPLE, root) ? EXAMPLES[root] : undefined;
  return example instanceof Map && root !== 'metadata' ? example : null;
}

const EXAMPLES: Variables = EXAMPLE;

export function isVariable(name: string): boolean {
  return Object.hasOwn(EXAMPLE, name);
}

import { parseArgs } from 'node:util';
import { StoreUnusable } from '../store/store-unusable.ts';

/** How a command of the server program is called. */
export interface CallForm {
  /** As it is shown to whoever calls it in another way. */
  readonly usage: string;
  /** The fewest and the most names behind the command. */
  readonly names: readonly [least: number, most: number];
  readonly flags?: readonly string[];
}

export interface Arguments {
  readonly names: readonly string[];
  readonly flags: ReadonlySet<string>;
}

/** @throws StoreUnusable with the usage, for other flags and another number of names */
export function readArguments(args: readonly string[], form: CallForm): Arguments {
  const [least, most] = form.names;
  const { names, flags } = parsed(args, form);
  if (names.length < least || names.length > most) throw wrongUsage(form);
  return { names, flags };
}

export function wrongUsage({ usage }: CallForm): StoreUnusable {
  return new StoreUnusable(`usage: floe ${usage}`, { exitCode: 2 });
}

function parsed(args: readonly string[], form: CallForm): Arguments {
  const options = Object.fromEntries((form.flags ?? []).map((name) => [name, { type: 'boolean' } as const]));
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    return { names: positionals, flags: new Set(Object.keys(values)) };
  } catch {
    throw wrongUsage(form);
  }
}

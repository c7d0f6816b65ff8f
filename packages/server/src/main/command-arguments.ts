import { parseArgs } from 'node:util';
import { StoreUnusableError } from '../store/store-unusable-error.ts';

/** How a command of the server program is called. */
export interface CommandSyntax {
  /** As it is shown to whoever calls it in another way. */
  readonly usage: string;
  /** The fewest and the most names behind the command. */
  readonly positionals: readonly [least: number, most: number];
  readonly flags?: readonly string[];
}

export interface CommandArguments {
  readonly positionals: readonly string[];
  readonly flags: ReadonlySet<string>;
}

/** @throws StoreUnusableError with the usage, for other flags and another number of names */
export function parseCommandArguments(args: readonly string[], form: CommandSyntax): CommandArguments {
  const [least, most] = form.positionals;
  const { positionals, flags } = parseTokens(args, form);
  if (positionals.length < least || positionals.length > most) throw createUsageError(form);
  return { positionals, flags };
}

export function createUsageError({ usage }: CommandSyntax): StoreUnusableError {
  return new StoreUnusableError(`usage: floe ${usage}`, { exitCode: 2 });
}

function parseTokens(args: readonly string[], form: CommandSyntax): CommandArguments {
  const options = Object.fromEntries((form.flags ?? []).map((name) => [name, { type: 'boolean' } as const]));
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    return { positionals: positionals, flags: new Set(Object.keys(values)) };
  } catch {
    throw createUsageError(form);
  }
}

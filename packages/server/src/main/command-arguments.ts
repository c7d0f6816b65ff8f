import { parseArgs } from 'node:util';
import { FatalError } from '../core/fatal-error.ts';

/** The arguments that a command accepts. */
export interface CommandSyntax {
  /** The usage line for errors. */
  readonly usage: string;
  /** Minimum and maximum number of positional arguments. */
  readonly positionals: readonly [least: number, most: number];
  readonly flags?: readonly string[];
}

export interface CommandArguments {
  readonly positionals: readonly string[];
  readonly flags: ReadonlySet<string>;
}

/**
 * Parses a command's arguments.
 * @throws FatalError with the usage line for unknown flags or a wrong number of positional
 * arguments
 */
export function parseCommandArguments(args: readonly string[], form: CommandSyntax): CommandArguments {
  const [least, most] = form.positionals;
  const { positionals, flags } = parseTokens(args, form);
  if (positionals.length < least || positionals.length > most) throw createUsageError(form);
  return { positionals, flags };
}

/** Returns an error with the usage line and exit code 2. */
export function createUsageError({ usage }: CommandSyntax): FatalError {
  return new FatalError(`usage: floe ${usage}`, { exitCode: 2 });
}

function parseTokens(args: readonly string[], form: CommandSyntax): CommandArguments {
  const options = Object.fromEntries((form.flags ?? []).map((name) => [name, { type: 'boolean' } as const]));
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    return { positionals, flags: new Set(Object.keys(values)) };
  } catch {
    throw createUsageError(form);
  }
}

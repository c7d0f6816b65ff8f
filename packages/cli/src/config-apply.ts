import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isRecord } from './api/operations.ts';
import { table } from './api/show.ts';
import { ApiError, member, parsed, reasonOf, refusalOf } from './api-get.ts';
import type { Command } from './command.ts';
import { CONNECTION_HELP, type Connection, connection, UsageError } from './connection.ts';

/** Everything of a large org in one transaction. */
const PATIENCE_MS = 120_000;
/** Exit code of a diff that is not empty, as terraform plan -detailed-exitcode has it. */
const CHANGES = 2;

const HELP = `Options:
  --prune  also what a section of the file does not name is removed
           (diff: for a changed floe.yaml, to see what leaves it)
  --json   the answer as JSON

\${NAME} in the file is taken from the environment of this command. A secret that is not set stays as it is stored.
${CONNECTION_HELP}`;

export const diffConfig: Command = {
  words: ['config', 'diff'],
  usage: 'config diff <file> [--prune]',
  does: 'Tells what a floe.yaml would change, exit code 2 when that is anything; "-" reads standard input.',
  help: HELP,
  run: (args) => send('diff', args),
};

export const applyConfig: Command = {
  words: ['config', 'apply'],
  usage: 'config apply <file> [--prune]',
  does: 'Applies a floe.yaml to the org, all of it or nothing; "-" reads standard input.',
  help: HELP,
  run: (args) => send('apply', args),
};

async function send(verb: 'diff' | 'apply', args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { prune: { type: 'boolean' }, json: { type: 'boolean' } },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0)
    throw new UsageError(`floe config ${verb} takes one file, or "-" for standard input.`);
  const yaml = textOf(file);
  const body = { yaml, variables: variablesIn(yaml, process.env), prune: values.prune === true };
  const answer = await post(connection(), `/api/management/config/${verb}`, body);
  process.stdout.write(values.json ? `${JSON.stringify(answer, null, 2)}\n` : shown(answer, verb));
  return verb === 'diff' && listIn(answer, 'changes').length > 0 ? CHANGES : 0;
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${reasonOf(error)}.`);
  }
}

/** Values of the variables that a text names; no other variable leaves this machine. */
export function variablesIn(text: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const names = new Set([...text.matchAll(/\$\{([A-Za-z_]\w*)/g)].map(([, name]) => name ?? ''));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** @throws ApiError */
async function post({ apiKey, baseUrl }: Connection, path: string, body: object): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    text = await response.text();
  } catch (error) {
    throw new ApiError(`${baseUrl} could not be reached: ${reasonOf(error)}. Is FLOE_BASE_URL right?`);
  }
  const value = parsed(text);
  if (response.ok && value !== undefined) return value;
  throw refusalOf({ apiKey, baseUrl }, response.status, value);
}

function shown(answer: unknown, verb: 'diff' | 'apply'): string {
  const changes = listIn(answer, 'changes').filter(isRecord);
  const rows = changes.map(({ action, kind, id, fields, in_file }) => ({
    action,
    kind,
    id,
    where: in_file ? 'floe.yaml' : 'API',
    fields: action === 'changed' ? fields : [],
  }));
  const ignored = listIn(answer, 'ignored').map((line) => `not applied: ${String(line)}\n`);
  const unchanged = Number(member(answer, 'unchanged') ?? 0);
  const done = verb === 'diff' ? 'would change' : 'changed';
  const total = `${changes.length} ${done}, ${unchanged} as they are.\n`;
  return `${rows.length === 0 ? '' : table(rows)}${ignored.join('')}${total}`;
}

function listIn(answer: unknown, name: string): readonly unknown[] {
  const list = member(answer, name);
  return Array.isArray(list) ? list : [];
}

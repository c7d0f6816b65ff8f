import { parseDocument, visit } from 'yaml';
import { isRecord } from './api/api-operations.ts';
import { formatTable } from './api/format-table.ts';
import { createConnectionError, readProperty, toApiRequestError, tryParseJsonText } from './api-request.ts';
import type { CliCommand } from './command.ts';
import { type ApiConnection, CONNECTION_ENVIRONMENT_HELP, readApiConnection } from './connection.ts';
import { parseCliOptions } from './parse-options.ts';
import { readTextFile } from './read-text-file.ts';
import { UsageError } from './usage-error.ts';

/** Time limit for applying a large org, which takes one transaction. */
const APPLY_TIMEOUT_MS = 120_000;
/** Exit code of a diff with changes, as in `terraform plan -detailed-exitcode`. */
const EXIT_CODE_CHANGES = 2;

const CONFIG_HELP = `Options:
  --prune  also remove resources that are missing from a section of the file, except platform keys and resources in the server's floe.yaml
           (with diff: also list them)
  --json   print the response as JSON

\${NAME} in the file is replaced with the value of the environment variable NAME. If a secret refers to a variable that is not set, Floe keeps the stored secret.
${CONNECTION_ENVIRONMENT_HELP}`;

/** The command `floe config diff`, which shows what applying a floe.yaml file would change. */
export const diffConfigCommand: CliCommand = {
  words: ['config', 'diff'],
  usage: 'config diff <file> [--prune]',
  summary:
    'Shows what applying a floe.yaml would change; "-" reads standard input. Exits with 2 if there are changes.',
  help: CONFIG_HELP,
  usageErrorCode: 1,
  run: (args) => sendConfig('diff', args),
};

/** The command `floe config apply`, which applies a floe.yaml file to the organization. */
export const applyConfigCommand: CliCommand = {
  words: ['config', 'apply'],
  usage: 'config apply <file> [--prune]',
  summary: 'Applies a floe.yaml to the organization atomically; "-" reads standard input.',
  help: CONFIG_HELP,
  run: (args) => sendConfig('apply', args),
};

async function sendConfig(verb: 'diff' | 'apply', args: readonly string[]): Promise<number> {
  const { values, positionals } = parseCliOptions({
    args: [...args],
    allowPositionals: true,
    options: { prune: { type: 'boolean' }, json: { type: 'boolean' } },
  });
  const [file, ...extra] = positionals;
  if (file === undefined || extra.length > 0)
    throw new UsageError(`floe config ${verb} requires one file, or "-" for standard input.`);
  const yaml = readTextFile(file);
  const body = {
    yaml,
    variables: resolveReferencedVariables(yaml, process.env),
    prune: values.prune === true,
  };
  const answer = await postApiJson(readApiConnection(), `/api/management/config/${verb}`, body);
  process.stdout.write(
    values.json ? `${JSON.stringify(answer, null, 2)}\n` : formatConfigChanges(answer, verb),
  );
  return verb === 'diff' && getListMember(answer, 'changes').length > 0 ? EXIT_CODE_CHANGES : 0;
}

const REFERENCE = /(?<!\$)\$\{([A-Za-z_]\w*)(?=\}|:-)/g;

/**
 * Returns the values of the environment variables to which a YAML text refers. No other variables are sent to the
 * server, not even those in a comment or in an escaped reference such as `$${NAME}`.
 */
export function resolveReferencedVariables(text: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const names = new Set<string>();
  visit(parseDocument(text, { logLevel: 'silent' }), {
    Scalar(_, { value }) {
      if (typeof value === 'string') for (const [, name = ''] of value.matchAll(REFERENCE)) names.add(name);
    },
  });
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** Sends a `POST` request and returns the parsed JSON. @throws ApiRequestError */
async function postApiJson({ apiKey, baseUrl }: ApiConnection, path: string, body: object): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(APPLY_TIMEOUT_MS),
    });
    text = await response.text();
  } catch (error) {
    throw createConnectionError(baseUrl, error);
  }
  const value = tryParseJsonText(text);
  if (response.ok && value !== undefined) return value;
  throw toApiRequestError({ apiKey, baseUrl }, response.status, value);
}

function formatConfigChanges(answer: unknown, verb: 'diff' | 'apply'): string {
  const changes = getListMember(answer, 'changes').filter(isRecord);
  const rows = changes.map(({ action, kind, id, fields, in_file }) => ({
    action,
    kind,
    id,
    where: in_file ? 'floe.yaml' : 'API',
    fields: action === 'changed' ? fields : [],
  }));
  const ignored = getListMember(answer, 'ignored').map((line) => `not applied: ${String(line)}\n`);
  const unchanged = Number(readProperty(answer, 'unchanged') ?? 0);
  const done = verb === 'diff' ? 'would change' : 'changed';
  const total = `${changes.length} ${done}, ${unchanged} unchanged.\n`;
  return `${rows.length === 0 ? '' : formatTable(rows)}${ignored.join('')}${total}`;
}

function getListMember(answer: unknown, name: string): readonly unknown[] {
  const list = readProperty(answer, name);
  return Array.isArray(list) ? list : [];
}

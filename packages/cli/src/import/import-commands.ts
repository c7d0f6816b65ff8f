import { chmodSync, writeFileSync } from 'node:fs';
import type { CliCommand } from '../command.ts';
import { parseCliOptions } from '../parse-options.ts';
import { readTextFile } from '../read-text-file.ts';
import { runServerProgramForJson } from '../server-process.ts';
import { UsageError } from '../usage-error.ts';
import { convertBifrost } from './bifrost.ts';
import type { ConfigDraft } from './config-draft.ts';
import { formatFloeYaml } from './config-draft.ts';
import { ImportSourceError, parseImportSource } from './import-source.ts';
import { type ImportSourceObject, isPlainObject } from './import-source-object.ts';
import { convertLitellm } from './litellm/convert.ts';
import type { LitellmTables } from './litellm/database.ts';
import { convertPortkey } from './portkey.ts';
import { formatRequiredEnvironmentVariables, type ImportResult, runImport } from './run-import.ts';

const HELP = `Options:
  --output <file>        write floe.yaml to a file; default: standard output
  --org <id>             id of the organization; default: "default"
  --dry-run              print only the report
  --json                 print the report as JSON
  --secrets-file <file>  write the secrets as environment variables to a file that only you can read`;

const DATABASE_HELP = `
  --database <url>       also import teams, keys and budgets from the PostgreSQL database of LiteLLM`;

const OPTIONS = {
  output: { type: 'string' },
  org: { type: 'string' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  'secrets-file': { type: 'string' },
  database: { type: 'string' },
} as const;

type Options = { readonly [Name in keyof typeof OPTIONS]?: unknown };

interface ImportProduct {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** Matches references to variables in configurations of the product. */
  readonly variablePattern: RegExp;
  /** Prepares the synchronous converter. */
  prepare(options: Options): Promise<(root: ImportSourceObject, draft: ConfigDraft) => void>;
}

const PRODUCTS: readonly ImportProduct[] = [
  {
    name: 'litellm',
    usage: 'import litellm <config.yaml> [--database <url>]',
    summary:
      'Converts a LiteLLM configuration into a floe.yaml; with --database, also the teams, budgets and keys.',
    variablePattern: /^os\.environ\/(.+)$/,
    async prepare({ database }) {
      const tables = typeof database === 'string' ? await readTables(database) : null;
      return (root, draft) => convertLitellm(root, draft, tables);
    },
  },
  {
    name: 'portkey',
    usage: 'import portkey <configs.json>',
    summary: 'Converts Portkey configs into a floe.yaml.',
    variablePattern: /^env:(.+)$/,
    prepare: async () => convertPortkey,
  },
  {
    name: 'bifrost',
    usage: 'import bifrost <config.json>',
    summary: 'Converts a Bifrost configuration and its virtual keys into a floe.yaml.',
    variablePattern: /^env\.(.+)$/,
    prepare: async () => convertBifrost,
  },
];

/** The `floe import` commands, one for each supported product. */
export const IMPORT_COMMANDS: readonly CliCommand[] = PRODUCTS.map((product) => ({
  words: ['import', product.name],
  usage: product.usage,
  summary: product.summary,
  help: product.name === 'litellm' ? HELP + DATABASE_HELP : HELP,
  run: (args) => runProductImport(product, args),
}));

async function runProductImport(product: ImportProduct, args: readonly string[]): Promise<number> {
  const { database, ...common } = OPTIONS;
  const { values, positionals } = parseCliOptions({
    args: [...args],
    allowPositionals: true,
    options: product.name === 'litellm' ? OPTIONS : common,
  });
  const [file, ...extra] = positionals;
  if (file === undefined || extra.length > 0)
    throw new UsageError(`floe import ${product.name} requires one file, or "-" for standard input.`);
  try {
    const source = parseImportSource(readTextFile(file), file);
    const convert = await product.prepare(values);
    writeResult(runImport(source, product.variablePattern, convert), product.name, values);
    return 0;
  } catch (error) {
    if (!(error instanceof ImportSourceError)) throw error;
    process.stderr.write(`${error.message.replace(/^/gm, 'floe: ')}\n`);
    return 1;
  }
}

async function readTables(url: string): Promise<LitellmTables> {
  const { code, value } = await runServerProgramForJson(['read-litellm-database'], url);
  // The server program has already printed the reason.
  if (code !== 0 || !isPlainObject(value))
    throw new ImportSourceError(
      'The LiteLLM database could not be read, so nothing was imported. The previous message states the reason.',
    );
  return Object.fromEntries(
    Object.entries(value).map(([table, rows]) => [table, Array.isArray(rows) ? rows : null]),
  );
}

function writeResult({ draft, report, secrets }: ImportResult, product: string, options: Options): void {
  const { output, org, 'secrets-file': secretsFile, json } = options;
  const isDryRun = options['dry-run'] === true;
  const variables = secrets.required();
  if (!isDryRun) {
    const orgId = typeof org === 'string' ? org : 'default';
    if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(orgId))
      throw new UsageError(
        '--org: must start with a lowercase letter or a digit, contain only lowercase letters, digits, ".", "_" and "-", and have at most 64 characters.',
      );
    const yaml = formatFloeYaml(draft.toConfig(orgId), [
      `Created by floe import ${product}. Check it with: floe config check <file> --allow-unset`,
    ]);
    if (typeof output === 'string') writeOutputFile(output, yaml);
    else process.stdout.write(yaml);
    if (typeof secretsFile === 'string') writeOutputFile(secretsFile, secrets.formatFile(), writePrivateFile);
  }
  const text = json
    ? `${JSON.stringify({ created: draft.count(), counts: report.counts(), fields: report.lines(), variables }, null, 2)}\n`
    : `${report.format()}${formatRequiredEnvironmentVariables(variables)}`;
  (isDryRun || typeof output === 'string' ? process.stdout : process.stderr).write(text);
}

/** @throws UsageError if the file cannot be written */
function writeOutputFile(
  file: string,
  text: string,
  write: (file: string, text: string) => void = writeFileSync,
): void {
  try {
    write(file, text);
  } catch (error) {
    throw new UsageError(
      `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}. Specify a file in a directory that you can write to.`,
    );
  }
}

/**
 * Writes a file that only its owner may read. An existing file gets these permissions before the secrets are
 * written.
 */
function writePrivateFile(file: string, text: string): void {
  writeFileSync(file, '', { mode: 0o600 });
  chmodSync(file, 0o600);
  writeFileSync(file, text);
}

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { CliCommand } from '../command.ts';
import { parseCliOptions } from '../parse-options.ts';
import { UsageError } from '../usage-error.ts';
import { type HookScope, listAgentHookDefinitions } from './agent-hook-definitions.ts';
import { findMalformedHookSetting, replaceFloeHooks } from './hook-configuration.ts';
import { readHookSettings, resolveHookPaths } from './hook-settings.ts';
import { refreshBundle } from './refresh-bundle.ts';
import { formatTextDiff } from './text-diff.ts';

const SCOPE_HELP = `Options:
  --user       the settings of the agent for this user (default)
  --project    the settings of the project in the current directory, to be committed; floe-hook must be on the PATH of everyone who works on the project
  --managed    the settings of this machine, which users cannot change; requires write permission
  --dry-run    show the change without writing it
  -y, --yes    do not ask for confirmation`;

/** The command `floe hook install`. It adds the Floe hooks to the settings of an agent. */
export const installHookCommand: CliCommand = {
  words: ['hook', 'install'],
  usage: 'hook install <agent>',
  summary:
    "Configures an agent to ask the relay before it acts; shows the change to the agent's settings before writing it.",
  help: `${SCOPE_HELP}

Environment (the values are stored in a file that only you can read):
  FLOE_RELAY_KEY  a platform key with the scope "relay"
  FLOE_BASE_URL   base URL of Floe; default: http://127.0.0.1:3563`,
  run: (args) => changeHooks(args, 'install'),
};

/** The command `floe hook uninstall`. It removes the Floe hooks from the settings of an agent. */
export const uninstallHookCommand: CliCommand = {
  words: ['hook', 'uninstall'],
  usage: 'hook uninstall <agent>',
  summary: "Removes the Floe hooks from an agent's settings; other hooks are kept.",
  help: SCOPE_HELP,
  run: (args) => changeHooks(args, 'uninstall'),
};

async function changeHooks(args: readonly string[], action: 'install' | 'uninstall'): Promise<number> {
  const { agent, path, scope, dryRun, yes } = parseInstallTarget(args, action);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const before = parseSettings(text, path);
  const malformed = findMalformedHookSetting(before, agent);
  if (malformed !== null)
    throw new UsageError(
      `${path} was not changed because "${malformed}" is not ${malformed === 'hooks' ? 'an object' : 'a list'}. Correct the file.`,
    );
  const updated = replaceFloeHooks(
    before,
    agent,
    action === 'install' ? buildHookCommand(agent.agent, scope) : null,
  );
  const isSame = JSON.stringify(updated) === JSON.stringify(before);
  const after = isSame
    ? text
    : Object.keys(updated).length === 0
      ? ''
      : `${JSON.stringify(updated, null, detectIndent(text))}\n`;
  const diff = formatTextDiff(text, after);
  process.stdout.write(diff === '' ? `${path}: nothing to change\n` : `${path}\n${diff}`);
  if (dryRun) return 0;
  if (diff !== '') {
    if (!yes && !(await confirm(`Write ${path}? [y/N] `))) {
      process.stdout.write('Nothing was written.\n');
      return 1;
    }
    writeFileAtomically(path, after, 0o644);
  }
  if (action === 'install') await storeConnection();
  if (action === 'install' && agent.note) process.stdout.write(`${agent.note}\n`);
  return 0;
}

function parseInstallTarget(args: readonly string[], action: string) {
  const { values, positionals } = parseCliOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      user: { type: 'boolean' },
      project: { type: 'boolean' },
      managed: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
      yes: { type: 'boolean', short: 'y' },
    },
  });
  const all = listAgentHookDefinitions(process.env, process.cwd());
  const agent = all.find((one) => one.agent === positionals[0]);
  if (!agent || positionals.length !== 1)
    throw new UsageError(`usage: floe hook ${action} <${all.map((one) => one.agent).join('|')}>`);
  const scopes = (['user', 'project', 'managed'] as const).filter((scope) => values[scope]);
  if (scopes.length > 1) throw new UsageError('Use only one of --user, --project and --managed.');
  const scope = scopes[0] ?? 'user';
  const path = agent.files[scope];
  if (path === undefined)
    throw new UsageError(
      `floe hook ${action} does not support --${scope} for ${agent.agent}. Supported: ${Object.keys(
        agent.files,
      )
        .map((one) => `--${one}`)
        .join(', ')}. Other ways to install the hook are described in docs/reference/relay-hooks.md.`,
    );
  return { agent, path, scope, dryRun: values['dry-run'] === true, yes: values.yes === true };
}

/**
 * In a project, the command must work for all developers. In other scopes, it must not depend on the PATH of
 * an agent.
 */
function buildHookCommand(agent: string, scope: HookScope): string {
  if (scope === 'project') return `floe-hook ${agent}`;
  const program = fileURLToPath(new URL('../../bin/floe-hook.mjs', import.meta.url));
  return `"${process.execPath}" "${program}" ${agent}`;
}

/** @throws UsageError if the file cannot be rewritten safely */
function parseSettings(text: string, path: string): JsonObject {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError(
    `${path} was not changed because it is not a valid JSON object. Comments are not supported. Correct the file, or change the hooks manually as described in docs/reference/relay-hooks.md.`,
  );
}

function detectIndent(text: string): string | number {
  return /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? 2;
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(
      'Cannot ask for confirmation without a terminal. To write the change without confirmation, add --yes. To show the change without writing it, add --dry-run.',
    );
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
}

/**
 * Replaces a file atomically and keeps its mode. If the path is a symbolic link, replaces the file to which it points.
 * Removes the file if the text is empty.
 */
function writeFileAtomically(linkPath: string, text: string, mode: number): void {
  const path = existsSync(linkPath) ? realpathSync(linkPath) : linkPath;
  if (text === '') return rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.floe-${process.pid}`;
  writeFileSync(draft, text, { mode: existsSync(path) ? statSync(path).mode & 0o777 : mode });
  renameSync(draft, path);
}

/**
 * Stores the connection for hooks, which often do not see the environment of a shell, and downloads the
 * rules.
 */
async function storeConnection(): Promise<void> {
  const paths = resolveHookPaths();
  const key = process.env['FLOE_RELAY_KEY']?.trim();
  const stored = readStoredConnection(paths.user);
  const base_url = process.env['FLOE_BASE_URL']?.trim() || (stored?.['base_url'] ?? 'http://127.0.0.1:3563');
  if (key && stored !== null && (stored['key'] !== key || stored['base_url'] !== base_url)) {
    mkdirSync(dirname(paths.user), { recursive: true, mode: 0o700 });
    writeFileAtomically(paths.user, `${JSON.stringify({ ...stored, base_url, key }, null, 2)}\n`, 0o600);
    chmodSync(paths.user, 0o600);
    process.stdout.write(`${paths.user}: connection stored, readable only by you\n`);
  }
  const settings = readHookSettings(paths);
  const message = await refreshBundle(paths, settings).catch((error: unknown) =>
    error instanceof Error ? `not connected: ${error.message}` : 'not connected',
  );
  process.stdout.write(`${settings.baseUrl ?? 'no base URL'}: ${message}\n`);
}

/**
 * The settings in the user's file. Null if it cannot be changed, because it is not a JSON object, or because another user
 * can write it: the key must not be sent to a base URL that another user chose.
 */
function readStoredConnection(path: string): JsonObject | null {
  if (!existsSync(path)) return {};
  if (process.platform !== 'win32' && (statSync(path).mode & 0o022) !== 0) return null;
  try {
    const stored: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isJsonObject(stored) ? stored : null;
  } catch {
    // The hook settings report the problem.
    return null;
  }
}

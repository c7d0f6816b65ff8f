import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isObject, type JsonObject } from '@floe/contract/json';
import type { Command } from '../command.ts';
import { UsageError } from '../connection.ts';
import { agentFiles, type HookScope } from './agent-files.ts';
import { withHooks } from './hook-configuration.ts';
import { refreshBundle } from './refresh.ts';
import { readSettings, settingsPlaces } from './settings.ts';
import { textDiff } from './text-diff.ts';

const SCOPE_HELP = `Options:
  --user       the agent's settings of this user (without an option)
  --project    those of the project in this directory, to be committed; floe-hook must then be on everybody's PATH
  --managed    those of this machine, which its users cannot change; needs the rights to write there
  --dry-run    show the change, write nothing
  -y, --yes    do not ask`;

export const hookInstall: Command = {
  words: ['hook', 'install'],
  usage: 'hook install <agent>',
  does: 'Has an agent ask the relay before it acts: shows the change of its settings, then writes it.',
  help: `${SCOPE_HELP}

Environment, for the first time; it is kept in a file that only you can read:
  FLOE_RELAY_KEY  a platform key with the scope "relay"
  FLOE_BASE_URL   address of Floe; http://127.0.0.1:3563 unless set`,
  run: (args) => change(args, 'install'),
};

export const hookUninstall: Command = {
  words: ['hook', 'uninstall'],
  usage: 'hook uninstall <agent>',
  does: 'Takes the hooks of Floe out of the settings of an agent; all others stay.',
  help: SCOPE_HELP,
  run: (args) => change(args, 'uninstall'),
};

async function change(args: readonly string[], what: 'install' | 'uninstall'): Promise<number> {
  const { agent, path, scope, dryRun, yes } = targetOf(args, what);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const before = parsed(text, path);
  const wanted = withHooks(before, agent, what === 'install' ? commandFor(agent.agent, scope) : null);
  const isSame = JSON.stringify(wanted) === JSON.stringify(before);
  const after = isSame
    ? text
    : Object.keys(wanted).length === 0
      ? ''
      : `${JSON.stringify(wanted, null, indentOf(text))}\n`;
  const diff = textDiff(text, after);
  process.stdout.write(diff === '' ? `${path}: nothing to change\n` : `${path}\n${diff}`);
  if (dryRun) return 0;
  if (diff !== '') {
    if (!yes && !(await agreed(`Write ${path}? [y/N] `))) {
      process.stdout.write('Nothing was written.\n');
      return 1;
    }
    write(path, after, 0o644);
  }
  if (what === 'install') await connect();
  if (what === 'install' && agent.note) process.stdout.write(`${agent.note}\n`);
  return 0;
}

function targetOf(args: readonly string[], what: string) {
  const { values, positionals } = parseArgs({
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
  const all = agentFiles(process.env, process.cwd());
  const agent = all.find((one) => one.agent === positionals[0]);
  if (!agent || positionals.length !== 1)
    throw new UsageError(`usage: floe hook ${what} <${all.map((one) => one.agent).join('|')}>`);
  const scopes = (['user', 'project', 'managed'] as const).filter((scope) => values[scope]);
  if (scopes.length > 1) throw new UsageError('give one of --user, --project and --managed');
  const scope = scopes[0] ?? 'user';
  const path = agent.files[scope];
  if (path === undefined)
    throw new UsageError(
      `${agent.agent} has no such file; it can be installed with ${Object.keys(agent.files)
        .map((one) => `--${one}`)
        .join(', ')}. docs/relay-clients.md tells the other ways.`,
    );
  return { agent, path, scope, dryRun: values['dry-run'] === true, yes: values.yes === true };
}

/** In a project the command must mean the same for everybody; elsewhere it must not depend on the PATH of an agent. */
function commandFor(agent: string, scope: HookScope): string {
  if (scope === 'project') return `floe-hook ${agent}`;
  const program = fileURLToPath(new URL('../../bin/floe-hook.mjs', import.meta.url));
  return `"${process.execPath}" "${program}" ${agent}`;
}

/** @throws UsageError when the file is one this command must not rewrite */
function parsed(text: string, path: string): JsonObject {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new UsageError(
    `${path} is not a JSON object (comments are none either), so it was left alone. Mend it, or write the hooks by hand: docs/relay-clients.md.`,
  );
}

function indentOf(text: string): string | number {
  return /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? 2;
}

async function agreed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError('nobody can be asked here: repeat with --yes, or look with --dry-run');
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
}

/** A file of which nothing is left goes; the mode of one that is there stays. */
function write(path: string, text: string, mode: number): void {
  if (text === '') return rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.floe-${process.pid}`;
  writeFileSync(draft, text, { mode: existsSync(path) ? statSync(path).mode & 0o777 : mode });
  renameSync(draft, path);
}

/** Keeps the connection for hooks, which often do not see the environment of a shell, and fetches the rules. */
async function connect(): Promise<void> {
  const places = settingsPlaces();
  const key = process.env['FLOE_RELAY_KEY']?.trim();
  if (!existsSync(places.user) && key) {
    const baseUrl = process.env['FLOE_BASE_URL']?.trim() || 'http://127.0.0.1:3563';
    mkdirSync(dirname(places.user), { recursive: true, mode: 0o700 });
    write(places.user, `${JSON.stringify({ base_url: baseUrl, key }, null, 2)}\n`, 0o600);
    process.stdout.write(`${places.user}: the connection, for you alone to read\n`);
  }
  const settings = readSettings(places);
  const told = await refreshBundle(places, settings).catch((error: unknown) =>
    error instanceof Error ? `not connected: ${error.message}` : 'not connected',
  );
  process.stdout.write(`${settings.baseUrl ?? 'no address'}: ${told}\n`);
}

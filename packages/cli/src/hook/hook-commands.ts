import { existsSync, readFileSync } from 'node:fs';
import { isJsonObject } from '@floe/contract/json';
import type { CliCommand } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { type AgentHookDefinition, listAgentHookDefinitions } from './agent-hook-definitions.ts';
import { getBundleCacheDirectory, readCachedBundle } from './bundle-cache.ts';
import { exitProcess } from './exit-process.ts';
import { countRequiredAndInstalledHooks } from './hook-configuration.ts';
import { findHookProblems } from './hook-problems.ts';
import { readHookSettings, resolveHookPaths } from './hook-settings.ts';
import { installHookCommand, uninstallHookCommand } from './install-commands.ts';
import { runHook } from './main.ts';
import { refreshBundle } from './refresh-bundle.ts';
import { verifyCachedBundle } from './verify-cached-bundle.ts';

const hookStatusCommand: CliCommand = {
  words: ['hook', 'status'],
  usage: 'hook status',
  summary:
    'Shows which agents use the relay, whether the server responds, and what the hook does if it cannot reach the server.',
  run: printHookStatus,
};

const hookCommand: CliCommand = {
  words: ['hook'],
  usage: 'hook <agent>',
  summary:
    'Handles a hook call of an agent: reads the payload from standard input and writes the response to standard output.',
  help: 'Agents run bin/floe-hook.mjs, which does the same thing and starts faster.',
  async run(args) {
    const [agent, ...more] = args;
    if (agent === undefined || more.length > 0) throw new UsageError('usage: floe hook <agent>');
    const exitCode = await runHook(agent);
    exitProcess(exitCode);
    return exitCode;
  },
};

/** The commands that start with `floe hook`. */
export const HOOK_COMMANDS: readonly CliCommand[] = [
  hookCommand,
  installHookCommand,
  uninstallHookCommand,
  hookStatusCommand,
];

async function printHookStatus(): Promise<number> {
  const paths = resolveHookPaths();
  const settings = readHookSettings(paths);
  const lines = [`connection  ${settings.baseUrl ?? 'none'}`];
  if (settings.problem !== null) lines.push(`            ${settings.problem}`);
  const answer = await refreshBundle(paths, settings).then(
    (message) => ({ message, code: 0 }),
    (error: unknown) => ({ message: error instanceof Error ? error.message : 'unknown', code: 1 }),
  );
  lines.push(`server      ${answer.message}`, `offline     ${withoutServer()}`);
  const agents = listAgentHookDefinitions(process.env, process.cwd()).flatMap(getAgentStatuses);
  for (const { line, problems } of agents)
    lines.push(line, ...problems.map((problem) => `            ${problem}`));
  process.stdout.write(`${lines.join('\n')}\n`);
  return agents.some(({ problems }) => problems.length > 0) ? 1 : answer.code;

  function withoutServer(): string {
    const cached = readCachedBundle(getBundleCacheDirectory(paths, settings), settings);
    const known = cached && verifyCachedBundle(cached, Number.NEGATIVE_INFINITY);
    if (!known)
      return `no rules are cached; if the server is unreachable, ${settings.onError === 'open' ? 'agents use only their own permissions' : 'every action is denied'}`;
    const isOver = Date.parse(known.expires_at) <= Date.now();
    if (isOver)
      return `the cached rules expired at ${known.expires_at}; if the server is unreachable, the on_error settings of the rules decide`;
    const how =
      known.relay.offline === 'decide'
        ? 'if the server is unreachable, the cached rules decide'
        : 'if the server is unreachable, the on_error settings of the rules decide';
    const count = known.relay.rules.length;
    return `${how}; ${count} ${count === 1 ? 'rule' : 'rules'} cached until ${known.expires_at}`;
  }
}

interface AgentStatus {
  readonly line: string;
  /** Why the agent does not run its installed hooks. */
  readonly problems: readonly string[];
}

function getAgentStatuses(agent: AgentHookDefinition): AgentStatus[] {
  const settingsFiles = Object.entries(agent.files).flatMap(([scope, path]) => {
    const file = readJsonObject(path);
    return file ? [{ scope, path, file }] : [];
  });
  return settingsFiles.flatMap(({ scope, path, file }) => {
    const { found, wanted } = countRequiredAndInstalledHooks(file, agent);
    if (found === 0) return [];
    const line = `${agent.agent.padEnd(11)} ${scope}: ${found} of ${wanted} hooks in ${path}`;
    return [{ line, problems: findHookProblems(agent, { scope, path, file, allFiles: settingsFiles }) }];
  });
}

function readJsonObject(path: string) {
  if (!existsSync(path)) return null;
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

import { existsSync, readFileSync } from 'node:fs';
import { isObject } from '@floe/contract/json';
import type { Command } from '../command.ts';
import { UsageError } from '../connection.ts';
import { type AgentFile, agentFiles } from './agent-files.ts';
import { bundleDirectory, readCachedBundle } from './bundle-cache.ts';
import { endProcess } from './end-process.ts';
import { countHooks } from './hook-configuration.ts';
import { hookProblems } from './hook-problems.ts';
import { hookInstall, hookUninstall } from './install-commands.ts';
import { hookMain } from './main.ts';
import { openCachedBundle } from './open-bundle.ts';
import { refreshBundle } from './refresh.ts';
import { readSettings, settingsPlaces } from './settings.ts';

const hookStatus: Command = {
  words: ['hook', 'status'],
  usage: 'hook status',
  does: 'Tells which agents ask the relay, whether it answers, and what holds while it does not.',
  run: status,
};

const hook: Command = {
  words: ['hook'],
  usage: 'hook <agent>',
  does: 'Answers a hook of an agent: its payload on standard input, its answer on standard output.',
  help: 'Agents start bin/floe-hook.mjs, which is the same and starts sooner.',
  async run(args) {
    const [agent, ...more] = args;
    if (agent === undefined || more.length > 0) throw new UsageError('usage: floe hook <agent>');
    const exitCode = await hookMain(agent);
    endProcess(exitCode);
    return exitCode;
  },
};

export const HOOK_COMMANDS: readonly Command[] = [hook, hookInstall, hookUninstall, hookStatus];

async function status(): Promise<number> {
  const places = settingsPlaces();
  const settings = readSettings(places);
  const lines = [`connection  ${settings.baseUrl ?? 'none'}`];
  if (settings.trouble !== null) lines.push(`            ${settings.trouble}`);
  const answer = await refreshBundle(places, settings).then(
    (told) => ({ told, code: 0 }),
    (error: unknown) => ({ told: error instanceof Error ? error.message : 'unknown', code: 1 }),
  );
  lines.push(`server      ${answer.told}`, `without it  ${withoutServer()}`);
  const agents = agentFiles(process.env, process.cwd()).flatMap(statusOfAgent);
  for (const { line, problems } of agents)
    lines.push(line, ...problems.map((problem) => `            ${problem}`));
  process.stdout.write(`${lines.join('\n')}\n`);
  return agents.some(({ problems }) => problems.length > 0) ? 1 : answer.code;

  function withoutServer(): string {
    const cached = readCachedBundle(bundleDirectory(places, settings), settings);
    const known = cached && openCachedBundle(cached, Number.NEGATIVE_INFINITY);
    if (!known) return `no rules are known here; every hook fails ${settings.onError}`;
    const isOver = Date.parse(known.expires_at) <= Date.now();
    if (isOver) return `the rules known here are over since ${known.expires_at}; their on_error holds`;
    const how = known.relay.offline === 'decide' ? 'rules decide here' : 'on_error holds';
    return `${how}, ${known.relay.rules.length} rules known until ${known.expires_at}`;
  }
}

interface AgentStatus {
  readonly line: string;
  /** Why the agent does not run hooks that are in its file. */
  readonly problems: readonly string[];
}

function statusOfAgent(agent: AgentFile): AgentStatus[] {
  const places = Object.entries(agent.files).flatMap(([scope, path]) => {
    const file = jsonIn(path);
    return file ? [{ scope, path, file }] : [];
  });
  return places.flatMap(({ scope, path, file }) => {
    const { found, wanted } = countHooks(file, agent);
    if (found === 0) return [];
    const line = `${agent.agent.padEnd(11)} ${scope}: ${found} of ${wanted} hooks in ${path}`;
    return [{ line, problems: hookProblems(agent, { scope, path, file, places }) }];
  });
}

function jsonIn(path: string) {
  if (!existsSync(path)) return null;
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

// One agent with the hook that `floe hook install` writes, one scripted upstream: what a rule denies has no effect and
// the model hears why; what no rule is against goes on.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { objectOrEmpty, type TestDialect } from '../answer-content.ts';
import type { DialectGateway } from '../dialect-gateway.ts';
import type { AgentDefinition, AgentRunContext } from './agent-definitions.ts';
import { createAgentEnvironment, killLeftoverProcesses, runAgentProgram } from './agent-runs.ts';
import { FINAL_TEXT, hasToolResult, scriptedReply, type ToolOrder } from './scripted-model.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'cli', 'src', 'main.ts');

/** What the agent's model reads when the rule below applies. */
export const DENIAL_REASON = 'Files of that name are made by the release only.';

/** The org's relay: one rule, about one file. */
export const RELAY_CONFIG = {
  mode: 'enforce',
  rules: [
    {
      name: 'release-only',
      on: 'shell',
      when: "shell.text.contains('forbidden.txt')",
      decision: 'deny',
      message: { user: DENIAL_REASON, agent: DENIAL_REASON },
    },
  ],
};

export interface HookDefinition {
  /** As `floe hook` calls the agent. */
  readonly agent: string;
  readonly definition: AgentDefinition;
  readonly dialect: TestDialect;
}

interface HookScenario {
  readonly name: string;
  readonly file: string;
  /** Of the connection that hooks are given; null for the harness. */
  readonly baseUrl: string | null;
  /** The server answers while the hook is installed, and then does this; null where it goes on answering. */
  readonly later: 'down' | 'hanging' | null;
  /** How often: what ends a process too late does so now and then. */
  readonly times: number;
  /** What the model must have read; null when the command has to have its effect. */
  readonly refusedWith: string | null;
}

const DOWN = 'http://127.0.0.1:9';
const USUAL = { baseUrl: null, later: null, refusedWith: null, times: 1 } as const;

export const HOOK_SCENARIOS: readonly HookScenario[] = [
  { ...USUAL, name: 'a rule denies', file: 'forbidden.txt', refusedWith: DENIAL_REASON },
  { ...USUAL, name: 'no rule is against it', file: 'free.txt' },
  {
    ...USUAL,
    name: 'no server, failing closed',
    file: 'free.txt',
    baseUrl: DOWN,
    refusedWith: 'could not make a decision',
  },
  {
    ...USUAL,
    name: 'a rule denies while the server is down',
    file: 'forbidden.txt',
    later: 'down',
    refusedWith: DENIAL_REASON,
    times: 5,
  },
  {
    ...USUAL,
    name: 'a rule denies while the server hangs',
    file: 'forbidden.txt',
    later: 'hanging',
    refusedWith: DENIAL_REASON,
    times: 3,
  },
  { ...USUAL, name: 'no rule is against it while the server is down', file: 'free.txt', later: 'down' },
];

/** What was not as it has to be; an empty list when all was. */
export async function runHookScenario(
  { agent, definition, dialect }: HookDefinition,
  situation: HookScenario,
  harness: DialectGateway,
  installed: string,
): Promise<readonly string[]> {
  const home = mkdtempSync(join(tmpdir(), 'floe-hook-'));
  const work = join(home, 'work');
  mkdirSync(work);
  const command = `echo done > ${situation.file} && cat ${situation.file}`;
  const task = `Run this with your shell tool, then say that it is done: ${command}`;
  const place: AgentRunContext = {
    url: harness.url,
    key: harness.key,
    model: `${dialect}/${definition.model ?? 'm-1'}`,
    home,
    task,
  };
  for (const [name, text] of Object.entries(definition.files?.(place) ?? {}))
    writePrivateFile(join(home, name), text);
  const connection = {
    base_url: situation.baseUrl ?? new URL(harness.url).origin,
    key: harness.key,
    on_error: situation.later === null ? 'closed' : 'open',
  };
  const connectionFile = join(home, '.config', 'floe', 'relay.json');
  writePrivateFile(connectionFile, JSON.stringify(connection));
  const env = createAgentEnvironment(definition, place, work);
  const setUp = await runAgentProgram(
    process.execPath,
    [PROGRAM, 'hook', 'install', agent, '--user', '--yes'],
    work,
    env,
  );

  const hanging = situation.later === 'hanging' ? await startHangingServer() : null;
  if (situation.later !== null)
    writePrivateFile(connectionFile, JSON.stringify({ ...connection, base_url: hanging?.url ?? DOWN }));

  const order: ToolOrder = { tool: definition.tool, input: definition.input(command) };
  const upstream = harness.upstream(dialect);
  const from = upstream.requests.length;
  harness.setReply(dialect, (request) => scriptedReply(dialect, request, order));
  const ran = await runAgentProgram(
    join(installed, 'node_modules', '.bin', definition.program),
    definition.args(place),
    work,
    env,
  );
  killLeftoverProcesses(home);
  hanging?.close();

  const asked = upstream.requests.slice(from).map(({ body }) => body.toString());
  const hasEffect = existsSync(join(work, situation.file));
  const faults = findHookFaults(situation, dialect, { asked, hasEffect, ran });
  if (setUp.code !== 0) faults.push(`floe hook install ended with ${setUp.code}: ${setUp.output}`);
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  return faults.length === 0 ? [] : [...faults, ran.output.slice(-2500)];
}

/** What a run left behind. */
interface HookRunResult {
  /** Bodies that the model was sent. */
  readonly asked: readonly string[];
  /** Whether the command ran. */
  readonly hasEffect: boolean;
  readonly ran: { readonly code: number | null; readonly output: string };
}

function findHookFaults(
  situation: HookScenario,
  dialect: TestDialect,
  { asked, hasEffect, ran }: HookRunResult,
): string[] {
  const brought = asked.filter((body) => hasToolResult(dialect, objectOrEmpty(JSON.parse(body || '{}'))));
  const faults: string[] = [];
  if (situation.refusedWith !== null) {
    if (hasEffect) faults.push('the command had its effect');
    // Failing closed stops the prompt already, where prompts can be stopped: the model is never asked.
    const isHeard = asked.some((body) => body.includes(situation.refusedWith ?? ''));
    const isStopped = situation.baseUrl !== null && asked.length === 0;
    if (!isHeard && !isStopped) faults.push('the model did not read the reason');
  } else {
    if (!hasEffect) faults.push('the command had no effect');
    if (brought.length === 0) faults.push('its result did not come back');
    if (!ran.output.includes(FINAL_TEXT)) faults.push('the last words were not shown');
    if (ran.code !== 0) faults.push(`ended with ${ran.code}`);
  }
  return faults;
}

/** Accepts connections and never answers. */
async function startHangingServer(): Promise<{ readonly url: string; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function writePrivateFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
}

// One agent, one task, one scripted upstream: the loop is closed when the tool wrote the file, its result came
// back to the model and the agent ended well with the model's last words.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { objectOrEmpty, type TestDialect } from '../answer-content.ts';
import type { DialectGateway } from '../dialect-gateway.ts';
import { type AgentDefinition, type AgentRunContext, PROOF_TEXT } from './agent-definitions.ts';
import {
  FINAL_TEXT,
  hasToolResult,
  listOfferedTools,
  scriptedReply,
  type ToolOrder,
} from './scripted-model.ts';

const LIMIT_MS = 120_000;
const TASK = `Write the word ${PROOF_TEXT} into proof.txt with your shell tool, then say that it is done.`;
const COMMAND = `echo ${PROOF_TEXT} > proof.txt && cat proof.txt`;

/** Why the loop was not closed; an empty list when it was. */
export async function runAgent(
  definition: AgentDefinition,
  dialect: TestDialect,
  harness: DialectGateway,
  installed: string,
): Promise<readonly string[]> {
  // Outside of any project: agents look for one above their directory.
  const home = mkdtempSync(join(tmpdir(), 'floe-client-'));
  const work = join(home, 'work');
  mkdirSync(work);
  const place: AgentRunContext = {
    url: harness.url,
    key: harness.key,
    model: `${dialect}/${definition.model ?? 'm-1'}`,
    home,
    task: TASK,
  };
  for (const [name, text] of Object.entries(definition.files?.(place) ?? {})) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const order: ToolOrder = {
    tool: definition.tool,
    input: definition.input(COMMAND),
    ...(definition.freeform !== undefined && { freeform: definition.freeform }),
  };
  const upstream = harness.upstream(dialect);
  const from = upstream.requests.length;
  harness.setReply(dialect, (request) => scriptedReply(dialect, request, order));
  const program = join(installed, 'node_modules', '.bin', definition.program);
  const env = createAgentEnvironment(definition, place, work);
  if (definition.setupArgs) await runAgentProgram(program, definition.setupArgs(place), work, env);
  const ran = await runAgentProgram(program, definition.args(place), work, env);
  killLeftoverProcesses(home);

  const asked = upstream.requests
    .slice(from)
    .map(({ body }) => objectOrEmpty(JSON.parse(body.toString() || '{}')));
  const offered = new Set(asked.flatMap((body) => listOfferedTools(dialect, body)));
  const faults: string[] = [];
  if (asked.length === 0) faults.push('the upstream was not asked');
  else if (!offered.has(definition.tool))
    faults.push(`offers no tool ${definition.tool}, only ${[...offered].join(' ')}`);
  const proof = join(work, 'proof.txt');
  if (!existsSync(proof) || readFileSync(proof, 'utf8').trim() !== PROOF_TEXT)
    faults.push('the tool wrote no file');
  if (!asked.some((body) => hasToolResult(dialect, body))) faults.push('the result did not come back');
  if (!ran.output.includes(FINAL_TEXT)) faults.push('the last words were not shown');
  if (ran.code !== 0)
    faults.push(ran.code === null ? `did not end in ${LIMIT_MS} ms` : `ended with ${ran.code}`);
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  return faults.length === 0 ? [] : [...faults, ran.output.slice(-1500)];
}

/** A bare environment of its own; whatever is not loopback goes to a closed port. */
export function createAgentEnvironment(
  definition: AgentDefinition,
  place: AgentRunContext,
  work: string,
): Record<string, string> {
  const closed = 'http://127.0.0.1:9';
  const loopback = '127.0.0.1,localhost';
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: place.home,
    PWD: work,
    TMPDIR: place.home,
    TERM: 'dumb',
    NO_COLOR: '1',
    DO_NOT_TRACK: '1',
    ...(definition.isUnproxied !== true && {
      HTTP_PROXY: closed,
      HTTPS_PROXY: closed,
      NO_PROXY: loopback,
      no_proxy: loopback,
    }),
    ...definition.env(place),
  };
}

export interface AgentExit {
  /** Null when it had to be ended. */
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program to its end, or ends it and all it started after two minutes. */
export function runAgentProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<AgentExit> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        output += part;
      });
    // The group too: some agents leave daemons behind.
    const endGroup = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Nobody is left in it.
      }
    };
    const timer = setTimeout(endGroup, LIMIT_MS);
    child.on('error', (error) => {
      output += String(error);
    });
    child.on('exit', endGroup);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

/** Ends what an agent left running: the processes that live in the home directory made for it. */
export function killLeftoverProcesses(home: string): void {
  const numbers = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of numbers)
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`))
        process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended, or is not ours to look at.
    }
}

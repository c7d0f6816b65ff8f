import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Floe, type HeartbeatResult, sendSignal } from '@floe/sdk';
import { apiGet, textMember } from './api-get.ts';
import type { Command } from './command.ts';
import { CONNECTION_HELP, type Connection, connection, UsageError } from './connection.ts';
import { metadataOf } from './metadata-option.ts';
import { OutputTail } from './output-tail.ts';
import { type JobEnd, runJob } from './run-job.ts';

const TAIL_BYTES = 8192;
const LOOKUP_MS = 5000;
/** How long the end of the job may be held up by a server that does not answer. */
const LONGEST_MS = 10_000;

export const run: Command = {
  words: ['run'],
  usage: 'run <monitor-id> -- <command>',
  does: 'Runs a command and tells its monitor how it ended; the exit code is the command’s.',
  help: `Success sends a beat with the duration and the last 8 KB of output. A failure fails the monitor at once when its
secret beat URL is known (a key with the scope "monitoring" can look it up); else nothing is sent, and the monitor
misses its beat. Whatever the server does, the command runs, and its exit code comes back.

Options, before the "--":
  -m, --metadata key=value  stored with the check; may be repeated
  --no-output               do not read the command's output
${CONNECTION_HELP}
  FLOE_BEAT_URL  the monitor's secret URL, instead of a key

Example: 0 3 * * *  floe run nightly-backup -- /usr/local/bin/backup --full`,
  run: watch,
};

interface Options {
  readonly monitorId: string;
  readonly metadata: Record<string, string>;
  readonly command: readonly string[];
  readonly tail: OutputTail | null;
}

async function watch(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const runId = randomUUID();
  const startedMs = performance.now();
  const job = runJob(options.command, options.tail);
  // Beside the job: it starts at once, whether there is a server or not.
  const doors = openDoors(options.monitorId, runId);
  const end = await job;
  const durationMs = Math.round(performance.now() - startedMs);
  const telling = doors.then((open) => tell(open, options, { runId, end, durationMs }));
  const told = await atMost(LONGEST_MS, telling);
  if (told === null) say(options.monitorId, `the server did not answer within ${LONGEST_MS / 1000} s`);
  return leave(end);
}

function readOptions(args: readonly string[]): Options {
  const at = args.indexOf('--');
  const { values, positionals } = parseArgs({
    args: at === -1 ? [...args] : args.slice(0, at),
    allowPositionals: true,
    options: {
      metadata: { type: 'string', short: 'm', multiple: true },
      'no-output': { type: 'boolean' },
    },
  });
  const command = at === -1 ? [] : args.slice(at + 1);
  const [monitorId, ...more] = positionals;
  if (monitorId === undefined || more.length > 0 || command.length === 0)
    throw new UsageError('usage: floe run <monitor-id> -- <command>');
  const tail = values['no-output'] ? null : new OutputTail(TAIL_BYTES);
  return { monitorId, metadata: metadataOf(values.metadata), command, tail };
}

/** The ways to tell the monitor something. */
interface Doors {
  readonly floe: Floe | null;
  readonly beatUrl: string | null;
  /** Settles when the start has been told, or could not be. */
  readonly started: Promise<unknown>;
}

async function openDoors(monitorId: string, runId: string): Promise<Doors> {
  const given = process.env['FLOE_BEAT_URL']?.trim() || null;
  const account = given === null ? accountOrNull() : null;
  const beatUrl = given ?? (account && (await lookUp(account, monitorId)));
  const started =
    beatUrl === null ? Promise.resolve(null) : sendSignal(beatUrl, 'start', { runId, budgetSeconds: 5 });
  return { floe: account && new Floe({ ...account, onError: () => undefined }), beatUrl, started };
}

function accountOrNull(): Connection | null {
  try {
    return connection();
  } catch (error) {
    process.stderr.write(
      `floe: ${error instanceof Error ? error.message : ''} The command runs unwatched.\n`,
    );
    return null;
  }
}

/** The monitor's secret URL, on the address we know to reach; null where the key may not read it. */
async function lookUp(account: Connection, monitorId: string): Promise<string | null> {
  try {
    const path = `/api/monitoring/monitors/${encodeURIComponent(monitorId)}`;
    const shown = textMember(await apiGet(account, path, LOOKUP_MS), 'beat_url') ?? '';
    const token = /\/beat\/[^/?#\s]+$/.exec(shown)?.[0];
    return token === undefined ? null : `${account.baseUrl}${token}`;
  } catch {
    return null;
  }
}

interface FinishedRun {
  readonly runId: string;
  readonly end: JobEnd;
  readonly durationMs: number;
}

async function tell(doors: Doors, options: Options, run: FinishedRun): Promise<true> {
  const { monitorId, metadata, tail } = options;
  const output = tail?.text() ?? '';
  let result: HeartbeatResult | null = null;
  if (doors.beatUrl) {
    await doors.started;
    const labels = Object.entries(metadata).map(([key, value]) => `${key}=${value}\n`);
    const detail = { runId: run.runId, metadata: labels.join('') + output, monitorId };
    result = await sendSignal(doors.beatUrl, Math.min(run.end.status, 255), detail);
  } else if (doors.floe && run.end.status === 0) {
    const kept = { ...metadata, exit_status: 0, duration_ms: run.durationMs, ...(output && { output }) };
    result = await doors.floe.heartbeat(monitorId, kept);
  } else if (doors.floe)
    say(
      monitorId,
      'its beat URL could not be read (a key needs the scope "monitoring" for that); the monitor misses its beat instead',
    );
  if (result?.error) say(monitorId, result.error.message);
  return true;
}

function say(monitorId: string, why: string): void {
  process.stderr.write(`floe: ${monitorId} was not told: ${why}\n`);
}

/** What `work` gives within `ms`, else null. */
async function atMost<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends this process as the job ended: by the same signal, or with the same status and no wait for open requests. */
function leave({ status, signal }: JobEnd): number {
  if (signal !== null) process.kill(process.pid, signal);
  process.exit(status);
}

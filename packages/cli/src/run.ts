import { randomUUID } from 'node:crypto';
import { Floe, type HeartbeatResult, sendRunEvent } from '@floe/sdk';
import { getApiJson, readTextProperty } from './api-request.ts';
import type { CliCommand } from './command.ts';
import { type ApiConnection, CONNECTION_ENVIRONMENT_HELP, readApiConnection } from './connection.ts';
import { parseMetadataOptions } from './metadata-option.ts';
import { OutputTail } from './output-tail.ts';
import { parseCliOptions } from './parse-options.ts';
import { type JobExit, runJob } from './run-job.ts';
import { UsageError } from './usage-error.ts';

const OUTPUT_TAIL_BYTES = 8192;
const LOOKUP_TIMEOUT_MS = 5000;
/** How long an unresponsive server may delay the end of the command. */
const REPORT_TIMEOUT_MS = 10_000;
const STOP_SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

/** The command `floe run`, which runs a command and reports its result to a monitor. */
export const runCommand: CliCommand = {
  words: ['run'],
  usage: 'run <monitor-id> -- <command>',
  summary: "Runs a command and reports its result to a monitor; exits with the command's exit code.",
  help: `If the command succeeds, floe sends a beat with the duration and the last 8 KB of output. If the command fails, floe
reports the failure to the secret beat URL of the monitor, and the monitor fails immediately. A key with the scope
"monitoring" can read this URL. If the command fails and the URL is not available, floe sends nothing, and the beat counts as missed.
The command always runs, and floe always exits with the command's exit code, even if the server is unavailable.

Options, before the "--":
  -m, --metadata key=value  store this metadata with the beat; can be repeated
  --no-output               do not capture the output of the command
${CONNECTION_ENVIRONMENT_HELP}
  FLOE_BEAT_URL  the secret beat URL of the monitor, instead of a key

Example: 0 3 * * *  floe run nightly-backup -- /usr/local/bin/backup --full`,
  run: runMonitoredJob,
};

/**
 * Keeps this process running when a supervisor stops it while it reports the result of a command that has
 * already ended. Returns a function that restores the default. SIGINT still ends the process.
 */
function ignoreStopSignals(): () => void {
  const ignore = () => undefined;
  for (const signal of STOP_SIGNALS) process.on(signal, ignore);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, ignore);
  };
}

interface RunOptions {
  readonly monitorId: string;
  readonly metadata: Record<string, string>;
  readonly command: readonly string[];
  readonly tail: OutputTail | null;
}

async function runMonitoredJob(args: readonly string[]): Promise<number> {
  const options = parseRunOptions(args);
  const runId = randomUUID();
  const startedMs = performance.now();
  const job = runJob(options.command, options.tail);
  // Runs concurrently with the job, so that the job starts without waiting for the server.
  const clientPromise = createMonitorClient(options.monitorId, runId);
  const exit = await job;
  const durationMs = Math.round(performance.now() - startedMs);
  const reporting = clientPromise.then((client) => reportExit(client, options, { runId, exit, durationMs }));
  const release = ignoreStopSignals();
  const reported = await resolveWithin(REPORT_TIMEOUT_MS, reporting);
  release();
  if (reported === null)
    warnNotReported(options.monitorId, `the server did not respond within ${REPORT_TIMEOUT_MS / 1000} s`);
  return exitLikeJob(exit);
}

function parseRunOptions(args: readonly string[]): RunOptions {
  const at = args.indexOf('--');
  const { values, positionals } = parseCliOptions({
    args: at === -1 ? [...args] : args.slice(0, at),
    allowPositionals: true,
    options: {
      metadata: { type: 'string', short: 'm', multiple: true },
      'no-output': { type: 'boolean' },
    },
  });
  const command = at === -1 ? [] : args.slice(at + 1);
  const [monitorId, ...extra] = positionals;
  if (monitorId === undefined || extra.length > 0 || command.length === 0)
    throw new UsageError('usage: floe run <monitor-id> -- <command>');
  const tail = values['no-output'] ? null : new OutputTail(OUTPUT_TAIL_BYTES);
  return { monitorId, metadata: parseMetadataOptions(values.metadata), command, tail };
}

/** Reports the events of one run to the monitor. */
interface MonitorClient {
  readonly floe: Floe | null;
  readonly beatUrl: string | null;
  /** Requests the beat URL again. Null if there is none, or the key may not read it. */
  readonly findBeatUrl: () => Promise<string | null>;
  /** Settles when the start was reported or could not be. */
  readonly started: Promise<unknown>;
}

async function createMonitorClient(monitorId: string, runId: string): Promise<MonitorClient> {
  const configuredUrl = process.env['FLOE_BEAT_URL']?.trim() || null;
  const account = configuredUrl === null ? readConnectionOrNull() : null;
  const findBeatUrl = async () => account && (await fetchBeatUrl(account, monitorId));
  const beatUrl = configuredUrl ?? (await findBeatUrl());
  const started =
    beatUrl === null ? Promise.resolve(null) : sendRunEvent(beatUrl, 'start', { runId, budgetSeconds: 5 });
  return {
    floe: account && new Floe({ ...account, onError: () => undefined }),
    beatUrl,
    findBeatUrl,
    started,
  };
}

function readConnectionOrNull(): ApiConnection | null {
  try {
    return readApiConnection();
  } catch (error) {
    process.stderr.write(
      `floe: the command runs without monitoring: ${error instanceof Error ? error.message : 'unknown error'}\n`,
    );
    return null;
  }
}

/** The monitor's beat URL, with the configured base URL. Null if the key may not read it. */
async function fetchBeatUrl(account: ApiConnection, monitorId: string): Promise<string | null> {
  try {
    const path = `/api/monitoring/monitors/${encodeURIComponent(monitorId)}`;
    const shown = readTextProperty(await getApiJson(account, path, LOOKUP_TIMEOUT_MS), 'beat_url') ?? '';
    const token = /\/beat\/[^/?#\s]+$/.exec(shown)?.[0];
    return token === undefined ? null : `${account.baseUrl}${token}`;
  } catch {
    return null;
  }
}

interface FinishedJob {
  readonly runId: string;
  readonly exit: JobExit;
  readonly durationMs: number;
}

async function reportExit(client: MonitorClient, options: RunOptions, run: FinishedJob): Promise<true> {
  const { monitorId, metadata, tail } = options;
  const output = tail?.text() ?? '';
  let result: HeartbeatResult | null = null;
  // The server may have been unavailable when the command started. Only the beat URL accepts failures.
  const beatUrl = client.beatUrl ?? (run.exit.status === 0 ? null : await client.findBeatUrl());
  if (beatUrl) {
    await client.started;
    const labels = Object.entries(metadata).map(([key, value]) => `${key}=${value}\n`);
    const detail = { runId: run.runId, metadata: labels.join('') + output, monitorId };
    result = await sendRunEvent(beatUrl, Math.min(run.exit.status, 255), detail);
  } else if (client.floe && run.exit.status === 0) {
    const sentMetadata = {
      ...metadata,
      exit_status: 0,
      duration_ms: run.durationMs,
      ...(output && { output }),
    };
    result = await client.floe.heartbeat(monitorId, sentMetadata);
  } else if (client.floe)
    warnNotReported(
      monitorId,
      'the beat URL of the monitor could not be read, so the monitor fails only when its next beat is overdue; check that the server is reachable, that the monitor exists, and that the key has the scope "monitoring"',
    );
  if (result?.error) warnNotReported(monitorId, result.error.message);
  return true;
}

function warnNotReported(monitorId: string, reason: string): void {
  process.stderr.write(`floe: could not report to ${monitorId}: ${reason}\n`);
}

/** Resolves to the result of `work`, or to null after `ms`. */
async function resolveWithin<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Ends this process like the job: by the same signal, or with the same status, without waiting for open
 * requests.
 */
function exitLikeJob({ status, signal }: JobExit): number {
  if (signal !== null) process.kill(process.pid, signal);
  process.exit(status);
}

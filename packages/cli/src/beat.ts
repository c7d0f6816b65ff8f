import { Floe, type HeartbeatResult } from '@floe/sdk';
import type { CliCommand } from './command.ts';
import { CONNECTION_ENVIRONMENT_HELP, readApiConnection } from './connection.ts';
import { parseMetadataOptions } from './metadata-option.ts';
import { parseCliOptions } from './parse-options.ts';
import { UsageError } from './usage-error.ts';

/** The command `floe beat`, which sends one beat. */
export const beatCommand: CliCommand = {
  words: ['beat'],
  usage: 'beat <monitor-id>',
  summary: 'Sends one beat; exits with 0 after the server has recorded it.',
  help: `Options:
  -m, --metadata key=value  store this metadata with the beat; can be repeated
  -q, --quiet               print nothing on success
  --json                    print the result as JSON, even if the beat could not be sent
${CONNECTION_ENVIRONMENT_HELP}

Example: 0 3 * * *  /usr/local/bin/backup && floe beat nightly-backup --quiet`,
  run: sendBeat,
};

async function sendBeat(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseCliOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      metadata: { type: 'string', short: 'm', multiple: true },
      quiet: { type: 'boolean', short: 'q' },
      json: { type: 'boolean' },
    },
  });
  const [monitorId, ...more] = positionals;
  if (monitorId === undefined || more.length > 0) throw new UsageError('usage: floe beat <monitor-id>');
  const metadata = parseMetadataOptions(values.metadata);
  const floe = new Floe({ ...readApiConnection(), onError: () => undefined });
  const result = await floe.heartbeat(monitorId, Object.keys(metadata).length === 0 ? undefined : metadata);
  if (values.json) process.stdout.write(`${JSON.stringify(toAnswerJson(monitorId, result))}\n`);
  if (!result.beat) {
    process.stderr.write(
      `floe: could not send a beat for ${monitorId}: ${result.error?.message ?? 'unknown error'}\n`,
    );
    return 1;
  }
  const { status, nextDueAt } = result.beat;
  const next = nextDueAt === null ? '' : `; next due at ${nextDueAt}`;
  if (!values.quiet && !values.json)
    process.stdout.write(`${monitorId}: beat recorded${status === null ? '' : `, ${status}`}${next}\n`);
  return 0;
}

/** Converts a result to the response format of `POST /api/monitoring/heartbeat`. */
function toAnswerJson(
  monitorId: string,
  { ok, beat: acceptedBeat, error, metadataDropped }: HeartbeatResult,
) {
  return {
    ok,
    monitor_id: monitorId,
    ...(acceptedBeat && {
      beat_id: acceptedBeat.id,
      received_at: acceptedBeat.receivedAt,
      status: acceptedBeat.status,
      next_due_at: acceptedBeat.nextDueAt,
    }),
    ...(metadataDropped !== null && { metadata_dropped: metadataDropped }),
    ...(error && { error: { code: error.code, message: error.message, status: error.status } }),
  };
}

import { reduceMetadata } from './metadata.ts';

/** The version of this SDK, which is sent in the `user-agent` header. */
export const SDK_VERSION = '0.1.0';

/** A request that sends a beat. The first attempt and all retries are identical. */
export interface BeatRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly metadataDropped: string | null;
  /** The expected response: JSON for a beat, or a short text other than HTML for a beat URL. */
  readonly expectedAnswer: 'beat' | 'anything';
  /** The monitor id or a description, for messages. */
  readonly monitorId: string;
}

/** The platform key and the base URL of a client. */
export interface ApiConnectionSettings {
  readonly apiKey: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/**
 * Builds the request `POST /api/monitoring/heartbeat`. The golden file `requests.json` contains its exact
 * bytes.
 */
export function createBeatRequest(
  account: ApiConnectionSettings,
  monitorId: string,
  metadata: unknown,
  idempotencyKey: string,
): BeatRequest {
  const { json, dropped } = reduceMetadata(metadata);
  const id = JSON.stringify(monitorId);
  return {
    url: `${account.baseUrl}/api/monitoring/heartbeat`,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
      'x-api-key': account.apiKey,
      'user-agent': `floe-sdk-typescript/${SDK_VERSION}`,
    },
    body: json === null ? `{"monitor_id":${id}}` : `{"monitor_id":${id},"metadata":${json}}`,
    metadataDropped: dropped,
    expectedAnswer: 'beat',
    monitorId,
  };
}

/**
 * An event of a job run that is reported to a beat URL. A number is the exit status of the job, from 0 to
 * 255.
 */
export type RunEvent = 'start' | 'success' | 'fail' | 'log' | number;

/** What to report in addition to a run event. */
export interface RunEventDetail {
  /** A UUID that connects start and end of one run. */
  readonly runId: string;
  /** Stored with the check: an object as JSON, or a text such as the last output of a job. At most 16 KB. */
  readonly metadata?: unknown;
  /** For messages. */
  readonly monitorId?: string;
}

/**
 * Builds the request `POST /beat/{token}[/start|/fail|/log|/{0-255}]?rid=`. A beat URL supports more events
 * than the heartbeat endpoint, and requires no key.
 */
export function createRunEventRequest(
  beatUrl: string,
  signal: RunEvent,
  detail: RunEventDetail,
): BeatRequest {
  const isText = typeof detail.metadata === 'string';
  const { json, dropped } = isText ? { json: null, dropped: null } : reduceMetadata(detail.metadata);
  const path = signal === 'success' ? '' : `/${signal}`;
  return {
    url: `${beatUrl.replace(/\/+$/, '')}${path}?rid=${detail.runId}`,
    headers: {
      accept: 'application/json',
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json',
      // The key includes the event, because start and end with the same key would count as one beat.
      'idempotency-key': `${detail.runId}-${signal}`,
      'user-agent': `floe-sdk-typescript/${SDK_VERSION}`,
    },
    body: typeof detail.metadata === 'string' ? detail.metadata : (json ?? ''),
    metadataDropped: dropped,
    expectedAnswer: 'anything',
    monitorId: detail.monitorId ?? 'monitor',
  };
}

import { fitMetadata } from './metadata.ts';

export const SDK_VERSION = '0.1.0';

/** One request, the same for each of its attempts. */
export interface HeartbeatRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly metadataDropped: string | null;
  /** A beat is answered with JSON; a secret beat URL with anything short that is no page. */
  readonly expectedAnswer: 'beat' | 'anything';
  /** For messages: what was meant to happen. */
  readonly monitorId: string;
}

export interface ApiAccount {
  readonly apiKey: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

/** `POST /api/monitoring/heartbeat` (specification, Endpoints): exactly the bytes of the golden `requests.json`. */
export function createBeatRequest(
  account: ApiAccount,
  monitorId: string,
  metadata: unknown,
  idempotencyKey: string,
): HeartbeatRequest {
  const { json, dropped } = fitMetadata(metadata);
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

/** What a secret beat URL can be told; a number is an exit status, 0 to 255. */
export type RunSignal = 'start' | 'success' | 'fail' | 'log' | number;

export interface RunSignalDetail {
  /** A UUID that joins the start and the end of one run. */
  readonly runId: string;
  /** Kept with the check: an object as JSON, or text such as the tail of a job's output; 16 KB at most. */
  readonly metadata?: unknown;
  /** For messages. */
  readonly monitorId?: string;
}

/** `POST /beat/{token}[/start|/fail|/log|/{0-255}]?rid=`: knows more than beats, and carries no key. */
export function createSignalRequest(
  beatUrl: string,
  signal: RunSignal,
  detail: RunSignalDetail,
): HeartbeatRequest {
  const isText = typeof detail.metadata === 'string';
  const { json, dropped } = isText ? { json: null, dropped: null } : fitMetadata(detail.metadata);
  const path = signal === 'success' ? '' : `/${signal}`;
  return {
    url: `${beatUrl.replace(/\/+$/, '')}${path}?rid=${detail.runId}`,
    headers: {
      accept: 'application/json',
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json',
      // One run has a start and an end: the same name would make them one beat.
      'idempotency-key': `${detail.runId}-${signal}`,
      'user-agent': `floe-sdk-typescript/${SDK_VERSION}`,
    },
    body: typeof detail.metadata === 'string' ? detail.metadata : (json ?? ''),
    metadataDropped: dropped,
    expectedAnswer: 'anything',
    monitorId: detail.monitorId ?? 'monitor',
  };
}

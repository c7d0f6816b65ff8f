import { fitMetadata } from './metadata.ts';

export const VERSION = '0.1.0';

/** One request, the same for each of its attempts. */
export interface Call {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly metadataDropped: string | null;
  /** A beat is answered with JSON; a secret beat URL with anything short that is no page. */
  readonly answers: 'beat' | 'anything';
  /** For messages: what was meant to happen. */
  readonly monitorId: string;
}

export interface Account {
  readonly apiKey: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

/** `POST /api/monitoring/heartbeat` (specification, Endpoints): exactly the bytes of the golden `requests.json`. */
export function beatCall(
  account: Account,
  monitorId: string,
  metadata: unknown,
  idempotencyKey: string,
): Call {
  const { json, dropped } = fitMetadata(metadata);
  const id = JSON.stringify(monitorId);
  return {
    url: `${account.baseUrl}/api/monitoring/heartbeat`,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
      'x-api-key': account.apiKey,
      'user-agent': `floe-sdk-typescript/${VERSION}`,
    },
    body: json === null ? `{"monitor_id":${id}}` : `{"monitor_id":${id},"metadata":${json}}`,
    metadataDropped: dropped,
    answers: 'beat',
    monitorId,
  };
}

/** `POST /beat/{token}[/start|/fail]?rid=`: the monitor's secret URL, which knows more than beats. Carries no key. */
export function signalCall(
  beatUrl: string,
  signal: 'start' | 'success' | 'fail',
  run: { readonly monitorId: string; readonly runId: string; readonly metadata: unknown },
): Call {
  const { json, dropped } = fitMetadata(run.metadata);
  const path = signal === 'success' ? '' : `/${signal}`;
  return {
    url: `${beatUrl.replace(/\/+$/, '')}${path}?rid=${run.runId}`,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': `floe-sdk-typescript/${VERSION}`,
    },
    body: json ?? '',
    metadataDropped: dropped,
    answers: 'anything',
    monitorId: run.monitorId,
  };
}

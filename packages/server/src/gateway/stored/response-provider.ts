import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { Timer } from '../../core/clock.ts';
import type { Provider, ProviderCredential } from '../../providers/configured-provider.ts';
import type { UpstreamResponseHandler } from '../../providers/transport.ts';
import { buildUpstreamRequest } from '../../providers/upstream-request.ts';
import type { OrgCatalog } from '../org-catalog.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { parseUpstreamJson } from '../upstream-json.ts';
import type { StoredTurn } from './turn-store.ts';

/** Timeout for reading a stored response. Reading requires no generation. */
const ANSWER_TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** A stored response, and the provider and credential that store it. */
export type ProviderResponseReference = Pick<StoredTurn, 'held' | 'origin' | 'response'>;

/** The provider's reply to a request that reads, deletes or cancels a stored response. */
export interface StoredResponseReply {
  readonly status: number;
  /** The body; null if it is not a JSON object. */
  readonly body: JsonObject | null;
}

const PROVIDER_CALLS = {
  show: { method: 'GET', below: '', body: null },
  delete: { method: 'DELETE', below: '', body: null },
  cancel: { method: 'POST', below: '/cancel', body: Buffer.from('{}') },
} as const;

type ProviderAction = keyof typeof PROVIDER_CALLS;

/**
 * Calls the provider that stores a response, to read, delete or cancel the response. Returns null
 * if the provider or the credential is no longer configured.
 * @throws Fault `upstream_unreachable`, `upstream_timeout` or `upstream_error`
 */
export async function callResponseProvider(
  gateway: SharedGatewayDependencies,
  catalog: OrgCatalog,
  turn: ProviderResponseReference,
  wish: ProviderAction,
): Promise<StoredResponseReply | null> {
  const { method, below, body } = PROVIDER_CALLS[wish];
  const keeper = findResponseProvider(catalog, turn);
  if (!keeper) return null;
  const { provider, credential } = keeper;
  const [path, query] = provider.pathOf('responses', '', false).split('?');
  const resource = `${path}/${encodeURIComponent(String(turn.response['id']))}${below}`;
  const headers = [...provider.headersFor(credential), 'accept', 'application/json'];
  const address = query === undefined ? resource : `${resource}?${query}`;
  const recipient = { provider, credential, timeouts: provider.timeouts };
  const request = { ...buildUpstreamRequest(recipient, address, headers, body), method };
  return new Promise((resolve, reject) => {
    const told = (answer: StoredResponseReply) =>
      resolve({ ...answer, body: answer.body && restorePreviousResponseId(answer.body, turn) });
    const call = new ProviderCall(provider.id, told, reject);
    const cancel = gateway.transport.dispatch(request, call);
    const timer = gateway.clock.after(ANSWER_TIMEOUT_MS, () => {
      cancel();
      call.fail(
        new Fault('upstream_timeout', `${provider.id} did not respond within 30 seconds. Retry the request.`),
      );
    });
    call.setTimeout(timer);
  });
}

/** Restores the client's `previous_response_id`. The provider may not know this id. */
function restorePreviousResponseId(body: JsonObject, { response }: ProviderResponseReference): JsonObject {
  const name = 'previous_response_id';
  return name in body && response[name] !== undefined ? { ...body, [name]: response[name] } : body;
}

function findResponseProvider(
  catalog: OrgCatalog,
  { held, origin }: ProviderResponseReference,
): { provider: Provider; credential: ProviderCredential } | null {
  if (!held) return null;
  for (const provider of catalog.providers.values())
    for (const credential of provider.credentials)
      if (provider.sealOrigin(credential) === origin) return { provider, credential };
  return null;
}

class ProviderCall implements UpstreamResponseHandler {
  readonly #provider: string;
  readonly #resolve: (answer: StoredResponseReply) => void;
  readonly #reject: (error: Error) => void;
  readonly #chunks: Buffer[] = [];
  #status = 0;
  #size = 0;
  #timer: Timer | null = null;

  constructor(
    provider: string,
    resolve: (answer: StoredResponseReply) => void,
    reject: (error: Error) => void,
  ) {
    this.#provider = provider;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Sets a timer that is cancelled when the response arrives. */
  setTimeout(timer: Timer): void {
    this.#timer = timer;
  }

  onConnected(): void {
    // One deadline covers the whole call.
  }

  onHead(status: number): void {
    this.#status = status;
  }

  onData(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= MAX_ANSWER_BYTES) this.#chunks.push(chunk);
  }

  onEnd(): void {
    this.#timer?.cancel();
    if (this.#size > MAX_ANSWER_BYTES)
      this.#reject(
        new Fault(
          'upstream_error',
          `${this.#provider} sent a response larger than 64 MB, the maximum that Floe accepts.`,
        ),
      );
    else this.#resolve({ status: this.#status, body: tryParseObject(Buffer.concat(this.#chunks)) });
  }

  onError(cause: Error): void {
    this.fail(
      new Fault('upstream_unreachable', `${this.#provider} could not be reached. Retry the request.`, {
        cause,
      }),
    );
  }

  fail(fault: Fault): void {
    this.#timer?.cancel();
    this.#reject(fault);
  }
}

function tryParseObject(bytes: Buffer): JsonObject | null {
  try {
    const value = parseUpstreamJson(bytes);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

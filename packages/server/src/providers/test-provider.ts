import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { Clock } from '../core/clock.ts';
import { OutboundBlockedError } from '../core/outbound-guard.ts';
import { type BufferedResponse, BufferedResponseError, sendBufferedRequest } from './buffered-request.ts';
import type { Provider, ProviderCredential } from './configured-provider.ts';
import { buildProviderGetRequest } from './model-list.ts';
import { parseModelListPage } from './model-list-page.ts';
import type { Dialect } from './provider-definition.ts';
import type { UpstreamRequest, UpstreamTransport } from './transport.ts';

const RESPONSE_LIMITS = { timeoutMs: 15_000, maxBytes: 4 << 20 };
/** Maximum length of the provider's message in a result. */
const MAX_MESSAGE_CHARACTERS = 300;
/** Number of consecutive characters of a key that a message must not contain. Such a message is not shown. */
const SECRET_FRAGMENT_CHARACTERS = 8;

/** The result of testing a provider, with a message for the user. */
export interface ProviderTestResult {
  readonly ok: boolean;
  /** The kind of request that was sent; null if none could be sent. */
  readonly asked: 'models' | 'completion' | null;
  readonly status: number | null;
  readonly models: number | null;
  readonly message: string;
  readonly durationMs: number;
}

/**
 * Tests a provider's URL and credential with the cheapest possible request: its model list, or one token from
 * `model`. Takes at most 15 seconds. The result never contains the credential.
 */
export async function testProvider(
  provider: Provider,
  credential: ProviderCredential,
  model: string | null,
  { transport, clock }: { readonly transport: UpstreamTransport; readonly clock: Clock },
): Promise<ProviderTestResult> {
  const [list] = provider.modelLists;
  const exact = model ?? (list ? null : (provider.models.find((name) => !name.includes('*')) ?? null));
  const request =
    exact === null
      ? list && buildProviderGetRequest(provider, credential, list)
      : buildMinimalRequest(provider, credential, exact);
  if (!request)
    return {
      ...NOT_CALLED,
      message:
        'No request was sent because the provider does not offer a model list. To test the credential with a short completion, specify a model, or add a model without "*" to the allowlist of the provider.',
    };
  const asked = exact === null ? ('models' as const) : ('completion' as const);
  const started = clock.monotonic();
  const took = () => Math.round(clock.monotonic() - started);
  try {
    const answer = await sendBufferedRequest(transport, clock, request, RESPONSE_LIMITS);
    return {
      ...describeResponse(answer, asked, credential),
      asked,
      status: answer.status,
      durationMs: took(),
    };
  } catch (error) {
    return { ...NOT_CALLED, asked, message: describeNetworkError(error), durationMs: took() };
  }
}

const NOT_CALLED = { ok: false, asked: null, status: null, models: null, durationMs: 0 } as const;

const QUESTION = 'Answer with the word ok.';
const MESSAGES = [{ role: 'user', content: QUESTION }];

/** The smallest possible request of each dialect. */
const MINIMAL_REQUESTS: Readonly<Record<Dialect, JsonObject>> = {
  chat: { messages: MESSAGES },
  responses: { input: QUESTION, max_output_tokens: 16, store: false },
  messages: { messages: MESSAGES, max_tokens: 16 },
  gemini: { contents: [{ role: 'user', parts: [{ text: QUESTION }] }] },
  converse: { messages: [{ role: 'user', content: [{ text: QUESTION }] }] },
  cohere: { messages: MESSAGES },
};

function buildMinimalRequest(
  provider: Provider,
  credential: ProviderCredential,
  model: string,
): UpstreamRequest {
  const dialect = provider.dialectFor(model);
  const upstreamModel = provider.upstreamModel(model);
  const shape = provider.bodyShapeOf(dialect);
  const members: Record<string, unknown> = { model: upstreamModel, ...MINIMAL_REQUESTS[dialect] };
  if (dialect === 'gemini' || dialect === 'converse') delete members['model'];
  for (const name of shape?.omits ?? []) delete members[name];
  for (const [name, json] of [...Object.entries(shape?.sets ?? {}), ...provider.body])
    members[name] = JSON.parse(json);
  const place = { origin: provider.origin, path: provider.pathOf(dialect, upstreamModel, false) };
  const body = Buffer.from(JSON.stringify(members));
  return { ...buildProviderGetRequest(provider, credential, place), method: 'POST', body };
}

function describeResponse(
  { status, body }: BufferedResponse,
  asked: 'models' | 'completion',
  { secret }: ProviderCredential,
): Pick<ProviderTestResult, 'ok' | 'models' | 'message'> {
  if (status === 200) return describeSuccess(body, asked);
  const said = providerMessage(body, secret);
  const reason = said === '' ? '.' : `: ${said}`;
  const told = (message: string) => ({ ok: false, models: null, message });
  if (status === 401 || status === 403)
    return told(
      `The provider rejected the credential (${status})${reason} Check that the credential is complete, is still valid and has the required permissions.`,
    );
  if (status === 404)
    return told(
      `${asked === 'completion' ? 'The URL or the model' : 'The URL'} does not exist (404)${reason} Check base_url${asked === 'completion' ? ' and the name of the model' : ''}. For many kinds of providers, base_url ends in /v1.`,
    );
  if (status === 429)
    return told(
      `The provider rejected the request because of a rate limit or quota (429)${reason} Try again later, or check the quota of the credential.`,
    );
  if (status >= 300 && status < 400)
    return told(
      `The URL responds with a redirect (${status}), which Floe does not follow. Set base_url to the final URL.`,
    );
  return told(
    `The provider returned status ${status}${reason} Check the settings of the provider, or try again later.`,
  );
}

function describeSuccess(
  body: Buffer,
  asked: 'models' | 'completion',
): Pick<ProviderTestResult, 'ok' | 'models' | 'message'> {
  const json = parseJson(body);
  if (asked === 'completion')
    return isJsonObject(json)
      ? { ok: true, models: null, message: 'Success: the model responded.' }
      : { ok: false, models: null, message: 'The response is not a JSON object. Check base_url.' };
  try {
    const { models, next } = parseModelListPage(json);
    const count = `${models.length}${next === undefined ? '' : ' or more'}`;
    return {
      ok: true,
      models: models.length,
      message: `Success: the provider lists ${count} ${count === '1' ? 'model' : 'models'}.`,
    };
  } catch {
    return {
      ok: false,
      models: null,
      message:
        'The response is not a model list. Check base_url. For many kinds of providers, base_url ends in /v1.',
    };
  }
}

function parseJson(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return value;
  } catch {
    return undefined;
  }
}

/** Returns the provider's message, unless it contains part of the key. */
function providerMessage(body: Buffer, secret: string): string {
  const json = parseJson(body);
  const error = isJsonObject(json) ? (json['error'] ?? json['message'] ?? json['detail']) : undefined;
  const message = isJsonObject(error) ? error['message'] : error;
  if (typeof message !== 'string') return '';
  for (let at = 0; at + SECRET_FRAGMENT_CHARACTERS <= secret.length; at++)
    if (message.includes(secret.slice(at, at + SECRET_FRAGMENT_CHARACTERS))) return '';
  const line = message.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  const short = line.length > MAX_MESSAGE_CHARACTERS ? `${line.slice(0, MAX_MESSAGE_CHARACTERS)}…` : line;
  return /[.!?…]$/.test(short) || short === '' ? short : `${short}.`;
}

/** Describes why there was no response. */
function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error))
    return 'Floe could not reach the provider. Check base_url, and check that the Floe server can connect to it.';
  if (error instanceof OutboundBlockedError) return `No request was sent: ${error.message}`;
  if (error.cause instanceof OutboundBlockedError) return `No request was sent: ${error.cause.message}`;
  if (error instanceof BufferedResponseError) return `The test failed: ${error.message}.`;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (/certificate|TLS|SSL/i.test(`${code} ${error.message}`))
    return `The TLS connection to the provider failed (${code || 'TLS'}). Check base_url and the provider's certificate. If a private certificate authority issued the certificate, set outbound.ca_file.`;
  return `Floe could not reach the provider (${code || 'connection failed'}). Check base_url, and check that the Floe server can connect to it.`;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name in base_url does not exist in DNS. Check its spelling.',
  EAI_AGAIN: 'The host name in base_url could not be resolved. Check the DNS settings of the Floe server.',
  ECONNREFUSED:
    'The connection was refused. Check that the provider is running, and that the port in base_url is correct.',
  ECONNRESET:
    'The connection was closed before the response was complete. Check base_url and the proxy settings.',
  EHOSTUNREACH: 'The host is unreachable. Check base_url, and check the network of the Floe server.',
  ENETUNREACH: 'The network is unreachable. Check base_url, and check the network of the Floe server.',
  UND_ERR_CONNECT_TIMEOUT:
    'The connection timed out. Check base_url, and check whether a firewall blocks the connection.',
  closed_early:
    'The connection was closed before the response was complete. Check base_url and the proxy settings.',
};

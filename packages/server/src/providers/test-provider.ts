import { isObject, type JsonObject } from '@floe/contract/json';
import type { Clock } from '../core/clock.ts';
import { OutboundRefusedError } from '../core/outbound-guard.ts';
import { type BufferedResponse, callBuffered } from './buffered-call.ts';
import type { Credential, Provider } from './configured-provider.ts';
import { buildGetRequest } from './model-list.ts';
import { parseModelPage } from './model-page.ts';
import type { Dialect } from './provider-sheet.ts';
import type { Transport, UpstreamRequest } from './transport.ts';

const RESPONSE_LIMITS = { timeoutMs: 15_000, maxBytes: 4 << 20 };
/** Of the provider's own words. */
const MAX_MESSAGE_CHARACTERS = 300;
/** A piece of a key this long is not repeated, whoever says it. */
const SECRET_FRAGMENT_CHARACTERS = 8;

/** What one cheap call to a provider found out, in plain words. */
export interface ProviderTestResult {
  readonly ok: boolean;
  /** Null when nothing could be asked. */
  readonly asked: 'models' | 'completion' | null;
  readonly status: number | null;
  readonly models: number | null;
  readonly message: string;
  readonly durationMs: number;
}

/**
 * Asks a provider for its list of models with this credential, or `model` for one word: the cheapest call that tells
 * whether address and key are right. Takes 15 seconds at most; the key is in no answer.
 */
export async function testProvider(
  provider: Provider,
  credential: Credential,
  model: string | null,
  { transport, clock }: { readonly transport: Transport; readonly clock: Clock },
): Promise<ProviderTestResult> {
  const [list] = provider.modelLists;
  const exact = model ?? (list ? null : (provider.models.find((name) => !name.includes('*')) ?? null));
  const request =
    exact === null
      ? list && buildGetRequest(provider, credential, list)
      : buildMinimalRequest(provider, credential, exact);
  if (!request)
    return {
      ...NOT_CALLED,
      message: 'Nothing was asked: the provider has no list of models. Name a model to ask for one word.',
    };
  const asked = exact === null ? ('models' as const) : ('completion' as const);
  const started = clock.monotonic();
  const took = () => Math.round(clock.monotonic() - started);
  try {
    const answer = await callBuffered(transport, clock, request, RESPONSE_LIMITS);
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

/** The smallest request of each dialect. */
const MINIMAL_REQUESTS: Readonly<Record<Dialect, JsonObject>> = {
  chat: { messages: MESSAGES },
  responses: { input: QUESTION, max_output_tokens: 16, store: false },
  messages: { messages: MESSAGES, max_tokens: 16 },
  gemini: { contents: [{ role: 'user', parts: [{ text: QUESTION }] }] },
  converse: { messages: [{ role: 'user', content: [{ text: QUESTION }] }] },
  cohere: { messages: MESSAGES },
};

function buildMinimalRequest(provider: Provider, credential: Credential, model: string): UpstreamRequest {
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
  return { ...buildGetRequest(provider, credential, place), method: 'POST', body };
}

function describeResponse(
  { status, body }: BufferedResponse,
  asked: 'models' | 'completion',
  { secret }: Credential,
): Pick<ProviderTestResult, 'ok' | 'models' | 'message'> {
  if (status === 200) return describeSuccess(body, asked);
  const said = providerMessage(body, secret);
  const because = said === '' ? '.' : `: ${said}`;
  const told = (message: string) => ({ ok: false, models: null, message });
  if (status === 401 || status === 403)
    return told(
      `The provider does not accept this key (${status})${because} Check that it is whole and still valid.`,
    );
  if (status === 404)
    return told(
      `Nothing answers at this address (404)${because} Check base_url; for many kinds it ends in /v1.`,
    );
  if (status === 429)
    return told(
      `The provider took the key and limits it now (429)${because} Try again later, or look at its quota.`,
    );
  if (status >= 300 && status < 400)
    return told(
      `The address answers with a redirect (${status}), which is never followed. Give the final address.`,
    );
  return told(`The provider answered ${status}${because}`);
}

function describeSuccess(
  body: Buffer,
  asked: 'models' | 'completion',
): Pick<ProviderTestResult, 'ok' | 'models' | 'message'> {
  const json = parseJson(body);
  if (asked === 'completion')
    return isObject(json)
      ? { ok: true, models: null, message: 'Works: the model answered.' }
      : { ok: false, models: null, message: 'The address answers, but not with JSON. Check base_url.' };
  try {
    const { models, next } = parseModelPage(json);
    const count = `${models.length}${next === undefined ? '' : ' or more'}`;
    return { ok: true, models: models.length, message: `Works: it lists ${count} models.` };
  } catch {
    return {
      ok: false,
      models: null,
      message:
        'The address answers, but not with a list of models. Check base_url; for many kinds it ends in /v1.',
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

/** The provider's own words, unless they repeat a piece of the key. */
function providerMessage(body: Buffer, secret: string): string {
  const json = parseJson(body);
  const error = isObject(json) ? (json['error'] ?? json['message'] ?? json['detail']) : undefined;
  const message = isObject(error) ? error['message'] : error;
  if (typeof message !== 'string') return '';
  for (let at = 0; at + SECRET_FRAGMENT_CHARACTERS <= secret.length; at++)
    if (message.includes(secret.slice(at, at + SECRET_FRAGMENT_CHARACTERS))) return '';
  const line = message.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  const short = line.length > MAX_MESSAGE_CHARACTERS ? `${line.slice(0, MAX_MESSAGE_CHARACTERS)}…` : line;
  return /[.!?…]$/.test(short) || short === '' ? short : `${short}.`;
}

/** What kept the call from an answer. */
function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return 'The provider could not be asked.';
  if (error instanceof OutboundRefusedError) return `Not called: ${error.message}`;
  if (error.cause instanceof OutboundRefusedError) return `Not called: ${error.cause.message}`;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (/certificate|TLS|SSL/i.test(`${code} ${error.message}`))
    return `The provider's certificate is not trusted (${code || 'TLS'}). Set outbound.ca_file if it has an authority of its own.`;
  if (error.message.startsWith('no answer within')) return 'The provider did not answer within 15 seconds.';
  return `The provider could not be asked (${code || 'the connection failed'}).`;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The name in base_url is not known to DNS. Check its spelling.',
  EAI_AGAIN: 'The name in base_url could not be looked up now. Check DNS of this machine.',
  ECONNREFUSED: 'Nothing listens at this address (connection refused). Is the server up, and the port right?',
  ECONNRESET: 'The connection was closed without an answer.',
  EHOSTUNREACH: 'The machine cannot be reached from here.',
  ENETUNREACH: 'The network cannot be reached from here.',
  UND_ERR_CONNECT_TIMEOUT: 'No connection within the time limit. A firewall may be in between.',
  closed_early: 'The connection was closed without an answer.',
};

import { Fault, type FaultCode } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { toClientFieldNames } from '@floe/wire/client-fields';
import type { ResponseWriteContext } from '@floe/wire/dialect';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import { type LongJsonStrings, stringifyWithLongStrings } from '@floe/wire/long-json-strings';
import {
  type CanonicalRequest,
  createUnsupportedFeatureFault,
  listUnsupportedFeatures,
  type RequiredFeature,
} from '@floe/wire/request';
import { toClientFault } from '@floe/wire/upstream-fault';
import type { Dialect } from '../providers/provider-definition.ts';
import type { UpstreamResponse } from '../providers/transport.ts';
import { buildUpstreamRequest } from '../providers/upstream-request.ts';
import type { AttemptPlan, ResponseSink } from './attempt-plan.ts';
import type { ClientRequest } from './client-request.ts';
import { computeEndpointBodyChanges } from './endpoint-body-changes.ts';
import type { Exchange } from './exchange-record.ts';
import { buildUpstreamHeaders } from './forward-request.ts';
import { createIdeResponseOptions } from './ide/response-options.ts';
import type { Target } from './org-catalog.ts';
import { computePromptCacheKey } from './prompt-cache-key.ts';
import { getAcceptedSealOrigin } from './strip-foreign-seals.ts';
import { TranslatedResponseSink, type TranslationSettings } from './translated-response-sink.ts';
import {
  findErrorStatusMeaning,
  findOperatorFixableFault,
  getUpstreamHeader,
  parseRetryAfterMs,
} from './upstream-error.ts';

/** A client request that is parsed into a canonical request at most once per exchange. */
export interface TranslatableRequest {
  /** The original request. */
  readonly prompt: ClientRequest;
  readonly canonical: CanonicalRequest;
  readonly body: JsonObject;
  /** The original bytes of long strings. */
  readonly longStrings: LongJsonStrings;
}

/**
 * Plans an attempt at a target whose dialect differs from the client's.
 * @throws Fault `unsupported_parameter` if the target does not support the request
 */
export function planTranslatedAttempt(
  x: Exchange,
  target: Target,
  to: Dialect,
  request: TranslatableRequest,
): AttemptPlan {
  const { prompt } = request;
  const { provider } = target;
  const upstream = UPSTREAM_DIALECTS[to];
  const options = provider.optionsFor(target.model);
  const [lost] = listUnsupportedFeatures(
    request.canonical,
    upstream.supportedFeatures,
    options.unsupportedFeatures,
  );
  if (lost) throw createUnsupportedFeatureFault(lost);
  const model = provider.upstreamModel(target.model);
  const written = upstream.writeRequest(request.canonical, {
    model,
    stream: prompt.stream,
    sealOrigin: getAcceptedSealOrigin(x, target),
    cacheKey: options.hints?.includes('cache-key')
      ? computePromptCacheKey(x, prompt, request.canonical)
      : undefined,
    ...options,
  });
  const shape = provider.bodyShapeOf(to);
  const shaped =
    shape && computeEndpointBodyChanges(shape, (member) => written.body[member] !== undefined, {});
  const changes = [...(shaped?.changes ?? []), ...provider.body];
  const own = Object.fromEntries(
    changes.map(([name, json]) => [name, json === null ? undefined : JSON.parse(json)]),
  );
  const body = stringifyWithLongStrings({ ...written.body, ...own }, request.longStrings);
  const headers = buildUpstreamHeaders(target, prompt.stream);
  return {
    request: buildUpstreamRequest(target, provider.pathOf(to, model, prompt.stream), headers, body),
    dropped: [
      ...request.canonical.dropped,
      ...toClientFieldNames(written.dropped, request.canonical.dialect, request.body),
      ...(shaped?.dropped ?? []),
    ],
    createSink: createTranslatedSinkFactory(x, target, to, request),
    toError: (refused) => translateUpstreamError(target, to, prompt, refused),
  };
}

/**
 * Creates a function that returns the sink for a response in dialect `from`. The provider's response and the
 * client's response can each be a stream or JSON, in any combination.
 */
export function createTranslatedSinkFactory(
  x: Exchange,
  target: Target,
  from: Dialect,
  request: TranslatableRequest,
): (streamed: boolean) => ResponseSink {
  return (streamed) => new TranslatedResponseSink(x, createTranslation(x, target, from, request), streamed);
}

function createTranslation(
  x: Exchange,
  target: Target,
  from: Dialect,
  request: TranslatableRequest,
): TranslationSettings {
  const { stream, body } = request.prompt;
  const { provider, credential, model } = target;
  const sealOrigin = provider.sealOrigin(credential);
  const id = x.id.slice(x.id.indexOf('_') + 1);
  const seconds = () => Math.floor(x.gateway.clock.now() / 1000);
  // A response that is rewritten in its own dialect contains the provider's model name, as the original
  // would.
  const isOwnDialect = from === x.surface.dialect && !x.surface.ide;
  const named = isOwnDialect
    ? { ...request.canonical, model: provider.upstreamModel(model) }
    : request.canonical;
  const context: ResponseWriteContext = {
    request: named,
    clientBody: request.body,
    id,
    requestId: x.id,
    createdS: seconds(),
    nowS: seconds,
    chatReasoning: x.route?.chatReasoning === 'forward' ? 'forward' : undefined,
    // About four bytes per token. Reported before the provider's count is known, and corrected by it.
    inputEstimate: Math.ceil(body.length / 4),
    sealOrigin,
    ...(x.surface.ide ? createIdeResponseOptions(x) : undefined),
    isStored: x.request.turn?.isStored === true,
  };
  const readerOptions = { id, sealOrigin, thinkTags: provider.hasThinkTags(model) };
  return {
    client: CLIENT_DIALECTS[x.surface.dialect],
    upstream: UPSTREAM_DIALECTS[from],
    context,
    readerOptions,
    isStreamToClient: stream,
    isReplayable: stream && canReplay(x, request.canonical),
  };
}

/** Features whose response Floe cannot write again, so that it must be forwarded unchanged. */
const UNREPLAYABLE_NEEDS: readonly RequiredFeature[] = [
  'audio-out',
  'logprobs',
  'choices',
  'hosted-tool',
  'stored-state',
  'background',
  'unknown-content',
];

/**
 * Returns whether the stream of an exchange can be replayed: its route enables replay, and Floe can write
 * every part of the response again.
 */
export function canReplay(x: Exchange, canonical: CanonicalRequest): boolean {
  return (
    x.route?.rescue === 'replay' && !UNREPLAYABLE_NEEDS.some((need) => canonical.requiredFeatures.has(need))
  );
}

/** The kinds of upstream faults for the error meanings in provider definitions. */
const FAULT_KINDS = {
  bad_credentials: 'credential',
  rate: 'rate',
  overloaded: 'overloaded',
  request: 'invalid',
} as const;

/** Converts an error response in another dialect to a fault for the client. */
export function translateUpstreamError(
  target: Target,
  from: Dialect,
  { members }: Pick<ClientRequest, 'members'>,
  { status, headers, body }: UpstreamResponse,
): Fault {
  const { id, definition } = target.provider;
  const text = body.toString('utf8');
  const detail = { upstreamStatus: status, upstreamBody: text.slice(0, 2000) };
  const errorType = getUpstreamHeader(headers, 'x-amzn-errortype');
  const meaning = findErrorStatusMeaning(definition, status, `${errorType ?? ''} ${text}`);
  const described = UPSTREAM_DIALECTS[from].readFault(status, { 'x-amzn-errortype': errorType }, text);
  const targetFault = findOperatorFixableFault(id, { kind: described.kind, meaning }, detail);
  if (targetFault) return targetFault;
  // A request that is too long is more specific than a request that is invalid.
  const isTooLong = meaning === 'request' && described.kind === 'context';
  const kind = meaning === undefined || isTooLong ? described.kind : FAULT_KINDS[meaning];
  const fault = toClientFault({ ...described, kind });
  const retryAfterMs = parseRetryAfterMs(headers) ?? described.retryAfterMs;
  const param = clientParam(described.param, members);
  return new Fault(faultCodeOf(meaning) ?? fault.code, fault.message, {
    ...fault.detail,
    ...detail,
    ...(param === undefined ? {} : { param }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Names of the same setting in different dialects. */
const SAME_SETTING: readonly (readonly string[])[] = [
  ['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
  ['messages', 'input', 'contents'],
  ['instructions', 'system'],
  ['stop', 'stop_sequences'],
  ['response_format', 'text', 'output_config'],
  ['reasoning_effort', 'reasoning', 'thinking'],
];

/**
 * Returns the name of the client's field that an error of the provider refers to: the same path if the client
 * sent it, or else the member from which it was created. Returns undefined if the client sent neither.
 */
function clientParam(param: string | undefined, members: ClientRequest['members']): string | undefined {
  const name = param === undefined ? undefined : /^\w+/.exec(param)?.[0];
  if (name === undefined || members.has(name)) return name && param;
  return SAME_SETTING.find((names) => names.includes(name))?.find((own) => members.has(own));
}

/**
 * Returns the fault code for an error meaning of the provider definition, which is more specific than the
 * status.
 */
function faultCodeOf(meaning: ReturnType<typeof findErrorStatusMeaning>): FaultCode | undefined {
  if (meaning === 'overloaded') return 'upstream_error';
  return meaning === 'rate' ? 'upstream_rate_limited' : undefined;
}

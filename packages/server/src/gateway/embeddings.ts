import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import {
  createVectorCountFault,
  type EmbeddingsRequest,
  type EmbeddingsResponse,
  readEmbeddingsRequest,
  readEmbeddingsResponse,
  writeEmbeddingsRequest,
  writeEmbeddingsResponse,
} from '@floe/wire/embeddings';
import { countEmbeddingsInputs, countEmbeddingsVectors } from '@floe/wire/embeddings-counts';
import { findUsage } from '@floe/wire/find-usage';
import { MAX_REQUEST_JSON_COMPLEXITY } from '@floe/wire/json-complexity';
import {
  applyByteEdits,
  type ByteSpan,
  createJsonMemberEdit,
  readStringAt,
  scanJsonObject,
} from '@floe/wire/json-edits';
import type { EmbeddingsEndpoint } from '../providers/provider-definition.ts';
import { buildUpstreamRequest } from '../providers/upstream-request.ts';
import type { AttemptPlan, ResponseSink } from './attempt-plan.ts';
import { computeChargedUsage } from './charged-usage.ts';
import { appendQuery, buildForwardedQuery } from './client-query.ts';
import { type ClientRequest, MAX_JSON_BODY_BYTES, parseUnambiguousRequestBody } from './client-request.ts';
import { COMPLETE_RESULT, type Exchange, type ExchangeResult, UNPARSED_REQUEST } from './exchange-record.ts';
import { requireModelId } from './model-id.ts';
import { requireAllowedNestedModels } from './nested-models.ts';
import type { GatewayOperation } from './operation.ts';
import { orderTargets, setExchangeRoute } from './order-targets.ts';
import { type ResolvedRoute, resolveRoute, type Target } from './org-catalog.ts';
import { translateUpstreamError } from './plan-translation.ts';
import { applyRequestPolicies } from './policy/apply-request-policies.ts';
import { buildResponseHeaders } from './response-headers.ts';
import { createBufferedResponseSink } from './response-sinks.ts';
import { sendToTargets } from './send-to-targets.ts';
import { EMBEDDINGS_SURFACE } from './surface.ts';
import { parseUpstreamError } from './upstream-error.ts';
import { parseUpstreamJson } from './upstream-json.ts';

/**
 * The operation `POST /gateway/v1/embeddings`. Forwards the client's bytes if the provider accepts
 * the OpenAI format and all requested options. Otherwise, writes the request in the provider's
 * format.
 */
export const EMBEDDINGS_OPERATION: GatewayOperation = {
  surface: EMBEDDINGS_SURFACE,
  async parse(x) {
    const { key, catalog } = x.caller;
    let prompt = parseEmbeddingsRequest(await x.client.readBody(MAX_JSON_BODY_BYTES));
    x.request = { ...UNPARSED_REQUEST, prompt };
    const named = resolveRoute(catalog, key.models ?? (() => true), prompt.model);
    const nested = requireAllowedNestedModels(prompt, x.caller, named);
    if (nested.models.length > 0) x.request = { ...x.request, nestedModels: nested.models };
    const route = setExchangeRoute(
      x,
      orderTargets(x, nested.route, { orgId: key.orgId, stream: false, body: prompt }),
    );
    if (catalog.policies !== null) {
      const evaluated = applyRequestPolicies(x, key, prompt, catalog.policies);
      const body = evaluated instanceof Promise ? await evaluated : evaluated;
      if (body !== prompt.body) prompt = { ...parseEmbeddingsRequest(body), user: prompt.user };
      x.request = { ...x.request, prompt };
    }
    return { route, send: () => sendEmbeddings(x, prompt, route) };
  },
};

async function sendEmbeddings(
  x: Exchange,
  prompt: ClientRequest,
  route: ResolvedRoute,
): Promise<ExchangeResult> {
  await sendToTargets(x, route, (target) => planEmbeddings(x, prompt, target));
  return COMPLETE_RESULT;
}

function parseEmbeddingsRequest(body: Buffer): ClientRequest {
  const members = scanJsonObject(body, MAX_REQUEST_JSON_COMPLEXITY);
  for (const param of ['model', 'input'])
    if (!members.has(param))
      throw new Fault('missing_required_parameter', `Missing required parameter: "${param}".`, { param });
  const model = requireModelId(optionalText(body, members, 'model'));
  return { body, members, model, stream: false, choices: 1, user: optionalText(body, members, 'user') };
}

function optionalText(body: Buffer, members: ReadonlyMap<string, ByteSpan>, name: string): string | null {
  const span = members.get(name);
  return (span && readStringAt(body, span)) ?? null;
}

/**
 * Plans an attempt.
 * @throws Fault `unsupported_parameter` if the target cannot process the request, although another target may
 */
function planEmbeddings(x: Exchange, prompt: ClientRequest, target: Target): AttemptPlan {
  const { provider, credential } = target;
  const how = provider.definition.embeddings;
  if (!how)
    throw new Fault(
      'unsupported_parameter',
      `The provider "${provider.id}" does not support embeddings. Use a model from another provider.`,
      { param: 'model' },
    );
  const model = provider.upstreamModel(target.model);
  const headers = [...provider.headersFor(credential), 'accept', 'application/json'];
  const ownPath = provider.embeddingsPath(target.model);
  const {
    path,
    body,
    dropped,
    answer: sink,
  } = how.unsupported || how.dialect !== 'openai' ? rewritten() : asItIs();
  return {
    request: buildUpstreamRequest(target, path, headers, body),
    dropped,
    createSink: () => sink,
    // Clients cannot parse errors in another format, so they become a fault.
    toError: (answer) =>
      how.dialect === 'openai'
        ? parseUpstreamError(provider, answer)
        : translateUpstreamError(target, provider.dialectFor(target.model), prompt, answer),
  };

  function asItIs(): EmbeddingsPayload {
    const edits = [createJsonMemberEdit(prompt, 'model', JSON.stringify(model))];
    const encoding = optionalText(prompt.body, prompt.members, 'encoding_format') ?? 'float';
    return {
      path: appendQuery(ownPath, buildForwardedQuery(x)),
      body: applyByteEdits(prompt.body, edits),
      dropped: [],
      answer: createForwardedVectors(x, prompt, encoding),
    };
  }

  function rewritten(): EmbeddingsPayload {
    if (!how) throw new Error('unreachable: providers without embeddings are rejected earlier');
    const parsed = parseUnambiguousRequestBody(prompt);
    const read = readEmbeddingsRequest(parsed);
    const written = writeEmbeddingsRequest(read, how, model, renameDimensions(parsed, how));
    const bytes = Buffer.from(JSON.stringify(written.body));
    return {
      path: ownPath,
      body: bytes,
      dropped: written.dropped,
      answer: createTranslatedVectors(x, prompt, read, how),
    };
  }
}

interface EmbeddingsPayload {
  readonly path: string;
  readonly body: Buffer;
  readonly dropped: readonly string[];
  readonly answer: ResponseSink;
}

function renameDimensions(body: JsonObject, { dimensions }: EmbeddingsEndpoint): JsonObject {
  if (dimensions === undefined || body['dimensions'] === undefined) return body;
  const { dimensions: value, ...rest } = body;
  return { ...rest, [dimensions]: value };
}

const FIRST_VECTOR = /"embedding"\s*:\s*(["[])/;

/**
 * Forwards the provider's bytes, unless the vectors do not have the requested encoding. Official clients do not
 * check the encoding.
 */
function createForwardedVectors(x: Exchange, prompt: ClientRequest, encoding: string): ResponseSink {
  return createBufferedResponseSink(x, (bytes) => {
    const members = parseAnswerMembers(bytes);
    const usage = members.get('usage');
    x.answer.setUsage(
      (usage && findUsage({ usage: JSON.parse(bytes.toString('utf8', usage.start, usage.end)) })) ?? null,
    );
    requireAllVectors(prompt, bytes, members);
    const first = FIRST_VECTOR.exec(bytes.toString('latin1', 0, 65_536))?.[1];
    const asAsked = first === undefined || (first === '"') === (encoding === 'base64');
    if (asAsked) return x.client.sendAnswer(200, buildResponseHeaders(x, 'application/json'), bytes);
    const read = readEmbeddingsRequest(parseUnambiguousRequestBody(prompt));
    sendVectors(
      x,
      readEmbeddingsResponse('openai', parseUpstreamJson(bytes), read.input.length),
      read.encoding,
      prompt.model,
    );
  });
}

/**
 * Returns the positions of the members of a response.
 * @throws Fault `upstream_error` if it is not a list of vectors
 */
function parseAnswerMembers(bytes: Buffer): ReadonlyMap<string, ByteSpan> {
  try {
    const members = scanJsonObject(bytes);
    if (members.has('data')) return members;
  } catch {
    // Reported below as an error of the provider, not of the caller's request.
  }
  throw new Fault(
    'upstream_error',
    'The provider sent a response without embedding vectors. Send the request again.',
    {
      upstreamStatus: 200,
      upstreamBody: bytes.toString('utf8', 0, 2000),
    },
  );
}

/**
 * Clients match vectors to inputs by position, so a missing vector would go unnoticed.
 * @throws Fault `upstream_error` if the response has a different number of vectors than the request has inputs
 */
function requireAllVectors(
  prompt: ClientRequest,
  bytes: Buffer,
  members: ReadonlyMap<string, ByteSpan>,
): void {
  const [input, data] = [prompt.members.get('input'), members.get('data')];
  const inputs = input === undefined ? 0 : countEmbeddingsInputs(prompt.body, input);
  const vectors = data === undefined ? 0 : countEmbeddingsVectors(bytes, data, inputs);
  if (vectors !== inputs)
    throw createVectorCountFault(vectors, inputs, {
      upstreamStatus: 200,
      upstreamBody: bytes.toString('utf8', 0, 2000),
    });
}

function createTranslatedVectors(
  x: Exchange,
  prompt: ClientRequest,
  read: EmbeddingsRequest,
  { dialect }: EmbeddingsEndpoint,
): ResponseSink {
  return createBufferedResponseSink(x, (bytes) =>
    sendVectors(
      x,
      readEmbeddingsResponse(dialect, parseUpstreamJson(bytes), read.input.length),
      read.encoding,
      prompt.model,
    ),
  );
}

function sendVectors(
  x: Exchange,
  answer: EmbeddingsResponse,
  encoding: EmbeddingsRequest['encoding'],
  model: string,
): void {
  x.answer.setUsage(answer.usage ?? null);
  // If the provider reports no usage, the client receives the charged usage.
  const { usage } = computeChargedUsage(x, true);
  const body = writeEmbeddingsResponse({ ...answer, usage: usage ?? undefined }, encoding, model);
  x.client.sendAnswer(200, buildResponseHeaders(x, 'application/json'), JSON.stringify(body));
}

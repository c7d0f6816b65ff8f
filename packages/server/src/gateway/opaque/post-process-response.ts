import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { findUsage } from '@floe/wire/find-usage';
import { recordResponseContentSize } from '../charged-usage.ts';
import type { Exchange } from '../exchange-record.ts';
import type { Target } from '../org-catalog.ts';
import { sendToTargets } from '../send-to-targets.ts';
import { parseUpstreamJson, UNCOUNTED_RESPONSE_BYTES } from '../upstream-json.ts';
import { BATCH_INPUT_KIND } from './batch-inputs.ts';
import { omitHeaders } from './forwarded-headers.ts';
import type { OpaqueContext } from './opaque-context.ts';
import {
  type OpaquePlanInput,
  planOpaqueAttempt,
  type ResponsePostProcessing,
  type TargetResponse,
} from './opaque-plan.ts';
import type { OpaqueRequest } from './opaque-request.ts';
import { mergeResponseHeaders } from './opaque-response-sink.ts';
import {
  canAccessResource,
  findCreatedResources,
  listPageEntries,
  readOwnedPage,
  recordResourceOwners,
} from './owned-resources.ts';
import type { ResourceReference } from './resource-reference.ts';
import { canContainLinks, resolvePublicBaseUrl, rewriteLinks } from './rewrite-links.ts';

/** Returns how a response must be processed before it is sent; null if it can be forwarded unchanged. */
export function findRequiredPostProcessing(
  x: Exchange,
  resource: ResourceReference,
  opaque: OpaqueRequest,
): ResponsePostProcessing | null {
  const { collection, id } = resource;
  const { method } = x.client;
  if (collection === null) return null;
  const shown = canContainLinks(resource) ? 'show' : null;
  if (method === 'GET') return id === null ? 'list' : collection === 'batches' ? 'note' : shown;
  if (method !== 'POST') return shown;
  const answers = collection === 'responses' || collection === 'chat/completions';
  if (id === null) return answers && opaque.isUnstored ? null : 'create';
  return answers ? null : 'note';
}

/**
 * Records the resources in a buffered response, or removes those that belong to other callers, and
 * then sends the response.
 */
export async function postProcessResponse(
  x: Exchange,
  input: OpaquePlanInput,
  held: TargetResponse,
): Promise<void> {
  const answer = parseAnswer(held.body);
  const body = answer && (await processAnswer(x, input, held.target, answer));
  if (input.postProcessing === 'create') recordResponseContentSize(x, held.body);
  const headers = omitHeaders(mergeResponseHeaders(x, held.headers), 'content-length');
  const bytes = body === null ? held.body : Buffer.from(body);
  x.client.sendAnswer(held.status, headers, rewriteAnswerLinks(x, input.context, bytes, answer));
}

/**
 * Replaces the links in a response with links to Floe, because clients follow them with their platform key.
 */
function rewriteAnswerLinks(
  { gateway, client, target }: Exchange,
  { base, resource }: OpaqueContext,
  body: Buffer,
  answer: JsonObject | null,
): Buffer {
  if (!target || !canContainLinks(resource)) return body;
  const url = resolvePublicBaseUrl(gateway.baseUrl(), String(client.headers.host ?? '')) + base.basePath;
  return rewriteLinks(body, answer, { url, base, target, resource });
}

/** Returns the body to send; null for the original bytes. */
async function processAnswer(
  x: Exchange,
  input: OpaquePlanInput,
  target: Target,
  answer: JsonObject,
): Promise<string | null> {
  const {
    postProcessing,
    context: { resource, key },
  } = input;
  if (postProcessing === 'show') return null;
  if (postProcessing === 'list')
    return Array.isArray(answer['data'])
      ? JSON.stringify(await filterListedResources(x, input, answer))
      : null;
  if (postProcessing === 'create' && (resource.surface === 'responses' || resource.surface === 'chat'))
    x.answer.setUsage(findUsage(answer) ?? null);
  if (postProcessing === 'create' && resource.surface === 'responses') {
    const { id, status } = answer;
    x.answer.setResponseId(typeof id === 'string' ? id : null);
    x.answer.setFinishReason(typeof status === 'string' ? status : null);
  }
  const kind = isValidatedBatch(input.request) ? BATCH_INPUT_KIND : resource.collection;
  const things = findCreatedResources(resource, postProcessing === 'create' ? kind : null, answer);
  if (things.length > 0) await recordResourceOwners(x.gateway.resourceOwners, target, key, things);
  return null;
}

async function filterListedResources(
  x: Exchange,
  input: OpaquePlanInput,
  first: JsonObject,
): Promise<JsonObject> {
  const { base, resource, key, catalog, path } = input.context;
  const { resourceOwners } = x.gateway;
  const page = async (query: string): Promise<JsonObject | null> => {
    if (!x.route) return null;
    const next: OpaquePlanInput = { ...input, query, bufferedAnswer: null };
    await sendToTargets(x, x.route, (target) => planOpaqueAttempt(x, target, next));
    return next.bufferedAnswer && parseAnswer(next.bufferedAnswer.body);
  };
  const mine = async (ids: readonly string[]) => {
    const known = await resourceOwners.find(key.orgId, ids);
    const provider = x.target?.provider.id;
    return new Set(
      ids.filter((id) =>
        known
          .get(id)
          ?.some((one) => one.provider === provider && canAccessResource(catalog.resourceScope, key, one)),
      ),
    );
  };
  const shown = await readOwnedPage(first, {
    query: path.query,
    after: base.style === 'a' ? 'after' : 'after_id',
    page,
    filterOwned: mine,
  });
  const things = listPageEntries(shown).flatMap((entry) => findCreatedResources(resource, null, entry));
  if (x.target && things.length > 0) await recordResourceOwners(resourceOwners, x.target, key, things);
  return shown;
}

function isValidatedBatch({ body }: OpaqueRequest): boolean {
  return body.kind === 'upload' && body.check?.isBatchInput === true;
}

/**
 * Returns the response if it is a JSON object. A short response that is not JSON, such as an empty one, is forwarded.
 * @throws Fault `upstream_error` if a longer response is not JSON or has too many values
 */
function parseAnswer(body: Buffer): JsonObject | null {
  try {
    const value = parseUpstreamJson(body);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (!(error instanceof Fault) || body.length > UNCOUNTED_RESPONSE_BYTES) throw error;
    return null;
  }
}

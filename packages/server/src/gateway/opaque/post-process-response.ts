import { Buffer, isUtf8 } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { findUsage } from '@floe/wire/find-usage';
import { tryParseJson } from '@floe/wire/json-narrowing';
import { recordResponseContentSize } from '../charged-usage.ts';
import type { Exchange } from '../exchange-record.ts';
import type { Target } from '../org-catalog.ts';
import { readSmallValues } from '../read-small-values.ts';
import { sendToTargets } from '../send-to-targets.ts';
import { findComplexityError, parseUpstreamJson } from '../upstream-json.ts';
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
  createsOther,
  findCreatedResources,
  JOB_COLLECTIONS,
  listMemberOf,
  listPageEntries,
  readOwnedPage,
  recordResourceOwners,
} from './owned-resources.ts';
import type { ResourceReference } from './resource-reference.ts';
import { canContainLinks, findResourceIds, resolvePublicBaseUrl, rewriteLinks } from './rewrite-links.ts';

/** Lists that are the same for every caller. */
const STATIC_LISTS: ReadonlySet<string> = new Set(['webhook_event_types']);

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
  if (method === 'GET' && id === null) return STATIC_LISTS.has(collection) ? shown : 'list';
  if (method === 'GET') return JOB_COLLECTIONS.has(collection) || createsOther(resource) ? 'note' : shown;
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
  const { shown, bytes } = await processAnswer(x, input, held);
  if (input.postProcessing === 'create') recordResponseContentSize(x, held.body);
  const headers = omitHeaders(mergeResponseHeaders(x, held.headers), 'content-length');
  x.client.sendAnswer(held.status, headers, rewriteAnswerLinks(x, input.context, bytes, shown));
}

/**
 * Replaces the links in a response with links to Floe, because clients follow them with their platform key.
 */
function rewriteAnswerLinks(
  { gateway, client, target }: Exchange,
  { base, resource }: OpaqueContext,
  body: Buffer,
  { answer, isWhole }: ReadAnswer,
): Buffer {
  if (!target || !canContainLinks(resource)) return body;
  const url = resolvePublicBaseUrl(gateway.baseUrl(), String(client.headers.host ?? '')) + base.basePath;
  return rewriteLinks(body, isWhole ? findResourceIds(answer) : null, { url, base, target, resource });
}

/** Returns the body to send, and the content of this body. */
async function processAnswer(
  x: Exchange,
  input: OpaquePlanInput,
  { body, target }: TargetResponse,
): Promise<{ readonly bytes: Buffer; readonly shown: ReadAnswer }> {
  if (input.postProcessing === 'list') {
    const first = parseListPage(body);
    if (first === null) return { bytes: body, shown: { answer: null, isWhole: true } };
    const answer = await filterListedResources(x, input, first.page);
    const list = first.isArray ? answer['data'] : answer;
    return { bytes: Buffer.from(JSON.stringify(list)), shown: { answer, isWhole: true } };
  }
  const shown = readAnswer(body);
  if (shown.answer !== null) await recordAnswer(x, input, target, shown.answer);
  return { bytes: body, shown };
}

/** Records the usage and the resources in a response whose original bytes are sent. */
async function recordAnswer(
  x: Exchange,
  input: OpaquePlanInput,
  target: Target,
  answer: JsonObject,
): Promise<void> {
  const {
    postProcessing,
    context: { resource, key },
  } = input;
  if (postProcessing === 'show') return;
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
    return (next.bufferedAnswer && parseListPage(next.bufferedAnswer.body)?.page) ?? null;
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
 * Parses a page of a list. Returns null if the body is empty. A list without an object around it becomes `data`. Invalid
 * UTF-8 is replaced, because clients also read such a page.
 * @throws Fault `upstream_error` if the page is not a list, because resources of other callers could then not be removed
 */
function parseListPage(body: Buffer): { readonly page: JsonObject; readonly isArray: boolean } | null {
  if (body.length === 0) return null;
  const page = parseUpstreamJson(isUtf8(body) ? body : Buffer.from(body.toString('utf8')));
  if (Array.isArray(page)) return { page: { data: page }, isArray: true };
  if (isJsonObject(page) && Array.isArray(page[listMemberOf(page)])) return { page, isArray: false };
  throw new Fault(
    'upstream_error',
    'The provider sent a list without the array `data` or `items`, so Floe cannot remove the resources of other callers.',
    { upstreamBody: body.toString('utf8', 0, 2000) },
  );
}

/** The values of a response that were read. */
interface ReadAnswer {
  /** Null if the response is not a JSON object. */
  readonly answer: JsonObject | null;
  /** Whether all values were read. */
  readonly isWhole: boolean;
}

/** Reads a response whose original bytes are sent. If it is too complex to parse, reads only its small values. */
function readAnswer(body: Buffer): ReadAnswer {
  if (findComplexityError(body) !== null) return { answer: readSmallValues(body), isWhole: false };
  const answer = tryParseJson(body.toString('utf8'));
  return { answer: isJsonObject(answer) ? answer : null, isWhole: true };
}

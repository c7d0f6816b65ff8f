import { Fault } from '@floe/contract/faults';
import { type BillingMode, resolveBillingMode } from '../billing.ts';
import { ClientDisconnectedError } from '../client-call.ts';
import { decodePercentEncoding } from '../client-query.ts';
import { type Exchange, type ExchangeResult, UNPARSED_REQUEST } from '../exchange-record.ts';
import { requireModelId } from '../model-id.ts';
import { createNestedModelNotAllowedFault } from '../nested-models.ts';
import type { GatewayOperation } from '../operation.ts';
import { orderTargets, setExchangeRoute } from '../order-targets.ts';
import type { ResolvedRoute } from '../org-catalog.ts';
import { logInternalError } from '../send-error.ts';
import { sendToTargets } from '../send-to-targets.ts';
import type { GatewaySurface } from '../surface.ts';
import { applyOpaquePolicies } from './apply-opaque-policies.ts';
import { requireValidatedBatchInputs } from './batch-inputs.ts';
import { claimResultLines, findUncountedLines } from './batch-results.ts';
import { findCommonOwner, findResourceOwner } from './find-resource-owner.ts';
import { createModelCheck, isModelInQuery, rejectMissingModel, requireAllowedPath } from './model-checks.ts';
import type { OpaqueApiRules, OpaqueRouteInput } from './opaque-api-rules.ts';
import type { OpaqueContext } from './opaque-context.ts';
import { planOpaqueAttempt } from './opaque-plan.ts';
import { createProgress, logUnrecordedOwner, type OpaqueProgress } from './opaque-progress.ts';
import { type OpaqueRequest, readOpaqueRequest } from './opaque-request.ts';
import { recordContainers } from './owned-resources.ts';
import { postProcessResponse } from './post-process-response.ts';
import { parseRequestPath, type RequestPath } from './request-path.ts';
import { parseResourcePath, type ResourceReference, requireForwardablePath } from './resource-reference.ts';

/**
 * Creates the operation for a request whose body and response are forwarded without parsing. It is
 * routed by its path and by the structure of its body, because its dialect is not parsed. `rest` is
 * the path after the base, including the query.
 */
export function createOpaqueOperation(method: string, base: OpaqueApiRules, rest: string): GatewayOperation {
  const path = parsePath(base, rest);
  const segments = path instanceof Fault ? [] : path.segments.slice(base.pathPrefix.length);
  const resource = parseResourcePath(method, segments);
  return {
    surface: createSurface(
      base,
      resolveBillingMode(base.style, method, resource.endpoint, resource.isBatchResults),
      resource,
    ),
    async parse(x) {
      if (path instanceof Fault) throw path;
      const context: OpaqueContext = { base, path, segments, resource, ...x.caller };
      const { ask: opaqueRequest, course } = await readAndRoute(x, context);
      return { route: course, send: () => sendOpaque(x, context, opaqueRequest, course) };
    },
    release({ id, request: { opaque }, gateway: { log } }) {
      if (opaque?.body.kind !== 'spool') return;
      opaque.body.spool.close().catch((error: unknown) => {
        log.warn({ err: error, request_id: id }, 'temporary file of a request body could not be closed');
      });
    },
  };
}

function createSurface(
  { routeMode, faultShape }: OpaqueApiRules,
  billing: BillingMode,
  { surface: name }: ResourceReference,
): GatewaySurface {
  const dialect = faultShape === 'anthropic' ? 'messages' : 'chat';
  return { name, routeMode, dialect, faultShape, billing, forwardedHeaders: [] };
}

/** The billing modes by text tokens. The body of a request with one of these modes is a prompt. */
const TEXT_BILLING_MODES: ReadonlySet<BillingMode> = new Set(['tokens', 'searches', 'free-unless-priced']);

/** Parses the path. Returns a fault for an invalid path, because it is reported only after authentication. */
function parsePath(base: OpaqueApiRules, rest: string): RequestPath | Fault {
  try {
    const path = parseRequestPath(rest);
    if (base.pathPrefix.every((segment, at) => path.segments[at] === segment)) return path;
    return new Fault('not_found', `Paths under this base URL must start with /${base.pathPrefix.join('/')}.`);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/**
 * Reads as much of the request as limits, budgets and policies need, and resolves its route.
 * @throws Fault of the request
 */
async function readAndRoute(
  x: Exchange,
  context: OpaqueContext,
): Promise<{ readonly ask: OpaqueRequest; readonly course: ResolvedRoute }> {
  const { path, resource, key, catalog } = context;
  const { client, gateway } = x;
  if (decodePercentEncoding(client.target).includes(x.caller.presentedKey))
    throw new Fault('invalid_request', 'The URL contains a platform key. Send the key in a header instead.');
  requireForwardablePath(client.method, resource);
  const { clock, spoolDir } = gateway;
  const allowsModel = createModelCheck(x, context);
  const queryModel = new URLSearchParams(path.query).get('model');
  if (queryModel !== null) requireModelId(queryModel);
  const requireOwned = async (ids: readonly string[]) => {
    await findCommonOwner(x, ids, null, x.target?.provider.id);
  };
  const opaque = await readOpaqueRequest({ client, resource, clock, spoolDir, allowsModel, requireOwned });
  const model = opaque.model ?? (isModelInQuery(resource, opaque) ? queryModel : null);
  x.request = { ...UNPARSED_REQUEST, opaque };
  if (opaque.model === null) rejectMissingModel(x);
  // A request to a model is estimated and reserved like any other.
  if (opaque.body.kind === 'json' && opaque.model !== null && TEXT_BILLING_MODES.has(x.surface.billing)) {
    const { bytes, members } = opaque.body;
    const prompt = {
      body: bytes,
      members,
      model: opaque.model,
      stream: opaque.stream,
      choices: opaque.choices ?? 1,
      user: opaque.user,
    };
    x.request = { ...x.request, prompt };
  }
  if (model === null) requireAllowedPath(key, context);
  const owner = await findResourceOwner(x, context, opaque);
  if (opaque.batchInputs.length > 0) await requireValidatedBatchInputs(x, opaque, allowsModel !== null);
  const models = queryModel === null ? opaque.references.models : [...opaque.references.models, queryModel];
  const route = resolveOpaqueRoute(x, context, opaque, { model, models, owner });
  return {
    ask: catalog.policies === null ? opaque : await applyOpaquePolicies(x, key, opaque, catalog.policies),
    course: route,
  };
}

/**
 * Returns the targets in order. A request that creates something at a provider is sent once to one target.
 */
function resolveOpaqueRoute(
  x: Exchange,
  { base, key, catalog, resource }: OpaqueContext,
  { body, stream }: OpaqueRequest,
  {
    model,
    models,
    owner,
  }: Pick<OpaqueRouteInput, 'model' | 'owner'> & { readonly models: readonly string[] },
): ResolvedRoute {
  const { client } = x;
  const route = base.resolveRoute({ client, key, catalog, resource, model, owner });
  const targets = route.targets.filter(({ provider }) =>
    models.every((named) => base.allowsModel(provider, key, named)),
  );
  if (targets.length === 0) throw createNestedModelNotAllowedFault(models);
  const scanned = body.kind === 'json' ? { body: body.bytes, members: body.members } : null;
  const ordering = { orgId: key.orgId, stream, body: scanned };
  const ordered = orderTargets(x, { ...route, targets }, ordering);
  const isOnce = model !== null && !base.isRetryable(client.method, resource.collection);
  if (!isOnce) return setExchangeRoute(x, ordered);
  const [first] = ordered.route.targets;
  return setExchangeRoute(x, {
    ...ordered,
    route: { ...ordered.route, targets: first ? [first] : [], retries: 0 },
  });
}

async function sendOpaque(
  x: Exchange,
  context: OpaqueContext,
  opaque: OpaqueRequest,
  route: ResolvedRoute,
): Promise<ExchangeResult> {
  const progress = createProgress(x, context, opaque);
  progress.answerState.resultLines = await findUncountedLines(x, route, context);
  try {
    await sendUntilComplete(x, route, progress);
  } catch (error) {
    recordContainers(x);
    logUnrecordedOwner(x, progress);
    await claimResultLines(x, context, progress.answerState.resultLines).catch((failure: unknown) =>
      logInternalError(x.gateway.log, x.id, failure),
    );
    throw error;
  }
  await finishOpaque(x, progress);
  const { answerState, bufferedAnswer } = progress;
  return {
    state: answerState.hasError ? 'partial' : 'complete',
    status: bufferedAnswer?.status ?? answerState.status,
    fault: null,
  };
}

/**
 * Sends the request. If the client disconnects after the complete response, the exchange does not count as
 * aborted. Official clients disconnect at the last event.
 */
async function sendUntilComplete(x: Exchange, route: ResolvedRoute, progress: OpaqueProgress): Promise<void> {
  try {
    await sendToTargets(x, route, (target) => planOpaqueAttempt(x, target, progress));
  } catch (error) {
    if (!(error instanceof ClientDisconnectedError && progress.answerState.isComplete)) throw error;
  }
}

async function finishOpaque(x: Exchange, progress: OpaqueProgress): Promise<void> {
  const {
    answerState,
    bufferedAnswer,
    recorded,
    context,
    context: { resource, key },
  } = progress;
  recordContainers(x);
  const unrecorded = await recorded;
  if (unrecorded) throw unrecorded;
  if (bufferedAnswer) await postProcessResponse(x, progress, bufferedAnswer);
  const { id, collection } = resource;
  // A request that reads or cancels a response may have received its final state.
  if (collection === 'responses' && id !== null) x.gateway.background.pollSoon(key.orgId, id);
  await claimResultLines(x, context, answerState.resultLines);
}

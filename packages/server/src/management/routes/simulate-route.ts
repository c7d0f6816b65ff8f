import { routeSimulationInput, routeSimulationResult } from '@floe/contract/api/routes';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { MEMBER_ROLES } from '@floe/contract/roles';
import type * as z from 'zod';
import { isCacheEnabled } from '../../gateway/cache/cache-settings.ts';
import { type ClientRequest, parseClientRequest } from '../../gateway/client-request.ts';
import type { ConversationTargets } from '../../gateway/conversation-targets.ts';
import { estimateRequestCost, listRequestedModels } from '../../gateway/estimate-request.ts';
import { type NestedModelCheckResult, requireAllowedNestedModels } from '../../gateway/nested-models.ts';
import { type ResolvedRoute, resolveRoute } from '../../gateway/org-catalog.ts';
import { applyRoutingStrategy } from '../../gateway/routing-strategy.ts';
import type { SharedGatewayDependencies } from '../../gateway/shared-gateway-dependencies.ts';
import { CHAT_SURFACE, MESSAGES_SURFACE, RESPONSES_SURFACE } from '../../gateway/surface.ts';
import type { TargetLatencies } from '../../gateway/target-latencies.ts';
import { previewTargetOrder } from '../../guardrails/breakers/preview-target-order.ts';
import type { LimitAndBudgetEnforcer } from '../../guardrails/limit-and-budget-enforcer.ts';
import { readLimitAndBudgetStatus } from '../../guardrails/limit-and-budget-status.ts';
import {
  type LimitOrBudgetPreviewResult,
  previewBudgets,
  previewLimits,
} from '../../guardrails/preview-limits-and-budgets.ts';
import type { RequestAttributes } from '../../guardrails/request-attributes.ts';
import type { Actor } from '../../platform/actor.ts';
import type { KeyRecord } from '../../platform/keyring.ts';
import { toKeyRecord } from '../../platform/stored-platform-key.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import type { BreakerLister } from '../breakers/breaker-resource.ts';
import type { EvaluationPool } from '../evaluation/evaluation-pool.ts';
import { requirePlatformKey } from '../keys/require-platform-key.ts';
import { type GetLoadedOrg, type LoadedOrg, listProviderIds } from '../loaded-org.ts';
import { defineReadOperation, type Operation, type OperationContext } from '../operation.ts';
import { listEnabledPolicies } from '../policies/dry-run-policies.ts';
import { applyRouteDraft } from './apply-route-draft.ts';

type RouteSimulationInput = z.output<typeof routeSimulationInput>;
type RouteSimulationResult = z.input<typeof routeSimulationResult>;
type RouteSimulationStep = RouteSimulationResult['steps'][number];

/** The dependencies of the operation that simulates a route. */
export interface RouteSimulationDependencies {
  readonly getLoadedOrg: GetLoadedOrg;
  readonly breakers: BreakerLister;
  readonly guard: LimitAndBudgetEnforcer;
  readonly conversations: ConversationTargets;
  readonly latencies: TargetLatencies;
  readonly maxOutputTokens: SharedGatewayDependencies['maxOutputTokens'];
  readonly outputLengths: SharedGatewayDependencies['outputLengths'];
  readonly evaluationPool: Pick<EvaluationPool, 'run'>;
}

const SIMULATED_SURFACES = {
  chat: CHAT_SURFACE,
  responses: RESPONSES_SURFACE,
  messages: MESSAGES_SURFACE,
} as const;

/**
 * Defines the operation that determines how a request would be routed now, with the reason for each
 * step. Sends, reserves and stores nothing.
 */
export function defineSimulateRouteOperation(dependencies: RouteSimulationDependencies): Operation {
  return defineReadOperation({
    name: 'routes.simulate',
    method: 'POST',
    path: '/api/management/routes/simulate',
    scope: 'management',
    // A member who may read the configuration may also simulate it.
    roles: MEMBER_ROLES,
    summary: 'Simulate how a request would be routed now, with reasons',
    body: routeSimulationInput,
    answer: routeSimulationResult,
    run: async (context, { body }) => simulateRequest(dependencies, context, body),
  });
}

type RouteSimulationContext = OperationContext & { readonly reader: DatabaseReader };

async function simulateRequest(
  dependencies: RouteSimulationDependencies,
  context: RouteSimulationContext,
  given: RouteSimulationInput,
): Promise<RouteSimulationResult> {
  const { orgId, reader, clock } = context;
  const running = dependencies.getLoadedOrg(orgId);
  const providers =
    given.draft === undefined ? [] : await listProviderIds(reader, orgId, dependencies.getLoadedOrg);
  const org =
    given.draft === undefined ? running : applyRouteDraft(running, providers, given.draft, given.replaces);
  const key =
    given.key_id === undefined
      ? toCallerKey(context.actor)
      : toKeyRecord(await requirePlatformKey(reader, orgId, given.key_id));
  const metadata = isJsonObject(given.metadata) ? given.metadata : null;
  const request: SimulatedRequest = { org, key, given, metadata, steps: [] };
  const keyNoun = given.key_id === undefined ? callerNoun(context.actor) : 'platform key';
  const refusal = findKeyFault(key, keyNoun, clock.now(), request.steps);
  if (refusal) return buildSimulationResult(dependencies, request, refusal, null);
  const parsed = await parseAndRouteRequest(dependencies, request);
  const models = parsed.prompt ? listRequestedModels({ ...parsed, opaque: null }, parsed.route) : [];
  const caller: RequestAttributes = { key, endUser: given.end_user, models, metadata };
  const estimate =
    parsed.prompt && parsed.route
      ? estimateRequestCost(parsed.prompt, parsed.route, { orgId, atMs: clock.now() }, dependencies)
      : null;
  const { limits, budgets } = await readLimitAndBudgetStatus(dependencies.guard, org.catalog.rules, caller);
  const rate = recordRulePreview(previewLimits(limits, estimate), request.steps);
  const spend =
    estimate && !parsed.fault ? recordRulePreview(previewBudgets(budgets, estimate), request.steps) : null;
  if (parsed.route) recordCacheStep(request, parsed.route, parsed.prompt);
  // The faults in the order in which the gateway reports them.
  return buildSimulationResult(dependencies, request, rate ?? parsed.fault ?? spend, parsed.route);
}

/** A simulated request, and the results so far. */
interface SimulatedRequest {
  readonly org: LoadedOrg;
  readonly key: KeyRecord;
  readonly given: RouteSimulationInput;
  readonly metadata: JsonObject | null;
  readonly steps: RouteSimulationStep[];
}

function recordRulePreview(
  { rules, refusal }: LimitOrBudgetPreviewResult,
  steps: RouteSimulationStep[],
): Fault | null {
  for (const rule of rules) steps.push({ step: 'limit', ...rule });
  return refusal;
}

/** The key record that represents a member: a key of theirs that may use every model. */
function toCallerKey({ key, orgId, id, displayName, scopes, member }: Actor): KeyRecord {
  const named = { id, orgId, name: displayName, scopes, models: null, team: member?.team ?? null };
  return key ?? { ...named, owner: member?.email ?? null, ...NO_KEY_VALUE };
}

const NO_KEY_VALUE = { expiresAt: null, revokedAt: null, hash: '', prefix: '', last4: '' } as const;

function callerNoun({ member }: Actor): string {
  return member ? 'member' : 'platform key';
}

function findKeyFault(
  key: KeyRecord,
  keyNoun: string,
  nowMs: number,
  steps: RouteSimulationStep[],
): Fault | null {
  const subject = `${keyNoun} "${key.name}"`;
  const reject = (code: 'key_revoked' | 'key_expired' | 'insufficient_scope', message: string) => {
    steps.push({ step: 'authenticate', outcome: 'rejected', reason: `${subject}: ${message}` });
    return new Fault(code, message);
  };
  if (key.revokedAt !== null) return reject('key_revoked', `The ${keyNoun} was revoked.`);
  if (key.expiresAt !== null && key.expiresAt <= nowMs)
    return reject('key_expired', `The ${keyNoun} has expired.`);
  if (!key.scopes.has('gateway'))
    return reject('insufficient_scope', `The ${keyNoun} needs the scope "gateway".`);
  steps.push({ step: 'authenticate', outcome: 'allowed', reason: subject });
  return null;
}

interface ParsedSimulation {
  readonly prompt: ClientRequest | null;
  readonly nestedModels: readonly string[];
  readonly route: ResolvedRoute | null;
  readonly fault: Fault | null;
}

async function parseAndRouteRequest(
  dependencies: RouteSimulationDependencies,
  request: SimulatedRequest,
): Promise<ParsedSimulation> {
  const { given, steps } = request;
  let prompt: ClientRequest | null = null;
  let nestedModels: readonly string[] = [];
  let route: ResolvedRoute | null = null;
  try {
    prompt = parseClientRequest(
      SIMULATED_SURFACES[given.surface],
      Buffer.from(JSON.stringify(given.request)),
    );
    ({ models: nestedModels, route } = routeRequest(dependencies, request, prompt));
    prompt = await applyPolicies(dependencies, request, prompt);
    return { prompt, nestedModels, route, fault: null };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (route === null) steps.push({ step: 'route', outcome: error.code, reason: error.message });
    return { prompt, nestedModels, route, fault: error };
  }
}

function routeRequest(
  { conversations, latencies }: RouteSimulationDependencies,
  { org, key, steps }: SimulatedRequest,
  prompt: ClientRequest,
): NestedModelCheckResult {
  const { orgId } = key;
  const named = resolveRoute(org.catalog, key.models ?? (() => true), prompt.model);
  const { models, route: resolved } = requireAllowedNestedModels(
    prompt,
    { key, catalog: org.catalog },
    named,
  );
  const by = {
    orgId,
    conversation: null,
    stream: prompt.stream,
    conversations,
    latencies,
    random: Math.random,
  };
  const { route, reason } = applyRoutingStrategy(resolved, by);
  const names = route.targets.map(({ provider, model }) => `${provider.id}/${model}`);
  steps.push({ step: 'route', outcome: [...new Set(names)].join(', '), reason: route.reason });
  if (reason !== null) steps.push({ step: 'route', outcome: 'ordered', reason });
  for (const skipped of route.skipped) steps.push({ step: 'route', outcome: 'skipped', reason: skipped });
  return { models, route };
}

/** Returns the request after request policies. @throws Fault `policy_denied` */
async function applyPolicies(
  { evaluationPool, getLoadedOrg }: RouteSimulationDependencies,
  { org, key, given, metadata, steps }: SimulatedRequest,
  prompt: ClientRequest,
): Promise<ClientRequest> {
  if (!org.catalog.policies?.request) return prompt;
  const { body, members, model, stream } = prompt;
  const { name, team, owner } = key;
  const { surface, end_user: endUser } = given;
  const { memberCount } = members;
  const caller = { key: name, team, owner, endUser, metadata };
  const request = { body, members, memberCount, model, stream, surface, ...caller };
  const policies = listEnabledPolicies(getLoadedOrg, key.orgId);
  const { decisions, denial, rewritten } = await evaluationPool.run(key.orgId, 'judgeRequest', {
    policies,
    request,
  });
  for (const { outcome, reason } of decisions) steps.push({ step: 'policy', outcome, reason });
  if (denial !== null) throw new Fault('policy_denied', denial);
  return rewritten === null
    ? prompt
    : parseClientRequest(SIMULATED_SURFACES[surface], Buffer.from(rewritten));
}

function recordCacheStep(
  { org, steps }: SimulatedRequest,
  route: ResolvedRoute,
  prompt: ClientRequest | null,
): void {
  const { catalog } = org;
  if (catalog.cache === null || !isCacheEnabled(catalog.cache, route) || prompt === null) return;
  const { scope, ttlMs } = catalog.cache;
  const owner = scope === 'key' ? 'this key' : 'any key of the organization';
  steps.push({
    step: 'cache',
    outcome: 'looked_up',
    reason: `if ${owner} sent an identical request within the last ${ttlMs / 1000} s, Floe returns the cached response`,
  });
}

function buildSimulationResult(
  { breakers }: RouteSimulationDependencies,
  { key, steps }: SimulatedRequest,
  fault: Fault | null,
  route: ResolvedRoute | null,
): RouteSimulationResult {
  const { asked, skipped, steps: found } = previewTargetOrder(route?.targets ?? [], breakers.list(key.orgId));
  // A rejected request reaches no breaker.
  if (!fault) steps.push(...found.map((step) => ({ step: 'breaker', ...step })));
  return {
    outcome: fault ? 'rejected' : 'sent',
    status: fault?.status ?? 200,
    code: fault?.code ?? null,
    message: fault?.message ?? null,
    steps,
    targets: asked.map(({ target: { provider, model, credential }, view }) => ({
      provider: provider.id,
      model,
      credential: credential.name,
      breaker: view?.state ?? 'closed',
      wait_ms: Math.ceil(view?.waitMs ?? 0),
      reason: view?.reason ?? '',
    })),
    skipped: [...(route?.skipped ?? []), ...skipped],
  };
}

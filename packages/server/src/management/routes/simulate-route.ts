import { simulated, simulation } from '@floe/contract/api/routes';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import { ROLES } from '@floe/contract/roles';
import type * as z from 'zod';
import { arrange } from '../../gateway/arrange.ts';
import { type Ask, readAsk } from '../../gateway/ask.ts';
import { isCached } from '../../gateway/cache/rules.ts';
import { type Course, resolveCourse } from '../../gateway/catalog.ts';
import { estimateOf, modelsOf } from '../../gateway/estimate-request.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { Latencies } from '../../gateway/latencies.ts';
import type { Conversations } from '../../gateway/stickiness.ts';
import { CHAT, MESSAGES, RESPONSES } from '../../gateway/surface.ts';
import { breakerOutlook } from '../../guardrails/breakers/outlook.ts';
import type { Caller } from '../../guardrails/counted-request.ts';
import type { Guard } from '../../guardrails/guard.ts';
import { type Outlook, rateOutlook, spendOutlook } from '../../guardrails/outlook.ts';
import { standingOf } from '../../guardrails/standing.ts';
import type { Actor } from '../../platform/actor.ts';
import type { KeyRecord } from '../../platform/keyring.ts';
import { keyRecordOf } from '../../platform/stored-key.ts';
import type { Reader } from '../../store/ports.ts';
import type { BreakerSource } from '../breakers/breaker-answer.ts';
import { existingKey } from '../keys/find-key.ts';
import { inForce } from '../policies/dry-run-policy.ts';
import { providerIds, type RunningOrg, type RunningOrgs } from '../running-org.ts';
import type { Trials } from '../trials/trials.ts';
import { readVerb, type Verb, type VerbContext } from '../verb.ts';
import { withDraft } from './route-draft.ts';

type Simulation = z.output<typeof simulation>;
type Simulated = z.input<typeof simulated>;
type Step = Simulated['steps'][number];

/** What a simulation reads of the running gateway. */
export interface SimulationParts {
  readonly orgs: RunningOrgs;
  readonly breakers: BreakerSource;
  readonly guard: Guard;
  readonly conversations: Conversations;
  readonly latencies: Latencies;
  readonly outputMost: Gateway['outputMost'];
  readonly outputLengths: Gateway['outputLengths'];
  readonly trials: Pick<Trials, 'run'>;
}

const SURFACES = { chat: CHAT, responses: RESPONSES, messages: MESSAGES } as const;

/** What would happen to a request now, and why. Nothing is sent, taken or kept. */
export function simulateRoute(parts: SimulationParts): Verb {
  return readVerb({
    name: 'routes.simulate',
    method: 'POST',
    path: '/api/management/routes/simulate',
    scope: 'management',
    // Whoever may read what is configured may know what follows from it.
    roles: ROLES,
    summary: 'Tell what would happen to a request now, and why',
    body: simulation,
    answer: simulated,
    run: async (context, { body }) => simulate(parts, context, body),
  });
}

type Context = VerbContext & { readonly reader: Reader };

async function simulate(parts: SimulationParts, context: Context, given: Simulation): Promise<Simulated> {
  const { orgId, reader, clock } = context;
  const running = parts.orgs(orgId);
  const providers = given.draft === undefined ? [] : await providerIds(reader, orgId, parts.orgs);
  const org =
    given.draft === undefined ? running : withDraft(running, providers, given.draft, given.replaces);
  const key =
    given.key_id === undefined
      ? callerOf(context.actor)
      : keyRecordOf(await existingKey(reader, orgId, given.key_id));
  const metadata = isObject(given.metadata) ? given.metadata : null;
  const request: SimulatedRequest = { org, key, given, metadata, steps: [] };
  const word = given.key_id === undefined ? wordFor(context.actor) : 'platform key';
  const refusal = keyRefusal(key, word, clock.now(), request.steps);
  if (refusal) return answerOf(parts, request, refusal, null);
  const read = await understand(parts, request);
  const models = read.ask ? modelsOf(read.ask, read.course) : [];
  const caller: Caller = { key, endUser: given.end_user, models, metadata };
  const estimate =
    read.ask && read.course ? estimateOf(read.ask, read.course, { orgId, atMs: clock.now() }, parts) : null;
  const { limits, budgets } = await standingOf(parts.guard, org.catalog.rules, caller);
  const rate = noteOutlook(rateOutlook(limits, estimate), request.steps);
  const spend = estimate && !read.fault ? noteOutlook(spendOutlook(budgets, estimate), request.steps) : null;
  if (read.course) noteCache(request, read.course, read.ask);
  // The order in which they would be told.
  return answerOf(parts, request, rate ?? read.fault ?? spend, read.course);
}

/** A request that is simulated, and what was found out about it so far. */
interface SimulatedRequest {
  readonly org: RunningOrg;
  readonly key: KeyRecord;
  readonly given: Simulation;
  readonly metadata: JsonObject | null;
  readonly steps: Step[];
}

function noteOutlook({ rules, refusal }: Outlook, steps: Step[]): Fault | null {
  for (const rule of rules) steps.push({ step: 'limit', ...rule });
  return refusal;
}

/** A member asks as a key of theirs would that may use every model. */
function callerOf({ key, orgId, id, shown, scopes, member }: Actor): KeyRecord {
  const named = { id, orgId, name: shown, scopes, models: null, team: member?.team ?? null };
  return key ?? { ...named, owner: member?.email ?? null, ...NO_SECRET };
}

const NO_SECRET = { expiresAt: null, revokedAt: null, hash: '', prefix: '', last4: '' } as const;

function wordFor({ member }: Actor): string {
  return member ? 'member' : 'platform key';
}

function keyRefusal(key: KeyRecord, word: string, nowMs: number, steps: Step[]): Fault | null {
  const because = `${word} "${key.name}"`;
  const refuse = (code: 'key_revoked' | 'key_expired' | 'insufficient_scope', message: string) => {
    steps.push({ step: 'authenticate', outcome: 'refused', because: `${because}: ${message}` });
    return new Fault(code, message);
  };
  if (key.revokedAt !== null) return refuse('key_revoked', `The ${word} was revoked.`);
  if (key.expiresAt !== null && key.expiresAt <= nowMs)
    return refuse('key_expired', `The ${word} has expired.`);
  if (!key.scopes.has('gateway'))
    return refuse('insufficient_scope', `The ${word} lacks the scope "gateway".`);
  steps.push({ step: 'authenticate', outcome: 'allowed', because });
  return null;
}

interface Understood {
  readonly ask: Ask | null;
  readonly course: Course | null;
  readonly fault: Fault | null;
}

async function understand(parts: SimulationParts, request: SimulatedRequest): Promise<Understood> {
  const { given, steps } = request;
  let ask: Ask | null = null;
  let course: Course | null = null;
  try {
    ask = readAsk(SURFACES[given.surface], Buffer.from(JSON.stringify(given.request)));
    course = routed(parts, request, ask);
    ask = await judged(parts, request, ask);
    return { ask, course, fault: null };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (course === null) steps.push({ step: 'route', outcome: error.code, because: error.message });
    return { ask, course, fault: error };
  }
}

function routed(
  { conversations, latencies }: SimulationParts,
  { org, key, steps }: SimulatedRequest,
  ask: Ask,
): Course {
  const { orgId, models } = key;
  const resolved = resolveCourse(org.catalog, models ?? (() => true), ask.model);
  const by = { orgId, conversation: null, stream: ask.stream, conversations, latencies, random: Math.random };
  const { course, because } = arrange(resolved, by);
  const names = course.targets.map(({ provider, model }) => `${provider.id}/${model}`);
  steps.push({ step: 'route', outcome: [...new Set(names)].join(', '), because: course.because });
  if (because !== null) steps.push({ step: 'route', outcome: 'ordered', because });
  for (const skipped of course.skipped) steps.push({ step: 'route', outcome: 'skipped', because: skipped });
  return course;
}

/** The request as it would go on. @throws Fault `policy_denied` */
async function judged(
  { trials, orgs }: SimulationParts,
  { org, key, given, metadata, steps }: SimulatedRequest,
  ask: Ask,
): Promise<Ask> {
  if (!org.catalog.policies?.request) return ask;
  const { body, members, model, stream } = ask;
  const { name, team, owner } = key;
  const { surface, end_user: endUser } = given;
  const request = { body, members, model, stream, surface, key: name, team, owner, endUser, metadata };
  const policies = inForce(orgs, key.orgId);
  const { decisions, denial, rewritten } = await trials.run(key.orgId, 'judgeRequest', { policies, request });
  for (const { outcome, because } of decisions) steps.push({ step: 'policy', outcome, because });
  if (denial !== null) throw new Fault('policy_denied', denial);
  return rewritten === null ? ask : readAsk(SURFACES[surface], Buffer.from(rewritten));
}

function noteCache({ org, steps }: SimulatedRequest, course: Course, ask: Ask | null): void {
  const { catalog } = org;
  if (catalog.cache === null || !isCached(catalog.cache, course) || ask === null) return;
  const { scope, ttlMs } = catalog.cache;
  const whose = scope === 'key' ? 'of this key' : 'of the org';
  steps.push({
    step: 'cache',
    outcome: 'looked_up',
    because: `an answer ${whose} to an equal request of the last ${ttlMs / 1000} s would be told again`,
  });
}

function answerOf(
  { breakers }: SimulationParts,
  { key, steps }: SimulatedRequest,
  fault: Fault | null,
  course: Course | null,
): Simulated {
  const { asked, skipped, steps: found } = breakerOutlook(course?.targets ?? [], breakers.list(key.orgId));
  // A request that is refused meets no breaker.
  if (!fault) steps.push(...found.map((step) => ({ step: 'breaker', ...step })));
  return {
    outcome: fault ? 'refused' : 'sent',
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
      because: view?.because ?? '',
    })),
    skipped: [...(course?.skipped ?? []), ...skipped],
  };
}

import type { Fault, FaultDetail } from '@floe/contract/faults';
import type { Usage } from '@floe/wire/usage';
import type { Grant } from '../guardrails/grant.ts';
import type { ChargedPrice, Price } from '../providers/prices.ts';
import type { AttemptResponseData } from './attempt-response-data.ts';
import type { AuthenticatedCaller } from './caller.ts';
import type { ClientCall } from './client-call.ts';
import type { ClientRequest } from './client-request.ts';
import type { OpaqueRequest } from './opaque/opaque-request.ts';
import type { ResolvedRoute, Target } from './org-catalog.ts';
import type { ExchangeCapacity } from './overload/overload-manager.ts';
import type { PendingPolicyEvaluation, ResponsePolicyContext } from './policy/response-policy-context.ts';
import type { RequestControls } from './request-controls.ts';
import type { ResponseProgress } from './response-progress.ts';
import type { AgentSessionUsage } from './session-request-counter.ts';
import type { SharedGatewayDependencies } from './shared-gateway-dependencies.ts';
import type { ResponsesTurn } from './stored/responses-turn.ts';
import type { GatewaySurface } from './surface.ts';
import type { AttemptTokens } from './usage-fields.ts';

/** The state of an exchange, which its request log row contains (see the glossary). */
export type ExchangeState = 'complete' | 'partial' | 'aborted' | 'failed' | 'blocked' | 'cached';

/** How an exchange ended: its state, the HTTP status of the response, and the fault if there was one. */
export interface ExchangeResult {
  readonly state: ExchangeState;
  readonly status: number;
  readonly fault: Fault | null;
}

/**
 * The result of an exchange whose client received the complete response, from a provider or from
 * Floe.
 */
export const COMPLETE_RESULT: ExchangeResult = { state: 'complete', status: 200, fault: null };

/** The parsed parts of a request. Each is null until it has been parsed. */
export interface ParsedRequest {
  /** A prompt for a model; null for any other request. */
  readonly prompt: ClientRequest | null;
  /** A request that Floe forwards without parsing; null for any other request. */
  readonly opaque: OpaqueRequest | null;
  /** Set for a Responses request that continues a stored turn or is stored itself. */
  readonly turn: ResponsesTurn | null;
  /** The models that a prompt names in addition to its `model`. Empty if nothing depends on them. */
  readonly nestedModels: readonly string[];
}

/** The value for a request that has not been parsed yet. */
export const UNPARSED_REQUEST: ParsedRequest = {
  prompt: null,
  opaque: null,
  turn: null,
  nestedModels: [],
};

/** The result of checking the limits and budgets of an exchange that may proceed. */
export interface ExchangeAdmission {
  readonly grant: Grant;
  /** Rate limit headers for every response. */
  readonly headers: readonly string[];
}

/** How policies changed an exchange's request, and which policies apply to its response. */
export interface ExchangePolicyState {
  /** The policies on the response; null if there are none. */
  readonly answerContext: ResponsePolicyContext | null;
  /** Policies that redacted the request or the response. */
  readonly rewrittenBy: readonly string[] | null;
  /** False if a policy changed the response, because the response then applies only to this caller. */
  readonly isCacheable: boolean;
  /**
   * The evaluation of the response that runs in a worker thread. Nothing more is sent until it has ended.
   * Null if none is running.
   */
  readonly pending: PendingPolicyEvaluation | null;
}

/** The policy state before any policy has been evaluated. */
export const INITIAL_POLICY_STATE: ExchangePolicyState = {
  answerContext: null,
  rewrittenBy: null,
  isCacheable: true,
  pending: null,
};

/**
 * How the response cache was used. This is the value of the header `x-floe-cache`, and is recorded
 * in the row.
 */
export type CacheOutcome = 'hit' | 'miss' | 'bypass' | 'refresh';

/** The parts of a request that Floe omits after a provider has rejected them. */
export interface OmittedRequestParts {
  /** Whether no target receives seals. */
  readonly seals: boolean;
  /** The targets, as `<provider>/<model>`, that do not receive the names of beta features. */
  readonly betaFlags: ReadonlySet<string>;
}

/** The omitted parts of an exchange whose request no provider has rejected. */
export const NO_OMITTED_REQUEST_PARTS: OmittedRequestParts = { seals: false, betaFlags: new Set() };

/** One call to a provider, as the request log row stores it. */
export interface AttemptRecord {
  readonly n: number;
  readonly provider: string;
  readonly model: string;
  readonly credential: string;
  readonly started_at: string;
  status: number | null;
  error: string | null;
  first_token_ms: number | null;
  duration_ms: number | null;
  /** Tokens of this attempt. Absent if the exchange had only one attempt. */
  usage?: AttemptTokens;
  /** Billed units other than tokens. */
  billed_units?: Readonly<Record<string, number>>;
  /** The billed service tier, if it is not the standard tier. */
  service_tier?: string;
  /** The billed units without a price. A service tier without a price is listed as `tier:<name>`. */
  unpriced?: readonly string[];
  /** The prices at which the attempt was charged. */
  price?: ChargedPrice;
}

/** Where the price came from. `incomplete` means that a unit that was used has no price. */
export type CostSource = Price['source'] | 'incomplete';

/**
 * The total usage of the failed earlier attempts of an exchange. Contains only attempts that failed after the
 * provider had started to charge for them.
 */
export interface PriorAttemptsUsage {
  readonly usage: Usage;
  /** The sum of all attempts, each at the price of its own target. Null if none has a price. */
  readonly nanoUsd: number | null;
  readonly costSource: CostSource | null;
  /** Whether a provider reported any of this usage. */
  readonly isReported: boolean;
}

/** A decision about an exchange and its reason, as the field `decisions` of the request log row contains it. */
export interface ExchangeDecision {
  readonly step: 'authenticate' | 'capture' | 'limit' | 'policy' | 'route' | 'breaker' | 'send' | 'answer';
  readonly outcome: string;
  readonly reason: string;
  /** For a rejection: the limit or budget that caused it, and the wait that the client received. */
  readonly rule?: NonNullable<FaultDetail['rule']>;
  readonly retry_after_ms?: number;
}

/** When the call to the provider started and ended, in monotonic milliseconds. */
export interface UpstreamTiming {
  readonly sentAt: number;
  readonly endedAt: number;
}

/**
 * An exchange whose caller is authenticated and which has reserved capacity. All stages after authentication
 * use this type.
 */
export interface Exchange extends Omit<StartedExchange, 'caller' | 'capacity'> {
  readonly caller: AuthenticatedCaller;
  readonly capacity: ExchangeCapacity;
}

/**
 * Returns whether the exchange has an authenticated caller and reserved capacity. False if Floe rejected the request
 * before that, for example because of overload.
 */
export function hasCallerAndCapacity(x: StartedExchange): x is Exchange {
  return x.caller !== null && x.capacity !== null;
}

/** All data about an exchange in progress. `finalizeExchange` converts it to a row, once. */
export interface StartedExchange {
  readonly id: string;
  readonly surface: GatewaySurface;
  readonly client: ClientCall;
  readonly gateway: SharedGatewayDependencies;
  readonly createdAt: number;
  /** Monotonic milliseconds at which the request was accepted. */
  readonly startedAt: number;
  /** How much of the response the client has received. */
  readonly progress: ResponseProgress;
  /** The response to the current attempt: its usage, content and finish reason. */
  readonly answer: AttemptResponseData;
  /** Null before authentication. */
  caller: AuthenticatedCaller | null;
  /** The reserved capacity. Null before authentication, and if no capacity was available. */
  capacity: ExchangeCapacity | null;
  /** Null if no limits or budgets apply. */
  admission: ExchangeAdmission | null;
  controls: RequestControls | null;
  request: ParsedRequest;
  route: ResolvedRoute | null;
  /** The relay's data about the session; null if sessions are not tracked. */
  session: AgentSessionUsage | null;
  target: Target | null;
  omittedParts: OmittedRequestParts;
  readonly attempts: AttemptRecord[];
  readonly decisions: ExchangeDecision[];
  /** Usage and cost of all attempts before the current one. */
  priorUsage: PriorAttemptsUsage | null;
  /** How the cache was used; null if it is disabled. */
  cache: CacheOutcome | null;
  policy: ExchangePolicyState;
  /** The result that the row records. */
  result: ExchangeResult;
  /**
   * The time from the first call to a provider to the last byte of the last finished attempt. Null before an
   * attempt has finished.
   */
  upstreamSpan: UpstreamTiming | null;
}

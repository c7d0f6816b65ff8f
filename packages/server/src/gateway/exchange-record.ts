import type { Fault, FaultDetail } from '@floe/contract/faults';
import type { Usage } from '@floe/wire/usage';
import type { Grant } from '../guardrails/grant.ts';
import type { ChargedPrice, Price } from '../providers/prices.ts';
import type { AnswerProgress } from './answer-progress.ts';
import type { AnswerRecord } from './answer-record.ts';
import type { AuthenticatedCaller } from './caller.ts';
import type { ResolvedRoute, Target } from './catalog.ts';
import type { ClientConnection } from './client.ts';
import type { ClientRequest } from './client-request.ts';
import type { RequestControls } from './controls.ts';
import type { Gateway } from './gateway.ts';
import type { ModelSessionStatus } from './model-sessions.ts';
import type { OpaqueRequest } from './opaque/opaque-request.ts';
import type { AnswerPolicyContext } from './policy/answer-policy-context.ts';
import type { ResponsesTurn } from './stored/responses-turn.ts';
import type { GatewaySurface } from './surface.ts';
import type { AttemptTokens } from './usage-fields.ts';

/** How an exchange ended (ARCHITECTURE.md, "A chat request", states of a row). */
export type ExchangeState = 'complete' | 'partial' | 'aborted' | 'failed' | 'blocked' | 'cached';

/** How the client was answered. */
export interface ExchangeResult {
  readonly state: ExchangeState;
  readonly status: number;
  readonly fault: Fault | null;
}

/** The client has its whole answer from an upstream, or from us. */
export const COMPLETE_RESULT: ExchangeResult = { state: 'complete', status: 200, fault: null };

/** What was read of a request. */
export interface ParsedRequest {
  /** A prompt for a model; null for any other request. */
  readonly prompt: ClientRequest | null;
  /** What is known of a request that passes unread. */
  readonly opaque: OpaqueRequest | null;
  /** Of a Responses request that goes on from a stored turn or becomes one. */
  readonly turn: ResponsesTurn | null;
}

export const UNPARSED_REQUEST: ParsedRequest = { prompt: null, opaque: null, turn: null };

/** What an exchange took of limits and budgets. */
export interface ExchangeAdmission {
  readonly grant: Grant;
  /** Where its caller stands with them, for every answer. */
  readonly headers: readonly string[];
}

/** What policies did to an exchange, and are still to do. */
export interface PolicyState {
  /** What judges the answer; null where no policy does. */
  readonly answerContext: AnswerPolicyContext | null;
  /** Policies that took something out of the request or the answer. */
  readonly rewrittenBy: readonly string[] | null;
  /** False once the answer is this caller's alone: a policy changed it. */
  readonly isCacheable: boolean;
}

export const INITIAL_POLICY_STATE: PolicyState = {
  answerContext: null,
  rewrittenBy: null,
  isCacheable: true,
};

/** As the header `x-floe-cache` and the row say it. */
export type CacheOutcome = 'hit' | 'miss' | 'bypass' | 'refresh';

/** One call to an upstream, as the row keeps it. */
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
  /** Tokens of this attempt alone, when there were several. */
  usage?: AttemptTokens;
  /** What it is billed for beside plain tokens. */
  billed_units?: Readonly<Record<string, number>>;
  /** The service tier it is billed in, where that is not the standard one. */
  service_tier?: string;
  /** What of it has no price: units, or its tier as `tier:<name>`. */
  unpriced?: readonly string[];
  /** What its tokens were charged with. */
  price?: ChargedPrice;
}

/** Whose price a cost is; `incomplete` when something that was used has none. */
export type CostSource = Price['source'] | 'incomplete';

/** Of attempts that broke off after they had used something. */
export interface PriorAttemptsUsage {
  readonly usage: Usage;
  /** Each attempt at the price of its own target; null when none of them has one. */
  readonly nanoUsd: number | null;
  readonly costSource: CostSource | null;
  /** A provider counted some of it. */
  readonly isReported: boolean;
}

/** What a step decided and why; the answer to "why this route?". */
export interface RecordedDecision {
  readonly step: 'authenticate' | 'capture' | 'limit' | 'policy' | 'route' | 'breaker' | 'send' | 'answer';
  readonly outcome: string;
  readonly because: string;
  /** Of a refusal: the limit or budget that refused, and what the client was told to wait. */
  readonly rule?: NonNullable<FaultDetail['rule']>;
  readonly retry_after_ms?: number;
}

/** Monotonic milliseconds. */
export interface UpstreamTiming {
  readonly sentAt: number;
  readonly endedAt: number;
}

/** An exchange once it is known who asks: what every stage behind `authenticate` works on. */
export interface Exchange extends Omit<StartedExchange, 'caller'> {
  readonly caller: AuthenticatedCaller;
}

/** Whether its platform key was found. */
export function isAuthenticated(x: StartedExchange): x is Exchange {
  return x.caller !== null;
}

/** Everything known about one exchange while it lives. `finalize` turns it into a row, once. */
export interface StartedExchange {
  readonly id: string;
  readonly surface: GatewaySurface;
  readonly client: ClientConnection;
  readonly gateway: Gateway;
  readonly createdAt: number;
  /** Monotonic milliseconds at which the request was accepted. */
  readonly startedAt: number;
  /** How far the client's answer has got. */
  readonly progress: AnswerProgress;
  /** What the attempt under way has brought. */
  readonly answer: AnswerRecord;
  /** Null until its platform key is known. */
  caller: AuthenticatedCaller | null;
  /** Null for an org without limits and budgets. */
  admission: ExchangeAdmission | null;
  controls: RequestControls | null;
  request: ParsedRequest;
  route: ResolvedRoute | null;
  /** What the relay knows of its session; null where nobody watches. */
  session: ModelSessionStatus | null;
  target: Target | null;
  readonly attempts: AttemptRecord[];
  readonly decisions: RecordedDecision[];
  /** What the attempts before the last one used and cost. */
  priorUsage: PriorAttemptsUsage | null;
  /** What the cache did; null while it is off. */
  cache: CacheOutcome | null;
  policy: PolicyState;
  /** What the row says of its end. */
  result: ExchangeResult;
  /** From the first upstream call to the last upstream byte of the attempts that are over; null before one is. */
  upstreamSpan: UpstreamTiming | null;
}

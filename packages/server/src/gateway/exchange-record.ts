import type { Fault, FaultDetail } from '@floe/contract/faults';
import type { Usage } from '@floe/wire/usage';
import type { Grant } from '../guardrails/grant.ts';
import type { ChargedPrice, Price } from '../providers/prices.ts';
import type { AnswerProgress } from './answer-progress.ts';
import type { AnswerRecord } from './answer-record.ts';
import type { Ask } from './ask.ts';
import type { Caller } from './caller.ts';
import type { Course, Target } from './catalog.ts';
import type { Client } from './client.ts';
import type { Controls } from './controls.ts';
import type { Gateway } from './gateway.ts';
import type { SessionStanding } from './model-sessions.ts';
import type { OpaqueAsk } from './opaque/opaque-ask.ts';
import type { AnswerGate } from './policy/answer-side.ts';
import type { OpenTurn } from './stored/open-turn.ts';
import type { Surface } from './surface.ts';
import type { AttemptTokens } from './usage-fields.ts';

/** How an exchange ended (ARCHITECTURE.md, "A chat request", states of a row). */
export type State = 'complete' | 'partial' | 'aborted' | 'failed' | 'blocked' | 'cached';

/** How the client was answered. */
export interface Outcome {
  readonly state: State;
  readonly status: number;
  readonly fault: Fault | null;
}

/** The client has its whole answer from an upstream, or from us. */
export const COMPLETE: Outcome = { state: 'complete', status: 200, fault: null };

/** What was read of a request. */
export interface RequestRecord {
  /** A prompt for a model; null for any other request. */
  readonly ask: Ask | null;
  /** What is known of a request that passes unread. */
  readonly opaque: OpaqueAsk | null;
  /** Of a Responses request that goes on from a stored turn or becomes one. */
  readonly turn: OpenTurn | null;
}

export const UNREAD: RequestRecord = { ask: null, opaque: null, turn: null };

/** What an exchange took of limits and budgets. */
export interface Admission {
  readonly grant: Grant;
  /** Where its caller stands with them, for every answer. */
  readonly headers: readonly string[];
}

/** What policies did to an exchange, and are still to do. */
export interface Judged {
  /** What judges the answer; null where no policy does. */
  readonly gate: AnswerGate | null;
  /** Policies that took something out of the request or the answer. */
  readonly rewrittenBy: readonly string[] | null;
  /** False once the answer is this caller's alone: a policy changed it. */
  readonly isKeepable: boolean;
}

export const UNJUDGED: Judged = { gate: null, rewrittenBy: null, isKeepable: true };

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
export interface Spent {
  readonly usage: Usage;
  /** Each attempt at the price of its own target; null when none of them has one. */
  readonly nanoUsd: number | null;
  readonly costSource: CostSource | null;
  /** A provider counted some of it. */
  readonly isCounted: boolean;
}

/** What a step decided and why; the answer to "why this route?". */
export interface Decision {
  readonly step: 'authenticate' | 'capture' | 'limit' | 'policy' | 'route' | 'breaker' | 'send' | 'answer';
  readonly outcome: string;
  readonly because: string;
  /** Of a refusal: the limit or budget that refused, and what the client was told to wait. */
  readonly rule?: NonNullable<FaultDetail['rule']>;
  readonly retry_after_ms?: number;
}

/** Monotonic milliseconds. */
export interface UpstreamSpan {
  readonly sentAt: number;
  readonly endedAt: number;
}

/** An exchange once it is known who asks: what every stage behind `authenticate` works on. */
export interface Exchange extends Omit<StartedExchange, 'caller'> {
  readonly caller: Caller;
}

/** Whether its platform key was found. */
export function isAuthenticated(x: StartedExchange): x is Exchange {
  return x.caller !== null;
}

/** Everything known about one exchange while it lives. `finalize` turns it into a row, once. */
export interface StartedExchange {
  readonly id: string;
  readonly surface: Surface;
  readonly client: Client;
  readonly gateway: Gateway;
  readonly createdAt: number;
  /** Monotonic milliseconds at which the request was accepted. */
  readonly startedAt: number;
  /** How far the client's answer has got. */
  readonly progress: AnswerProgress;
  /** What the attempt under way has brought. */
  readonly answer: AnswerRecord;
  /** Null until its platform key is known. */
  caller: Caller | null;
  /** Null for an org without limits and budgets. */
  admission: Admission | null;
  controls: Controls | null;
  request: RequestRecord;
  course: Course | null;
  /** What the relay knows of its session; null where nobody watches. */
  session: SessionStanding | null;
  target: Target | null;
  readonly attempts: AttemptRecord[];
  readonly decisions: Decision[];
  /** What the attempts before the last one used and cost. */
  spent: Spent | null;
  /** What the cache did; null while it is off. */
  cache: CacheOutcome | null;
  judged: Judged;
  /** What the row says of its end. */
  outcome: Outcome;
  /** From the first upstream call to the last upstream byte of the attempts that are over; null before one is. */
  upstream: UpstreamSpan | null;
}

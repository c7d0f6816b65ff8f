import type { Metrics } from '../analytics/metrics.ts';
import type { AccessLog } from '../core/access-log.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Breakers } from '../guardrails/breakers/breakers.ts';
import type { LimitAndBudgetEnforcer } from '../guardrails/limit-and-budget-enforcer.ts';
import type { OutputLengthEstimator } from '../guardrails/output-length-estimator.ts';
import type { PolicyThreads } from '../guardrails/policies/policy-threads.ts';
import type { KeyRecord, Keyring } from '../platform/keyring.ts';
import type { Provider } from '../providers/configured-provider.ts';
import type { UpstreamTransport } from '../providers/transport.ts';
import type { ResponseCache } from '../store/cache/response-cache.ts';
import type { RowSink } from '../store/store-interfaces.ts';
import type { BackgroundFinalizer } from './background/deferred-exchange.ts';
import type { BodyStore } from './bodies/body-store.ts';
import type { InFlightRequests } from './cache/in-flight-requests.ts';
import type { ConversationTargets } from './conversation-targets.ts';
import type { FirstTokenDeadlines } from './first-token-deadline.ts';
import type { ResourceOwnerStore } from './opaque/resource-owner-store.ts';
import type { OpenExchanges } from './open-exchanges.ts';
import type { OrgCatalog } from './org-catalog.ts';
import type { OverloadManager } from './overload/overload-manager.ts';
import type { SessionRequestCounter } from './session-request-counter.ts';
import type { TurnStore } from './stored/turn-store.ts';
import type { TargetLatencies } from './target-latencies.ts';

/**
 * An immutable snapshot of everything that affects requests. A change replaces the whole snapshot.
 */
export interface GatewaySnapshot {
  readonly keyring: Keyring;
  readonly catalogs: ReadonlyMap<string, OrgCatalog>;
}

/** The dependencies that all gateway requests share. */
export interface SharedGatewayDependencies {
  readonly snapshot: () => GatewaySnapshot;
  readonly transport: UpstreamTransport;
  readonly clock: Clock;
  readonly log: Log;
  readonly accessLog: AccessLog;
  readonly rows: RowSink;
  readonly bodies: Pick<BodyStore, 'store'>;
  readonly turns: TurnStore;
  readonly metrics: Metrics;
  readonly breakers: Breakers;
  readonly conversations: ConversationTargets;
  readonly latencies: TargetLatencies;
  readonly firstTokenDeadlines: FirstTokenDeadlines;
  readonly answerCache: ResponseCache;
  readonly inFlight: InFlightRequests;
  readonly openExchanges: OpenExchanges;
  readonly overload: OverloadManager;
  readonly guard: LimitAndBudgetEnforcer;
  /** Evaluates policies on large bodies. */
  readonly policyThreads: PolicyThreads;
  /** Finalizes exchanges whose response a provider continues to generate after the exchange. */
  readonly background: BackgroundFinalizer;
  /** Returns the maximum output tokens of a model if its provider reports them. */
  readonly maxOutputTokens: (provider: Provider, model: string) => number | null;
  readonly outputLengths: OutputLengthEstimator;
  readonly recordKeyUse: (key: KeyRecord, at: number) => void;
  readonly sessions: SessionRequestCounter;
  /** The keys and organizations that own resources at providers, such as files and batches. */
  readonly resourceOwners: ResourceOwnerStore;
  /** `server.base_url`: the public URL of this server. */
  readonly baseUrl: () => string;
  /** Directory for bodies that are too large for memory. */
  readonly spoolDir: string;
  /** Returns a number from 0 (inclusive) to 1 (exclusive), for jitter. */
  readonly random: () => number;
  /** Whether the process is draining and rejects new exchanges. */
  readonly isDraining: () => boolean;
}

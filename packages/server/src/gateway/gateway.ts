import type { Metrics } from '../analytics/metrics.ts';
import type { AccessLog } from '../core/access-log.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Breakers } from '../guardrails/breakers/breakers.ts';
import type { Guard } from '../guardrails/guard.ts';
import type { OutputLengths } from '../guardrails/output-lengths.ts';
import type { KeyRecord, Keyring } from '../platform/keyring.ts';
import type { Provider } from '../providers/configured-provider.ts';
import type { Transport } from '../providers/transport.ts';
import type { ResponseCache } from '../store/cache/response-cache.ts';
import type { RowSink } from '../store/ports.ts';
import type { BackgroundFinalizer } from './background/deferred-exchange.ts';
import type { BodyStore } from './bodies/body-store.ts';
import type { InFlightRequests } from './cache/in-flight-requests.ts';
import type { Catalog } from './catalog.ts';
import type { ConversationTargets } from './conversation-targets.ts';
import type { FirstTokenDeadlines } from './first-token-deadline.ts';
import type { Latencies } from './latencies.ts';
import type { ModelSessions } from './model-sessions.ts';
import type { ResourceOwners } from './opaque/owners.ts';
import type { OpenExchanges } from './open-exchanges.ts';
import type { TurnStore } from './stored/turn-store.ts';

/** One version of everything a request is judged by; swapped whole, never changed. */
export interface GatewaySnapshot {
  readonly keyring: Keyring;
  readonly catalogs: ReadonlyMap<string, Catalog>;
}

/** What the gateway is made of; `main.ts` puts it together. */
export interface Gateway {
  readonly snapshot: () => GatewaySnapshot;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  readonly accessLog: AccessLog;
  readonly rows: RowSink;
  readonly bodies: Pick<BodyStore, 'store'>;
  readonly turns: TurnStore;
  readonly metrics: Metrics;
  readonly breakers: Breakers;
  readonly conversations: ConversationTargets;
  readonly latencies: Latencies;
  readonly firstTokenDeadlines: FirstTokenDeadlines;
  readonly answerCache: ResponseCache;
  readonly inFlight: InFlightRequests;
  readonly openExchanges: OpenExchanges;
  readonly guard: Guard;
  /** Settles responses that go on after their exchange. */
  readonly background: BackgroundFinalizer;
  /** Tokens that one answer of a model has at most, where its provider says so. */
  readonly maxOutputTokens: (provider: Provider, model: string) => number | null;
  readonly outputLengths: OutputLengths;
  readonly recordKeyUse: (key: KeyRecord, at: number) => void;
  readonly sessions: ModelSessions;
  /** Whose the things at providers are. */
  readonly resourceOwners: ResourceOwners;
  /** `server.base_url`: where clients reach this server. */
  readonly baseUrl: () => string;
  /** Directory for bodies too large to be held in memory. */
  readonly spoolDir: string;
  /** From 0 to below 1, for jitter. */
  readonly random: () => number;
  /** True once the process drains: new exchanges are told to go elsewhere. */
  readonly isDraining: () => boolean;
}

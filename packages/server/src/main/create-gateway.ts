import { join } from 'node:path';
import type { FloeConfig } from '@floe/contract/config';
import { systemClock } from '../core/clock.ts';
import { createBackgroundFinalizer } from '../gateway/background/background-finalizer.ts';
import { InFlightRequests } from '../gateway/cache/in-flight-requests.ts';
import { ConversationTargets } from '../gateway/conversation-targets.ts';
import { FirstTokenDeadlines } from '../gateway/first-token-deadline.ts';
import { createModelEndpoints } from '../gateway/model-endpoints.ts';
import { OpenExchanges } from '../gateway/open-exchanges.ts';
import { createPassthroughHandler } from '../gateway/passthrough/passthrough.ts';
import type { SharedGatewayDependencies } from '../gateway/shared-gateway-dependencies.ts';
import { createStoredResponseEndpoints } from '../gateway/stored/stored-response-endpoints.ts';
import { createTurnStore } from '../gateway/stored/turn-store.ts';
import { TargetLatencies } from '../gateway/target-latencies.ts';
import { OutputLengthEstimator } from '../guardrails/output-length-estimator.ts';
import { createOverloadManager } from './create-overload-manager.ts';
import { createSessionRequestCounter } from './create-session-request-counter.ts';
import type { GatewaySnapshots } from './gateway-snapshots.ts';
import type { ServerComponents } from './server-components.ts';

/**
 * Functions that return values of the configuration in use and of the process state. They are called each
 * time a value is needed.
 */
export interface GatewayRuntimeGetters {
  readonly draining: () => boolean;
  readonly config: () => FloeConfig;
  readonly baseUrl: () => string;
}

/**
 * Creates the dependencies of exchanges from the process's components and the configuration in use.
 */
export function createGatewayDependencies(
  parts: ServerComponents,
  snapshots: GatewaySnapshots,
  { draining, config, baseUrl }: GatewayRuntimeGetters,
): SharedGatewayDependencies {
  const {
    transport,
    log,
    rows,
    metrics,
    guardrails,
    breakers,
    lastUsed,
    answerCache,
    resourceOwners,
    dataDir,
  } = parts;
  const { database, turnsKey, bodyStore, relay } = parts;
  const open = new OpenExchanges(systemClock, () => snapshots.current().keyring);
  snapshots.onChange(() => open.interruptRefused());
  const background = createBackgroundFinalizer({ database, clock: systemClock, gateway: () => gateway });
  const gateway: SharedGatewayDependencies = {
    snapshot: snapshots.current,
    transport,
    clock: systemClock,
    log,
    accessLog: parts.accessLog,
    rows,
    bodies: bodyStore,
    turns: createTurnStore({
      database,
      key: turnsKey,
      clock: systemClock,
      retentionDays: () => config().retention.responses_days,
    }),
    metrics,
    breakers,
    conversations: new ConversationTargets(systemClock),
    latencies: new TargetLatencies(systemClock),
    firstTokenDeadlines: new FirstTokenDeadlines(systemClock),
    answerCache,
    inFlight: new InFlightRequests(),
    openExchanges: open,
    overload: createOverloadManager(parts, snapshots, config().server.overload),
    guard: guardrails.guard,
    policyThreads: parts.policyThreads,
    background,
    maxOutputTokens: parts.modelLists.maxOutputTokens,
    outputLengths: new OutputLengthEstimator(),
    recordKeyUse: lastUsed.record,
    sessions: createSessionRequestCounter(relay.sessions, snapshots),
    resourceOwners,
    baseUrl,
    spoolDir: join(dataDir, 'uploads'),
    random: Math.random,
    isDraining: draining,
  };
  return gateway;
}

/** Creates the handlers of the gateway's paths. */
export function createGatewayRoutes(gateway: SharedGatewayDependencies, { modelLists }: ServerComponents) {
  return {
    gateway,
    lists: createModelEndpoints(gateway, modelLists),
    passthrough: createPassthroughHandler(gateway, modelLists),
    responses: createStoredResponseEndpoints(gateway),
  };
}

import { join } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { createBackground } from '../gateway/background/background.ts';
import { Flights } from '../gateway/cache/flights.ts';
import { FirstTokenDeadlines } from '../gateway/first-token-deadline.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { Latencies } from '../gateway/latencies.ts';
import { createLists } from '../gateway/lists.ts';
import { OpenExchanges } from '../gateway/open-exchanges.ts';
import { createPassthrough } from '../gateway/passthrough/passthrough.ts';
import { Conversations } from '../gateway/stickiness.ts';
import { createStoredResponses } from '../gateway/stored/responses-api.ts';
import { createTurnStore } from '../gateway/stored/turn-store.ts';
import { OutputLengths } from '../guardrails/output-lengths.ts';
import { modelSessions } from './model-sessions.ts';
import type { Parts } from './parts.ts';
import type { Snapshots } from './snapshots.ts';

/** What the running configuration says, asked each time. */
export interface RunningSettings {
  readonly draining: () => boolean;
  readonly responsesDays: () => number;
  readonly baseUrl: () => string;
}

/** What an exchange runs through, from the parts of the process and what the file says now. */
export function assembleGateway(
  parts: Parts,
  snapshots: Snapshots,
  { draining, responsesDays, baseUrl }: RunningSettings,
): Gateway {
  const { transport, log, rows, metrics, guardrails, breakers, lastUsed, answers, owners, dataDir } = parts;
  const { database, turnsKey, bodyStore, relay } = parts;
  const open = new OpenExchanges(systemClock, () => snapshots.current().keyring);
  snapshots.watch(() => open.recheck());
  const background = createBackground({ database, clock: systemClock, gateway: () => gateway });
  const gateway: Gateway = {
    snapshot: snapshots.current,
    transport,
    clock: systemClock,
    log,
    rows,
    bodies: bodyStore,
    turns: createTurnStore({ database, key: turnsKey, clock: systemClock, days: responsesDays }),
    metrics,
    breakers,
    conversations: new Conversations(systemClock),
    latencies: new Latencies(systemClock),
    firstTokens: new FirstTokenDeadlines(systemClock),
    answers,
    flights: new Flights(),
    open,
    guard: guardrails.guard,
    background,
    outputMost: parts.modelLists.outputMost,
    outputLengths: new OutputLengths(),
    lastUsed: lastUsed.note,
    sessions: modelSessions(relay.sessions, snapshots),
    owners,
    baseUrl,
    spoolDir: join(dataDir, 'uploads'),
    random: Math.random,
    draining,
  };
  return gateway;
}

/** What stands behind the gateway's paths. */
export function gatewayRooms(gateway: Gateway, { modelLists }: Parts) {
  return {
    gateway,
    lists: createLists(gateway, modelLists),
    passthrough: createPassthrough(gateway, modelLists),
    responses: createStoredResponses(gateway),
  };
}

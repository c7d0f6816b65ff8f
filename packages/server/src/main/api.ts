import type { LoadedConfig } from '../config/load.ts';
import { systemClock } from '../core/clock.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { type BeatRoutes, createBeatRoutes } from '../http/beat-routes.ts';
import { createLazyApi, type LazyApi } from '../http/lazy-api.ts';
import type { RuleHost } from '../management/guardrails/rule-host.ts';
import type { MonitoringHost } from '../management/monitors/monitoring-host.ts';
import type { RelayHost } from '../management/relay/relay-host.ts';
import { keyActor } from '../platform/actor.ts';
import { type PresentedHeaders, presentedKey } from '../platform/key-format.ts';
import type { Alerts } from './alerts.ts';
import { fileRulesOf } from './file-rules.ts';
import type { Parts } from './parts.ts';
import { peopleHost } from './people.ts';
import { runningOrg } from './running-org.ts';
import type { Snapshots } from './snapshots.ts';

/** Heartbeats and beat URLs, which have an edge of their own. */
export function assembleBeats({ monitoring, log, lastUsed }: Parts, snapshots: Snapshots): BeatRoutes {
  const authenticate = (presented: string) => {
    const now = systemClock.now();
    const key = snapshots.current().keyring.authenticate(presented, now);
    lastUsed.note(key.id, now);
    return key;
  };
  return createBeatRoutes({ engine: monitoring, clock: systemClock, log, authenticate });
}

/** Everything else below `/api`. */
export function assembleApi(
  parts: Parts,
  { snapshot, conversations, latencies, outputMost }: Gateway,
  snapshots: Snapshots,
  {
    alerts: channels,
    monitoring,
    relay,
  }: { readonly alerts: Alerts; readonly monitoring: MonitoringHost; readonly relay: RelayHost },
  loaded: () => LoadedConfig,
  version: string,
): LazyApi {
  const { database, log, pepper, guardrails, breakers } = parts;
  const host = { database, clock: systemClock, changed: () => snapshots.renew() };
  const authenticate = (headers: PresentedHeaders) =>
    keyActor(snapshot().keyring.authenticate(presentedKey(headers), systemClock.now()));
  const cacheOf = (orgId: string) => snapshot().catalogs.get(orgId)?.cache ?? null;
  const orgs = (orgId: string) => runningOrg(loaded(), snapshot().catalogs, orgId);
  const rules: RuleHost = {
    guard: guardrails.guard,
    fileRules: (orgId) => fileRulesOf(loaded(), orgId, snapshots.timezone(orgId)),
  };
  return createLazyApi(
    { host, log, version, authenticate },
    {
      pepper,
      breakers,
      cacheOf,
      channels,
      rules,
      monitoring,
      relay,
      people: peopleHost(parts, () => loaded().config, monitoring.baseUrl),
      running: { orgs, conversations, latencies, outputMost },
    },
  );
}

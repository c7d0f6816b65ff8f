import { systemClock } from '../core/clock.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { listedModels } from '../gateway/lists.ts';
import { type BeatRoutes, createBeatRoutes } from '../http/beat-routes.ts';
import { createLazyApi, type LazyApi } from '../http/lazy-api.ts';
import type { RuleHost } from '../management/guardrails/rule-host.ts';
import type { MonitoringHost } from '../management/monitors/monitoring-host.ts';
import type { RelayHost } from '../management/relay/relay-host.ts';
import type { VerbParts } from '../management/verbs.ts';
import { keyActor } from '../platform/actor.ts';
import { type PresentedHeaders, presentedKey } from '../platform/key-format.ts';
import type { SignInParts } from '../platform/sign-in/sign-in.ts';
import type { Provider } from '../providers/configured.ts';
import type { Alerts } from './alerts.ts';
import { configHost, configRefusal, type FileHistory } from './config-host.ts';
import { fileRulesOf } from './file-rules.ts';
import type { Parts } from './parts.ts';
import { peopleHost } from './people.ts';
import { providerHost } from './providers.ts';
import { runningOrg } from './running-org.ts';
import type { Snapshots } from './snapshots.ts';

/** Heartbeats and beat URLs, which have an edge of their own. */
export function assembleBeats(
  { monitoring, log, lastUsed, beatRefusals }: Parts,
  snapshots: Snapshots,
): BeatRoutes {
  const authenticate = (presented: string) => {
    const now = systemClock.now();
    const key = snapshots.current().keyring.authenticate(presented, now);
    lastUsed.note(key, now);
    return key;
  };
  return createBeatRoutes({
    engine: monitoring,
    clock: systemClock,
    log,
    authenticate,
    refusals: beatRefusals,
  });
}

/** What other rooms give the API. */
interface Rooms {
  readonly alerts: Alerts;
  readonly monitoring: MonitoringHost;
  readonly relay: RelayHost;
  readonly signIn: SignInParts;
}

/** What the overview says about the process itself. */
function standingOf({ guardrails, beatRefusals }: Parts, history: FileHistory): VerbParts['standing'] {
  return {
    configRefusal: (orgId) => configRefusal(history, orgId),
    sharedStore: () => guardrails.sharedStore(),
    refusedBeats: (orgId) => beatRefusals.of(orgId),
  };
}

/** Everything else below `/api`. */
export function assembleApi(
  parts: Parts,
  { snapshot, conversations, latencies, outputMost, outputLengths }: Gateway,
  snapshots: Snapshots,
  { alerts: channels, monitoring, relay, signIn }: Rooms,
  history: FileHistory,
  version: string,
): LazyApi {
  const { database, log, pepper, guardrails, breakers, lastUsed, secretsKey } = parts;
  const { rows, live, jobs, trials, answers } = parts;
  const loaded = () => history.loaded;
  const changed = () => {
    signIn.sessions.forget();
    return snapshots.renew();
  };
  const host = { database, clock: systemClock, changed, secretsKey };
  const authenticate = (headers: PresentedHeaders) => {
    const now = systemClock.now();
    const key = snapshot().keyring.authenticate(presentedKey(headers), now);
    lastUsed.note(key, now);
    return keyActor(key);
  };
  const orgs = (orgId: string) => runningOrg(snapshots, loaded(), orgId);
  const models = (provider: Provider) => listedModels(provider, parts.modelLists);
  const rules: RuleHost = {
    guard: guardrails.guard,
    fileRules: (orgId) => fileRulesOf(loaded(), orgId, snapshots.timezone(orgId)),
  };
  const providers = providerHost(parts, snapshots, loaded, orgs);
  return createLazyApi(
    { host, log, version, authenticate },
    {
      pepper,
      bodies: parts.bodyStore,
      breakers,
      cacheSizeOf: (orgId) => answers.sizeOf(orgId),
      channels,
      rules,
      providers,
      config: configHost(parts, history, { rules, providers }),
      monitoring,
      relay,
      people: peopleHost(parts, () => loaded().config, monitoring.baseUrl),
      running: { orgs, conversations, latencies, outputMost, outputLengths, models },
      analytics: {
        backlog: () => rows.backlog(),
        requestsDays: () => loaded().config.retention.requests_days,
        timezone: (orgId) => snapshots.timezone(orgId),
      },
      standing: standingOf(parts, history),
      live,
      jobs,
      trials,
    },
    { parts: signIn, trustedProxies: loaded().config.server.trusted_proxies },
  );
}

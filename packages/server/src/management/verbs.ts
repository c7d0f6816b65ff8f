import type { KeyObject } from 'node:crypto';
import type { LiveHub } from '../analytics/live/hub.ts';
import type { BodyStore } from '../gateway/bodies/body-store.ts';
import type { Jobs } from '../platform/jobs.ts';
import { listAlerts } from './alerts/list-alerts.ts';
import { sendDeliveryAgain } from './alerts/send-alert-again.ts';
import { type AnalyticsHost, Coverage } from './analytics/analytics-host.ts';
import { getAnnotations } from './analytics/annotations.ts';
import { getValues } from './analytics/filter-values.ts';
import { exportMonth } from './analytics/monthly-bill.ts';
import { createNote } from './analytics/notes.ts';
import { getSummary } from './analytics/usage-summary.ts';
import { getTimeseries } from './analytics/usage-timeseries.ts';
import { getTop } from './analytics/usage-top.ts';
import type { BreakerSource } from './breakers/breaker-answer.ts';
import { listBreakerChanges } from './breakers/breaker-history.ts';
import { forceBreaker } from './breakers/force-breaker.ts';
import { listBreakers } from './breakers/list-breakers.ts';
import { type CacheSizeOf, getCacheStats } from './cache/cache-stats.ts';
import { getCache, updateCache } from './cache/get-cache.ts';
import { purgeCache } from './cache/purge-cache.ts';
import { type ChannelParts, testDraftChannel, testStoredChannel } from './channels/test-channel.ts';
import type { ConfigHost } from './config/config-host.ts';
import { configVerbs } from './config/config-verbs.ts';
import { watchEvents } from './events/watch-events.ts';
import type { RuleHost } from './guardrails/rule-host.ts';
import { identityVerbs } from './identity-verbs.ts';
import { cancelJob, getJob } from './jobs/job-verbs.ts';
import { meVerbs } from './me.ts';
import type { PeopleHost } from './members/people-host.ts';
import { listModels, type ModelParts } from './models/list-models.ts';
import { monitoringVerbs } from './monitoring-verbs.ts';
import type { MonitoringHost } from './monitors/monitoring-host.ts';
import { getOverview } from './overview/get-overview.ts';
import type { Standing } from './overview/overview-standing.ts';
import { startPolicyDryRun } from './policies/dry-run-job.ts';
import { dryRunPolicies } from './policies/dry-run-policy.ts';
import type { ProviderHost } from './providers/provider-host.ts';
import { providerVerbs } from './providers/provider-verbs.ts';
import type { RelayHost } from './relay/relay-host.ts';
import { relayVerbs } from './relay-verbs.ts';
import { exportRequests } from './requests/export-requests.ts';
import { getRequest } from './requests/get-request.ts';
import { listRequests } from './requests/list-requests.ts';
import { getRequestBodies } from './requests/request-bodies.ts';
import { tailRequests } from './requests/tail-requests.ts';
import { alertChannels } from './resources/channels.ts';
import { budgets, limits } from './resources/guardrails.ts';
import { orderedKind } from './resources/ordered-kind.ts';
import { POLICIES } from './resources/policies.ts';
import { relayRules } from './resources/relay-rules.ts';
import { resourceVerbs } from './resources/resource-verbs.ts';
import { ROUTES } from './resources/routes.ts';
import { VIEWS } from './resources/views.ts';
import { type SimulationParts, simulateRoute } from './routes/simulate-route.ts';
import { getSettings, updateSettings } from './settings/settings.ts';
import type { Trials } from './trials/trials.ts';
import type { Verb } from './verb.ts';

/** What single verbs need beyond the `VerbHost`. */
export interface VerbParts {
  /** `derivePepper` of the installation's secret key. */
  readonly pepper: KeyObject;
  readonly breakers: BreakerSource;
  readonly bodies: Pick<BodyStore, 'open'>;
  readonly cacheSizeOf: CacheSizeOf;
  readonly channels: ChannelParts;
  readonly rules: RuleHost;
  readonly providers: ProviderHost;
  /** What the running gateway knows, but for what stands above. */
  readonly running: Pick<
    SimulationParts,
    'orgs' | 'conversations' | 'latencies' | 'outputMost' | 'outputLengths'
  > &
    ModelParts;
  readonly monitoring: MonitoringHost;
  readonly relay: RelayHost;
  readonly analytics: AnalyticsHost;
  readonly standing: Standing;
  readonly live: LiveHub;
  readonly jobs: Jobs;
  readonly people: PeopleHost;
  readonly config: Omit<ConfigHost, 'verbs' | 'trials'>;
  readonly trials: Trials;
}

/** Everything the API can do. A transport lists these; nothing else reaches the verbs. */
export function verbs(parts: VerbParts): readonly Verb[] {
  const { breakers, channels, rules, running, analytics, standing, trials } = parts;
  const coverage = new Coverage(analytics);
  const budgetKind = budgets(rules);
  const all: readonly Verb[] = [
    ...meVerbs(() => all),
    ...identityVerbs(parts),
    ...resourceVerbs(limits(rules)),
    ...resourceVerbs(budgetKind),
    listBreakers(breakers),
    listBreakerChanges,
    forceBreaker(breakers, running.orgs),
    ...resourceVerbs(orderedKind(POLICIES, running.orgs)),
    dryRunPolicies(running.orgs, parts.bodies, trials),
    startPolicyDryRun({ orgs: running.orgs, bodies: parts.bodies, jobs: parts.jobs, coverage, trials }),
    ...resourceVerbs(orderedKind(ROUTES, running.orgs)),
    simulateRoute({ ...running, breakers, guard: rules.guard, trials }),
    ...providerVerbs(parts.providers),
    listModels(running),
    listRequests,
    tailRequests,
    getRequest,
    getRequestBodies(parts.bodies),
    exportRequests(coverage),
    getSummary(coverage),
    getTimeseries(coverage),
    getTop(coverage),
    getValues(coverage),
    getAnnotations(coverage),
    createNote,
    exportMonth(coverage),
    getOverview(coverage, { standing, breakers, budgets: budgetKind, backlog: () => analytics.backlog() }),
    watchEvents(parts.live),
    ...resourceVerbs(VIEWS),
    getJob,
    cancelJob(parts.jobs),
    getCacheStats(parts.cacheSizeOf),
    getCache,
    updateCache(running.orgs),
    getSettings,
    updateSettings(running.orgs, parts.monitoring),
    purgeCache,
    ...resourceVerbs(alertChannels(channels.secretsKey)),
    testDraftChannel(channels),
    testStoredChannel(channels),
    listAlerts,
    sendDeliveryAgain,
    ...monitoringVerbs(parts.monitoring),
    ...configVerbs({ ...parts.config, trials, verbs: () => all }),
    ...resourceVerbs(relayRules(parts.relay, rules)),
    ...relayVerbs(parts.relay, parts.jobs, trials),
  ];
  return all;
}

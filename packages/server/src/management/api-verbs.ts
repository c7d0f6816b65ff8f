import type { KeyObject } from 'node:crypto';
import type { LiveHub } from '../analytics/live/live-hub.ts';
import type { BodyStore } from '../gateway/bodies/body-store.ts';
import type { BackgroundJobRunner } from '../platform/background-job-runner.ts';
import { listAlertsVerb } from './alerts/list-alerts.ts';
import { resendAlertDeliveryVerb } from './alerts/resend-alert-delivery.ts';
import { AnalyticsCoverage, type AnalyticsDependencies } from './analytics/analytics-coverage.ts';
import { defineGetAnnotationsVerb } from './analytics/annotations.ts';
import { createNoteVerb } from './analytics/create-note.ts';
import { defineGetFilterValuesVerb } from './analytics/filter-values.ts';
import { defineExportMonthlyBillVerb } from './analytics/monthly-bill.ts';
import { defineGetUsageSummaryVerb } from './analytics/usage-summary.ts';
import { defineGetUsageTimeseriesVerb } from './analytics/usage-timeseries.ts';
import { defineGetTopUsageVerb } from './analytics/usage-top.ts';
import { listBreakerChangesVerb } from './breakers/breaker-history.ts';
import type { BreakerSource } from './breakers/breaker-resource.ts';
import { defineForceBreakerVerb } from './breakers/force-breaker.ts';
import { defineListBreakersVerb } from './breakers/list-breakers.ts';
import { defineUpdateCacheSettingsVerb, getCacheSettingsVerb } from './cache/cache-settings.ts';
import { defineGetCacheStatsVerb, type GetCacheSize } from './cache/cache-stats.ts';
import { purgeCacheVerb } from './cache/purge-cache.ts';
import {
  type ChannelDependencies,
  defineTestDraftChannelVerb,
  defineTestStoredChannelVerb,
} from './channels/test-channel.ts';
import type { ConfigDependencies } from './config/config-dependencies.ts';
import { defineConfigVerbs } from './config/config-verbs.ts';
import type { EvaluationPool } from './evaluation/evaluation-pool.ts';
import { defineWatchEventsVerb } from './events/watch-events.ts';
import type { RuleVerbDependencies } from './guardrails/rule-dependencies.ts';
import { defineIdentityVerbs } from './identity-verbs.ts';
import { defineCancelJobVerb, getJobVerb } from './jobs/job-verbs.ts';
import { defineMeVerbs } from './me-verbs.ts';
import type { MemberDependencies } from './members/member-dependencies.ts';
import { defineListModelsVerb, type ModelListDependencies } from './models/list-models.ts';
import { defineMonitoringVerbs } from './monitoring-verbs.ts';
import type { MonitoringDependencies } from './monitors/monitoring-dependencies.ts';
import { defineGetOverviewVerb } from './overview/get-overview.ts';
import type { ProcessStatus } from './overview/process-status.ts';
import { defineErasePersonVerb } from './people/erase-person.ts';
import { defineExportPersonVerb } from './people/export-person.ts';
import type { PeopleDependencies } from './people/people-dependencies.ts';
import { defineDryRunPoliciesVerb } from './policies/dry-run-policies.ts';
import { defineStartPolicyDryRunVerb } from './policies/policy-dry-run-job.ts';
import type { ProviderDependencies } from './providers/provider-dependencies.ts';
import { defineProviderVerbs } from './providers/provider-verbs.ts';
import type { RelayDependencies } from './relay/relay-dependencies.ts';
import { defineRelayVerbs } from './relay-verbs.ts';
import { defineExportRequestsVerb } from './requests/export-requests.ts';
import { getRequestVerb } from './requests/get-request.ts';
import { listRequestsVerb } from './requests/list-requests.ts';
import { defineGetRequestBodiesVerb } from './requests/request-bodies.ts';
import { tailRequestsVerb } from './requests/tail-requests.ts';
import { createChannelKind } from './resources/channels.ts';
import { createBudgetKind, createLimitKind } from './resources/limits-and-budgets.ts';
import { createOrderedResourceKind } from './resources/ordered-resource-kind.ts';
import { POLICY_KIND_SPEC } from './resources/policies.ts';
import { createRelayRuleKind } from './resources/relay-rules.ts';
import { defineResourceVerbs } from './resources/resource-verbs.ts';
import { ROUTE_KIND_SPEC } from './resources/routes.ts';
import { SAVED_VIEW_KIND } from './resources/saved-views.ts';
import { defineSimulateRouteVerb, type RouteSimulationDependencies } from './routes/simulate-route.ts';
import { defineUpdateSettingsVerb, getSettingsVerb } from './settings/settings-verbs.ts';
import type { Verb } from './verb.ts';

/** The dependencies of individual operations, in addition to `VerbDependencies`. */
export interface ApiVerbDependencies {
  /** `derivePepper` of the installation's secret key. */
  readonly pepper: KeyObject;
  readonly breakers: BreakerSource;
  readonly bodies: Pick<BodyStore, 'open'>;
  readonly getCacheSize: GetCacheSize;
  readonly channels: ChannelDependencies;
  readonly rules: RuleVerbDependencies;
  readonly providers: ProviderDependencies;
  /** State of the running gateway that is not listed above. */
  readonly runningGateway: Pick<
    RouteSimulationDependencies,
    'getRunningOrg' | 'conversations' | 'latencies' | 'maxOutputTokens' | 'outputLengths'
  > &
    ModelListDependencies;
  readonly monitoring: MonitoringDependencies;
  readonly relay: RelayDependencies;
  readonly analytics: AnalyticsDependencies;
  readonly processStatus: ProcessStatus;
  readonly liveHub: LiveHub;
  readonly jobRunner: BackgroundJobRunner;
  readonly members: MemberDependencies;
  readonly people: Pick<PeopleDependencies, 'database' | 'openStoredResponse'>;
  readonly config: Omit<ConfigDependencies, 'listVerbs' | 'evaluationPool'>;
  readonly evaluationPool: EvaluationPool;
}

/** Returns all operations of the API. Transports expose exactly these. */
export function defineApiVerbs(dependencies: ApiVerbDependencies): readonly Verb[] {
  const { breakers, channels, rules, runningGateway, analytics, processStatus, evaluationPool } =
    dependencies;
  const { bodies, jobRunner, members } = dependencies;
  const people = { ...dependencies.people, bodies, jobRunner, members };
  const { getRunningOrg } = runningGateway;
  const coverage = new AnalyticsCoverage(analytics);
  const budgets = createBudgetKind(rules);
  const all: readonly Verb[] = [
    ...defineMeVerbs(() => all),
    ...defineIdentityVerbs(dependencies),
    defineExportPersonVerb(people),
    defineErasePersonVerb(people),
    ...defineResourceVerbs(createLimitKind(rules)),
    ...defineResourceVerbs(budgets),
    defineListBreakersVerb(breakers),
    listBreakerChangesVerb,
    defineForceBreakerVerb(breakers, getRunningOrg),
    ...defineResourceVerbs(createOrderedResourceKind(POLICY_KIND_SPEC, getRunningOrg)),
    defineDryRunPoliciesVerb(getRunningOrg, bodies, evaluationPool),
    defineStartPolicyDryRunVerb({ getRunningOrg, bodies, jobRunner, coverage, evaluationPool }),
    ...defineResourceVerbs(createOrderedResourceKind(ROUTE_KIND_SPEC, getRunningOrg)),
    defineSimulateRouteVerb({ ...runningGateway, breakers, guard: rules.guard, evaluationPool }),
    ...defineProviderVerbs(dependencies.providers),
    defineListModelsVerb(runningGateway),
    listRequestsVerb,
    tailRequestsVerb,
    getRequestVerb,
    defineGetRequestBodiesVerb(bodies),
    defineExportRequestsVerb(coverage),
    defineGetUsageSummaryVerb(coverage),
    defineGetUsageTimeseriesVerb(coverage),
    defineGetTopUsageVerb(coverage),
    defineGetFilterValuesVerb(coverage),
    defineGetAnnotationsVerb(coverage),
    createNoteVerb,
    defineExportMonthlyBillVerb(coverage),
    defineGetOverviewVerb(coverage, { processStatus, breakers, budgets, backlog: () => analytics.backlog() }),
    defineWatchEventsVerb(dependencies.liveHub),
    ...defineResourceVerbs(SAVED_VIEW_KIND),
    getJobVerb,
    defineCancelJobVerb(jobRunner),
    defineGetCacheStatsVerb(dependencies.getCacheSize),
    getCacheSettingsVerb,
    defineUpdateCacheSettingsVerb(runningGateway.getRunningOrg),
    getSettingsVerb,
    defineUpdateSettingsVerb(runningGateway.getRunningOrg, dependencies.monitoring),
    purgeCacheVerb,
    ...defineResourceVerbs(createChannelKind(channels.secretsKey)),
    defineTestDraftChannelVerb(channels),
    defineTestStoredChannelVerb(channels),
    listAlertsVerb,
    resendAlertDeliveryVerb,
    ...defineMonitoringVerbs(dependencies.monitoring),
    ...defineConfigVerbs({ ...dependencies.config, evaluationPool, listVerbs: () => all }),
    ...defineResourceVerbs(createRelayRuleKind(dependencies.relay, rules)),
    ...defineRelayVerbs(dependencies.relay, dependencies.jobRunner, evaluationPool),
  ];
  return all;
}

import type { KeyObject } from 'node:crypto';
import type { LiveHub } from '../analytics/live/hub.ts';
import type { BodyStore } from '../gateway/bodies/body-store.ts';
import type { JobRunner } from '../platform/job-runner.ts';
import { listAlertsVerb } from './alerts/list-alerts.ts';
import { resendAlertDeliveryVerb } from './alerts/resend-alert-delivery.ts';
import { AnalyticsCoverage, type AnalyticsDependencies } from './analytics/analytics-coverage.ts';
import { getAnnotationsVerb } from './analytics/annotations.ts';
import { createNoteVerb } from './analytics/create-note.ts';
import { getFilterValuesVerb } from './analytics/filter-values.ts';
import { exportMonthlyBillVerb } from './analytics/monthly-bill.ts';
import { getUsageSummaryVerb } from './analytics/usage-summary.ts';
import { getUsageTimeseriesVerb } from './analytics/usage-timeseries.ts';
import { getTopUsageVerb } from './analytics/usage-top.ts';
import { listBreakerChangesVerb } from './breakers/breaker-history.ts';
import type { BreakerSource } from './breakers/breaker-resource.ts';
import { forceBreakerVerb } from './breakers/force-breaker.ts';
import { listBreakersVerb } from './breakers/list-breakers.ts';
import { getCacheSettingsVerb, updateCacheSettingsVerb } from './cache/cache-settings.ts';
import { type GetCacheSize, getCacheStatsVerb } from './cache/cache-stats.ts';
import { purgeCacheVerb } from './cache/purge-cache.ts';
import {
  type ChannelDependencies,
  testDraftChannelVerb,
  testStoredChannelVerb,
} from './channels/test-channel.ts';
import type { ConfigDependencies } from './config/config-dependencies.ts';
import { configVerbs } from './config/config-verbs.ts';
import type { EvaluationPool } from './evaluation/evaluation-pool.ts';
import { watchEventsVerb } from './events/watch-events.ts';
import type { RuleDependencies } from './guardrails/rule-dependencies.ts';
import { identityVerbs } from './identity-verbs.ts';
import { cancelJobVerb, getJobVerb } from './jobs/job-verbs.ts';
import { meVerbs } from './me-verbs.ts';
import type { MemberDependencies } from './members/member-dependencies.ts';
import { listModelsVerb, type ModelListDependencies } from './models/list-models.ts';
import { monitoringVerbs } from './monitoring-verbs.ts';
import type { MonitoringDependencies } from './monitors/monitoring-dependencies.ts';
import { getOverviewVerb } from './overview/get-overview.ts';
import type { ProcessStatus } from './overview/process-status.ts';
import { dryRunPoliciesVerb } from './policies/dry-run-policies.ts';
import { startPolicyDryRunVerb } from './policies/policy-dry-run-job.ts';
import type { ProviderDependencies } from './providers/provider-dependencies.ts';
import { providerVerbs } from './providers/provider-verbs.ts';
import type { RelayDependencies } from './relay/relay-dependencies.ts';
import { relayVerbs } from './relay-verbs.ts';
import { exportRequestsVerb } from './requests/export-requests.ts';
import { getRequestVerb } from './requests/get-request.ts';
import { listRequestsVerb } from './requests/list-requests.ts';
import { getRequestBodiesVerb } from './requests/request-bodies.ts';
import { tailRequestsVerb } from './requests/tail-requests.ts';
import { createChannelKind } from './resources/channels.ts';
import { createBudgetKind, createLimitKind } from './resources/limits-and-budgets.ts';
import { createOrderedKind } from './resources/ordered-resource-kind.ts';
import { POLICY_KIND_SPEC } from './resources/policies.ts';
import { createRelayRuleKind } from './resources/relay-rules.ts';
import { resourceVerbs } from './resources/resource-verbs.ts';
import { ROUTE_KIND_SPEC } from './resources/routes.ts';
import { SAVED_VIEW_KIND } from './resources/saved-views.ts';
import { type RouteSimulationDependencies, simulateRouteVerb } from './routes/simulate-route.ts';
import { getSettingsVerb, updateSettingsVerb } from './settings/settings-verbs.ts';
import type { Verb } from './verb.ts';

/** Dependencies of individual verbs, in addition to `VerbDependencies`. */
export interface ApiVerbDependencies {
  /** `derivePepper` of the installation's secret key. */
  readonly pepper: KeyObject;
  readonly breakers: BreakerSource;
  readonly bodies: Pick<BodyStore, 'open'>;
  readonly getCacheSize: GetCacheSize;
  readonly channels: ChannelDependencies;
  readonly rules: RuleDependencies;
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
  readonly jobRunner: JobRunner;
  readonly members: MemberDependencies;
  readonly config: Omit<ConfigDependencies, 'listVerbs' | 'evaluationPool'>;
  readonly evaluationPool: EvaluationPool;
}

/** All verbs of the API. Transports expose exactly these. */
export function apiVerbs(dependencies: ApiVerbDependencies): readonly Verb[] {
  const { breakers, channels, rules, runningGateway, analytics, processStatus, evaluationPool } =
    dependencies;
  const { bodies, jobRunner } = dependencies;
  const { getRunningOrg } = runningGateway;
  const coverage = new AnalyticsCoverage(analytics);
  const budgets = createBudgetKind(rules);
  const all: readonly Verb[] = [
    ...meVerbs(() => all),
    ...identityVerbs(dependencies),
    ...resourceVerbs(createLimitKind(rules)),
    ...resourceVerbs(budgets),
    listBreakersVerb(breakers),
    listBreakerChangesVerb,
    forceBreakerVerb(breakers, getRunningOrg),
    ...resourceVerbs(createOrderedKind(POLICY_KIND_SPEC, getRunningOrg)),
    dryRunPoliciesVerb(getRunningOrg, bodies, evaluationPool),
    startPolicyDryRunVerb({ getRunningOrg, bodies, jobRunner, coverage, evaluationPool }),
    ...resourceVerbs(createOrderedKind(ROUTE_KIND_SPEC, getRunningOrg)),
    simulateRouteVerb({ ...runningGateway, breakers, guard: rules.guard, evaluationPool }),
    ...providerVerbs(dependencies.providers),
    listModelsVerb(runningGateway),
    listRequestsVerb,
    tailRequestsVerb,
    getRequestVerb,
    getRequestBodiesVerb(bodies),
    exportRequestsVerb(coverage),
    getUsageSummaryVerb(coverage),
    getUsageTimeseriesVerb(coverage),
    getTopUsageVerb(coverage),
    getFilterValuesVerb(coverage),
    getAnnotationsVerb(coverage),
    createNoteVerb,
    exportMonthlyBillVerb(coverage),
    getOverviewVerb(coverage, { processStatus, breakers, budgets, backlog: () => analytics.backlog() }),
    watchEventsVerb(dependencies.liveHub),
    ...resourceVerbs(SAVED_VIEW_KIND),
    getJobVerb,
    cancelJobVerb(jobRunner),
    getCacheStatsVerb(dependencies.getCacheSize),
    getCacheSettingsVerb,
    updateCacheSettingsVerb(runningGateway.getRunningOrg),
    getSettingsVerb,
    updateSettingsVerb(runningGateway.getRunningOrg, dependencies.monitoring),
    purgeCacheVerb,
    ...resourceVerbs(createChannelKind(channels.secretsKey)),
    testDraftChannelVerb(channels),
    testStoredChannelVerb(channels),
    listAlertsVerb,
    resendAlertDeliveryVerb,
    ...monitoringVerbs(dependencies.monitoring),
    ...configVerbs({ ...dependencies.config, evaluationPool, listVerbs: () => all }),
    ...resourceVerbs(createRelayRuleKind(dependencies.relay, rules)),
    ...relayVerbs(dependencies.relay, dependencies.jobRunner, evaluationPool),
  ];
  return all;
}

import type { KeyObject } from 'node:crypto';
import type { LiveHub } from '../analytics/live/live-hub.ts';
import type { BodyStore } from '../gateway/bodies/body-store.ts';
import type { BackgroundJobRunner } from '../platform/background-job-runner.ts';
import { listAlertsOperation } from './alerts/list-alerts.ts';
import { resendAlertDeliveryOperation } from './alerts/resend-alert-delivery.ts';
import { AnalyticsDataRange, type AnalyticsDependencies } from './analytics/analytics-data-range.ts';
import { defineAnalyticsOperations } from './analytics-operations.ts';
import { listBreakerChangesOperation } from './breakers/breaker-history.ts';
import type { BreakerLister } from './breakers/breaker-resource.ts';
import { defineForceBreakerOperation } from './breakers/force-breaker.ts';
import { defineListBreakersOperation } from './breakers/list-breakers.ts';
import { defineUpdateCacheSettingsOperation, getCacheSettingsOperation } from './cache/cache-settings.ts';
import { defineGetCacheStatsOperation, type GetCacheSize } from './cache/cache-stats.ts';
import { purgeCacheOperation } from './cache/purge-cache.ts';
import {
  type ChannelDependencies,
  defineTestDraftChannelOperation,
  defineTestStoredChannelOperation,
} from './channels/test-channel.ts';
import type { ConfigDependencies } from './config/config-dependencies.ts';
import { defineConfigOperations } from './config/config-operations.ts';
import type { EvaluationPool } from './evaluation/evaluation-pool.ts';
import { defineWatchEventsOperation } from './events/watch-events.ts';
import type { RuleDependencies } from './guardrails/rule-dependencies.ts';
import { defineIdentityOperations } from './identity-operations.ts';
import {
  defineCancelBackgroundJobOperation,
  getBackgroundJobOperation,
} from './jobs/background-job-operations.ts';
import { defineMeOperations } from './me-operations.ts';
import type { MemberDependencies } from './members/member-dependencies.ts';
import { defineListModelsOperation, type ModelListDependencies } from './models/list-models.ts';
import { defineMonitoringOperations } from './monitoring-operations.ts';
import type { MonitoringDependencies } from './monitors/monitoring-dependencies.ts';
import type { Operation } from './operation.ts';
import { defineGetOverviewOperation } from './overview/get-overview.ts';
import type { ProcessStatus } from './overview/process-status.ts';
import { defineErasePersonOperation } from './people/erase-person.ts';
import { defineExportPersonOperation } from './people/export-person.ts';
import type { PeopleDependencies } from './people/people-dependencies.ts';
import { defineDryRunPoliciesOperation } from './policies/dry-run-policies.ts';
import { defineStartPolicyDryRunOperation } from './policies/policy-dry-run-job.ts';
import type { ProviderDependencies } from './providers/provider-dependencies.ts';
import { defineProviderOperations } from './providers/provider-operations.ts';
import type { RelayDependencies } from './relay/relay-dependencies.ts';
import { defineRelayOperations } from './relay-operations.ts';
import { defineExportRequestsOperation } from './requests/export-requests.ts';
import { getRequestOperation } from './requests/get-request.ts';
import { listRequestsOperation } from './requests/list-requests.ts';
import { defineGetRequestBodiesOperation } from './requests/request-bodies.ts';
import { tailRequestsOperation } from './requests/tail-requests.ts';
import { createChannelResourceKind } from './resources/channels.ts';
import { createBudgetResourceKind, createLimitResourceKind } from './resources/limits-and-budgets.ts';
import { createOrderedResourceKind } from './resources/ordered-resource-kind.ts';
import { POLICY_RESOURCE_KIND_SPEC } from './resources/policies.ts';
import { createRelayRuleResourceKind } from './resources/relay-rules.ts';
import { defineResourceOperations } from './resources/resource-operations.ts';
import { ROUTE_RESOURCE_KIND_SPEC } from './resources/routes.ts';
import { SAVED_VIEW_RESOURCE_KIND } from './resources/saved-views.ts';
import { defineSimulateRouteOperation, type RouteSimulationDependencies } from './routes/simulate-route.ts';
import { defineUpdateSettingsOperation, getSettingsOperation } from './settings/settings-operations.ts';

/** The dependencies of individual operations, in addition to `OperationDependencies`. */
export interface ApiOperationDependencies {
  /** `derivePlatformKeyPepper` of the installation's secret key. */
  readonly pepper: KeyObject;
  readonly breakers: BreakerLister;
  readonly bodies: Pick<BodyStore, 'open'>;
  readonly getCacheSize: GetCacheSize;
  readonly channels: ChannelDependencies;
  readonly rules: RuleDependencies;
  readonly providers: ProviderDependencies;
  /** State of the running gateway that is not listed above. */
  readonly runningGateway: Pick<
    RouteSimulationDependencies,
    'getLoadedOrg' | 'conversations' | 'latencies' | 'maxOutputTokens' | 'outputLengths'
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
  readonly config: Omit<ConfigDependencies, 'listOperations' | 'evaluationPool'>;
  readonly evaluationPool: EvaluationPool;
}

/** Returns all operations of the API. A transport must expose all of them and no others. */
export function defineApiOperations(dependencies: ApiOperationDependencies): readonly Operation[] {
  const { breakers, channels, rules, runningGateway, analytics, processStatus, evaluationPool } =
    dependencies;
  const { bodies, jobRunner, members } = dependencies;
  const people = { ...dependencies.people, bodies, jobRunner, members };
  const { getLoadedOrg } = runningGateway;
  const coverage = new AnalyticsDataRange(analytics);
  const all: readonly Operation[] = [
    ...defineMeOperations(() => all),
    ...defineIdentityOperations(dependencies),
    defineExportPersonOperation(people),
    defineErasePersonOperation(people),
    ...defineResourceOperations(createLimitResourceKind(rules)),
    ...defineResourceOperations(createBudgetResourceKind(rules)),
    defineListBreakersOperation(breakers),
    listBreakerChangesOperation,
    defineForceBreakerOperation(breakers, getLoadedOrg),
    ...defineResourceOperations(createOrderedResourceKind(POLICY_RESOURCE_KIND_SPEC, getLoadedOrg)),
    defineDryRunPoliciesOperation(getLoadedOrg, bodies, evaluationPool),
    defineStartPolicyDryRunOperation({ getLoadedOrg, bodies, jobRunner, coverage, evaluationPool }),
    ...defineResourceOperations(createOrderedResourceKind(ROUTE_RESOURCE_KIND_SPEC, getLoadedOrg)),
    defineSimulateRouteOperation({ ...runningGateway, breakers, guard: rules.guard, evaluationPool }),
    ...defineProviderOperations(dependencies.providers),
    defineListModelsOperation(runningGateway),
    listRequestsOperation,
    tailRequestsOperation,
    getRequestOperation,
    defineGetRequestBodiesOperation(bodies),
    defineExportRequestsOperation(coverage),
    ...defineAnalyticsOperations(coverage),
    defineGetOverviewOperation(coverage, {
      processStatus,
      breakers,
      getLoadedOrg,
      spendCache: rules.guard.spendCache,
      backlog: () => analytics.backlog(),
    }),
    defineWatchEventsOperation(dependencies.liveHub),
    ...defineResourceOperations(SAVED_VIEW_RESOURCE_KIND),
    getBackgroundJobOperation,
    defineCancelBackgroundJobOperation(jobRunner),
    defineGetCacheStatsOperation(dependencies.getCacheSize),
    getCacheSettingsOperation,
    defineUpdateCacheSettingsOperation(runningGateway.getLoadedOrg),
    getSettingsOperation,
    defineUpdateSettingsOperation(runningGateway.getLoadedOrg, dependencies.monitoring),
    purgeCacheOperation,
    ...defineResourceOperations(createChannelResourceKind(channels.secretsKey)),
    defineTestDraftChannelOperation(channels),
    defineTestStoredChannelOperation(channels),
    listAlertsOperation,
    resendAlertDeliveryOperation,
    ...defineMonitoringOperations(dependencies.monitoring),
    ...defineConfigOperations({ ...dependencies.config, evaluationPool, listOperations: () => all }),
    ...defineResourceOperations(createRelayRuleResourceKind(dependencies.relay, rules)),
    ...defineRelayOperations(dependencies.relay, dependencies.jobRunner, evaluationPool),
  ];
  return all;
}

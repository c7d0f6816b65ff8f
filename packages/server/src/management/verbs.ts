import type { KeyObject } from 'node:crypto';
import {
  budget,
  budgetBody,
  budgetReplacement,
  limit,
  limitBody,
  limitReplacement,
} from '@floe/contract/api/guardrails';
import { listAlerts } from './alerts/list.ts';
import { getSummary } from './analytics/summary.ts';
import { getTimeseries } from './analytics/timeseries.ts';
import { getTop } from './analytics/top.ts';
import { forceBreaker } from './breakers/force.ts';
import { listBreakers } from './breakers/list.ts';
import type { BreakerSource } from './breakers/view.ts';
import { type CacheOf, getCache } from './cache/get.ts';
import { purgeCache } from './cache/purge.ts';
import { createChannel } from './channels/create.ts';
import { deleteChannel } from './channels/delete.ts';
import { getChannel } from './channels/get.ts';
import { listChannels } from './channels/list.ts';
import { putChannel } from './channels/replace.ts';
import { type ChannelParts, testDraftChannel, testStoredChannel } from './channels/test.ts';
import { updateChannel } from './channels/update.ts';
import { BUDGETS } from './guardrails/budget-views.ts';
import { LIMITS } from './guardrails/limit-views.ts';
import type { RuleHost } from './guardrails/rule-host.ts';
import { ruleVerbs } from './guardrails/rule-verbs.ts';
import { identityVerbs } from './identity-verbs.ts';
import { meVerbs } from './me.ts';
import type { PeopleHost } from './members/people-host.ts';
import { monitoringVerbs } from './monitoring-verbs.ts';
import type { MonitoringHost } from './monitors/monitoring-host.ts';
import { dryRunPolicies } from './policies/dry-run.ts';
import { listPolicies } from './policies/list.ts';
import { listProviders } from './providers/list.ts';
import type { RelayHost } from './relay/relay-host.ts';
import { relayVerbs } from './relay-verbs.ts';
import { getRequest } from './requests/get.ts';
import { listRequests } from './requests/list.ts';
import { listRoutes } from './routes/list.ts';
import { type SimulationParts, simulateRoute } from './routes/simulate.ts';
import type { Verb } from './verb.ts';

/** What single verbs need beyond the `VerbHost`. */
export interface VerbParts {
  /** `derivePepper` of the installation's secret key. */
  readonly pepper: KeyObject;
  readonly breakers: BreakerSource;
  readonly cacheOf: CacheOf;
  readonly channels: ChannelParts;
  readonly rules: RuleHost;
  /** What the running gateway knows, but for what stands above. */
  readonly running: Pick<SimulationParts, 'orgs' | 'conversations' | 'latencies' | 'outputMost'>;
  readonly monitoring: MonitoringHost;
  readonly relay: RelayHost;
  readonly people: PeopleHost;
}

/** Everything the API can do. A transport lists these; nothing else reaches the verbs. */
export function verbs(parts: VerbParts): readonly Verb[] {
  const { breakers, cacheOf, channels, rules, running } = parts;
  const all: readonly Verb[] = [
    ...meVerbs(() => all),
    ...identityVerbs(parts),
    ...ruleVerbs(LIMITS, { answer: limit, body: limitBody, replacement: limitReplacement }, rules),
    ...ruleVerbs(BUDGETS, { answer: budget, body: budgetBody, replacement: budgetReplacement }, rules),
    listBreakers(breakers),
    forceBreaker(breakers),
    listPolicies(running.orgs),
    dryRunPolicies(running.orgs),
    listRoutes(running.orgs),
    simulateRoute({ ...running, breakers, guard: rules.guard }),
    listProviders(running.orgs),
    listRequests,
    getRequest,
    getSummary,
    getTimeseries,
    getTop,
    getCache(cacheOf),
    purgeCache,
    listChannels,
    createChannel(channels.secretsKey),
    testDraftChannel(channels),
    getChannel,
    updateChannel(channels.secretsKey),
    putChannel(channels.secretsKey),
    deleteChannel,
    testStoredChannel(channels),
    listAlerts,
    ...monitoringVerbs(parts.monitoring),
    ...relayVerbs(parts.relay),
  ];
  return all;
}

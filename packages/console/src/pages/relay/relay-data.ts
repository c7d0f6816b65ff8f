import type { approvalResource } from '@floe/contract/api/relay';
import type { relayCoverage, relaySession } from '@floe/contract/api/relay-management';
import type { relayRuleResource } from '@floe/contract/api/relay-rules';
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type * as z from 'zod';
import { fetchNextNonEmptyPage, getJson, sendJson } from '../../data/api-client.ts';
import { fetchAllRows } from '../../data/fetch-all-rows.ts';
import type { FilterField } from '../../filters/filter-text.ts';
import { settingsQuery } from '../settings/settings-data.ts';
import type { AgentEventKind, RelaySimulationResult, StoredDecision } from './decision-display.ts';
import { relayText } from './text.ts';

/** An approval as the API returns it. */
export type ApprovalResource = z.output<typeof approvalResource>;
/** The model requests and relay calls by person and agent. */
export type RelayCoverage = z.output<typeof relayCoverage>;
/** A session of an agent. */
export type RelaySession = z.output<typeof relaySession>;
/** A rule as the API returns it, with its number of matches. */
export type RelayRuleWithMatchCount = z.output<typeof relayRuleResource>;

/** The API path of the relay. */
export const RELAY_API_PATH = 'api/management/relay';
const PAGE_ROWS = 100;

/** The filter fields of decisions. Their names are the query parameters of the API. */
export const DECISION_FILTER_FIELDS: readonly FilterField[] = [
  { name: 'decision', label: relayText.filters.decision, values: ['deny', 'ask', 'allow', 'abstain'] },
  {
    name: 'enforced_decision',
    label: relayText.filters.enforced_decision,
    values: ['deny', 'ask', 'allow', 'abstain'],
  },
  {
    name: 'event',
    label: relayText.filters.event,
    values: ['shell', 'tool', 'prompt', 'file_read', 'file_write'],
  },
  { name: 'rule', label: relayText.filters.rule },
  { name: 'mode', label: relayText.filters.mode, values: ['observe', 'warn', 'enforce'] },
  { name: 'agent', label: relayText.filters.agent },
  { name: 'key', label: relayText.filters.key },
  { name: 'owner', label: relayText.filters.owner },
  { name: 'repository', label: relayText.filters.repository },
  { name: 'session', label: relayText.filters.session },
  { name: 'q', label: relayText.filters.q, hint: relayText.filters.qHint },
];

/** Returns the query for the decisions, page by page, newest first. */
export function buildDecisionsQuery(filters: Readonly<Record<string, string>>) {
  return infiniteQueryOptions({
    queryKey: ['relay', 'decisions', filters],
    queryFn: ({ pageParam, signal }) =>
      fetchNextNonEmptyPage<StoredDecision>(
        `${RELAY_API_PATH}/decisions`,
        { ...filters, limit: PAGE_ROWS, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
}

/** Returns the query for one decision. */
export function buildDecisionQuery(id: string) {
  return queryOptions({
    queryKey: ['relay', 'decision', id],
    queryFn: ({ signal }) =>
      getJson<StoredDecision>(`${RELAY_API_PATH}/decisions/${encodeURIComponent(id)}`, undefined, signal),
  });
}

/** The action to evaluate in a simulation. */
export interface RelaySimulationInput {
  readonly event: AgentEventKind;
  /** The command, prompt, path or tool name. */
  readonly text: string;
  /** The connector URL of a tool. */
  readonly url: string;
}

/**
 * Returns the query that parses an action and evaluates it with the saved rules. If `rules` is given, they
 * are used instead of the saved ones.
 */
export function buildRelaySimulationQuery(input: RelaySimulationInput, rules?: readonly object[]) {
  return queryOptions({
    queryKey: ['relay', 'simulation', input, rules ?? null],
    queryFn: ({ signal }) => {
      signal.throwIfAborted();
      return sendJson<RelaySimulationResult>('POST', `${RELAY_API_PATH}/simulate`, {
        event: simulationEvent(input),
        ...(rules === undefined ? {} : { rules }),
      });
    },
    enabled: input.text.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    retry: false,
  });
}

function simulationEvent({ event, text, url }: RelaySimulationInput) {
  if (event === 'shell') return { event, shell: { command: text } };
  if (event === 'prompt') return { event, prompt: { text } };
  if (event === 'tool') return { event, tool: { name: text, ...(url === '' ? {} : { url }) } };
  return { event, file: { path: text } };
}

/** The API path of the rules. */
export const RELAY_RULES_API_PATH = `${RELAY_API_PATH}/rules`;

/** The query for all rules. A draft is evaluated together with all other rules. */
export const allRulesQuery = queryOptions({
  queryKey: ['relay', 'rules', 'all'],
  queryFn: ({ signal }) => fetchAllRows<RelayRuleWithMatchCount>(RELAY_RULES_API_PATH, {}, signal),
});

/**
 * Returns the setting `relay.mode`, or null until it is loaded. In the mode `observe`, rules only record what
 * they would decide.
 */
export function useRelayMode(): 'observe' | 'enforce' | null {
  return useQuery(settingsQuery).data?.body.relay.mode ?? null;
}

import type { relayApproval } from '@floe/contract/api/relay';
import type { relayCoverage, relayRule, relaySession } from '@floe/contract/api/relay-management';
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type * as z from 'zod';
import { type ApiPage, allPages, getJson, sendJson } from '../../data/api-client.ts';
import type { FilterField } from '../../filters/filter-text.ts';
import { settingsQuery } from '../settings/settings-data.ts';
import type { HookEventKind, RelaySimulation, StoredDecision } from './decision-label.ts';

export type ConsoleApproval = z.output<typeof relayApproval>;
export type RelayCoverage = z.output<typeof relayCoverage>;
export type RelaySession = z.output<typeof relaySession>;
export type ConsoleRelayRule = z.output<typeof relayRule>;

export const RELAY_PATH = 'api/management/relay';
const PAGE_ROWS = 100;

/** What decisions are filtered by: the API's own parameters. */
export const DECISION_FIELDS: readonly FilterField[] = [
  { name: 'decision', label: 'decision', values: ['deny', 'ask', 'allow', 'abstain'] },
  { name: 'enforced_decision', label: 'would', values: ['deny', 'ask', 'allow', 'abstain'] },
  { name: 'event', label: 'event', values: ['shell', 'tool', 'prompt', 'file_read', 'file_write'] },
  { name: 'rule', label: 'rule' },
  { name: 'mode', label: 'mode', values: ['observe', 'warn', 'enforce'] },
  { name: 'agent', label: 'agent' },
  { name: 'key', label: 'key' },
  { name: 'owner', label: 'person' },
  { name: 'repository', label: 'repository' },
  { name: 'session', label: 'session' },
  { name: 'q', label: 'text', hint: 'Stands in the command, tool, prompt or path.' },
];

/** Decisions, newest first, page by page. */
export function decisionsQuery(filters: Readonly<Record<string, string>>) {
  return infiniteQueryOptions({
    queryKey: ['relay', 'decisions', filters],
    queryFn: ({ pageParam, signal }) =>
      getJson<ApiPage<StoredDecision>>(
        `${RELAY_PATH}/decisions`,
        { ...filters, limit: PAGE_ROWS, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
}

export function decisionQuery(id: string) {
  return queryOptions({
    queryKey: ['relay', 'decision', id],
    queryFn: ({ signal }) =>
      getJson<StoredDecision>(`${RELAY_PATH}/decisions/${encodeURIComponent(id)}`, undefined, signal),
  });
}

/** What an agent would ask about. */
export interface SimulationInput {
  readonly event: HookEventKind;
  /** Command, prompt, path, or name of a tool. */
  readonly text: string;
  /** Address of the connector of a tool. */
  readonly url: string;
}

/** How it is read and which rules apply: those in force, or a draft of all of them. */
export function simulationQuery(tried: SimulationInput, rules?: readonly object[]) {
  return queryOptions({
    queryKey: ['relay', 'simulation', tried, rules ?? null],
    queryFn: ({ signal }) => {
      signal.throwIfAborted();
      return sendJson<RelaySimulation>('POST', `${RELAY_PATH}/simulate`, {
        event: simulationEvent(tried),
        ...(rules === undefined ? {} : { rules }),
      });
    },
    enabled: tried.text.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    retry: false,
  });
}

function simulationEvent({ event, text, url }: SimulationInput) {
  if (event === 'shell') return { event, shell: { command: text } };
  if (event === 'prompt') return { event, prompt: { text } };
  if (event === 'tool') return { event, tool: { name: text, ...(url === '' ? {} : { url }) } };
  return { event, file: { path: text } };
}

export const RELAY_RULES_PATH = `${RELAY_PATH}/rules`;

/** Every rule: a draft is judged among all of them. */
export const allRulesQuery = queryOptions({
  queryKey: ['relay', 'rules', 'all'],
  queryFn: ({ signal }) => allPages<ConsoleRelayRule>(RELAY_RULES_PATH, {}, signal),
});

/** What rules are worth: `observe` writes down what they would have said and stops nothing. Null until it is known. */
export function useRelayMode(): 'observe' | 'enforce' | null {
  return useQuery(settingsQuery).data?.body.relay.mode ?? null;
}

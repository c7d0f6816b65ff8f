import { Minus } from 'lucide-react';
import { formatDuration } from '../../format/amounts.ts';
import { formatClockTime, getBrowserTimeZone } from '../../format/times.ts';
import { StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { getAgentEventLabel, getDecisionDisplay, type StoredDecision } from './decision-display.ts';
import { DecisionStatus } from './decision-status.tsx';
import { ruleText } from './rule-text.ts';
import { relayText } from './text.ts';

/** The columns of the decision list. */
export const DECISION_COLUMNS: readonly TableColumn<StoredDecision>[] = [
  {
    id: 'time',
    label: relayText.columns.time,
    width: '6.5rem',
    cell: ({ created_at }) => (
      <time dateTime={created_at}>{formatClockTime(new Date(created_at), getBrowserTimeZone(), true)}</time>
    ),
  },
  {
    id: 'decision',
    label: relayText.columns.decision,
    width: '10rem',
    cell: (row) => <DecisionStatus label={getDecisionDisplay(row)} />,
  },
  {
    id: 'event',
    label: relayText.columns.event,
    width: '7rem',
    yields: 3,
    cell: ({ event }) => getAgentEventLabel(event),
  },
  {
    id: 'what',
    label: relayText.columns.action,
    width: 'minmax(12rem, 3fr)',
    cell: ({ input_summary: what }) => <code className="block truncate font-mono text-code">{what}</code>,
  },
  {
    id: 'rule',
    label: relayText.columns.rule,
    width: 'minmax(9rem, 1fr)',
    cell: ({ rule }) => rule ?? relayText.none,
  },
  {
    id: 'mode',
    label: relayText.columns.mode,
    width: '5.5rem',
    yields: 5,
    cell: ({ mode }) => (mode === null ? relayText.none : ruleText.modes[mode]),
  },
  { id: 'agent', label: relayText.columns.agent, width: 'minmax(8.5rem, 1fr)', yields: 1, cell: formatAgent },
  {
    id: 'owner',
    label: relayText.columns.person,
    width: 'minmax(5rem, 1fr)',
    yields: 2,
    cell: ({ owner, key }) => owner ?? relayText.coverage.key(key),
  },
  {
    id: 'latency',
    label: relayText.columns.latency,
    width: '5rem',
    yields: 4,
    align: 'end',
    cell: ({ latency_us }) => formatDuration(latency_us / 1000),
  },
  extra('repository', relayText.columns.repository, ({ repository }) => repository ?? relayText.none),
  extra('key', relayText.columns.key, ({ key }) => key),
  extra('team', relayText.columns.team, ({ team }) => team ?? relayText.none),
  extra('session', relayText.columns.session, ({ session_id }) => session_id ?? relayText.none),
  extra('client', relayText.columns.hookVersion, ({ client_version }) => client_version ?? relayText.none),
];

function extra(
  id: string,
  label: string,
  cell: TableColumn<StoredDecision>['cell'],
): TableColumn<StoredDecision> {
  return { id, label, cell, width: 'minmax(5rem, 12rem)', optional: true };
}

/** Formats the name and version of an agent. */
export function formatAgent({
  agent,
  agent_version,
}: Pick<StoredDecision, 'agent' | 'agent_version'>): string {
  return agent_version === null ? agent : `${agent} ${agent_version}`;
}

/** Renders a decision as a card, for phones: the action, then its time, decision, rule and agent. */
export function DecisionCard({ row }: { readonly row: StoredDecision }) {
  const { state, word } = getDecisionDisplay(row);
  return (
    <div className="flex items-center gap-3 text-body">
      {state ? (
        <StatusIcon state={state} />
      ) : (
        <Minus size={16} strokeWidth={1.75} className="shrink-0 text-ink-3" aria-hidden="true" />
      )}
      <div className="min-w-0 flex-1">
        <code className="block truncate font-mono text-code">{row.input_summary}</code>
        <div className="truncate text-small text-ink-2 figures">
          {formatClockTime(new Date(row.created_at), getBrowserTimeZone())} ·{' '}
          {row.rule ? relayText.columns.byRule(word, row.rule) : word} · {row.agent}
        </div>
      </div>
    </div>
  );
}

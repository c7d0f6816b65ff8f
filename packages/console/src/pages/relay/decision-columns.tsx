import { Minus } from 'lucide-react';
import { formatDuration } from '../../format/amounts.ts';
import { browserZone, formatClockTime } from '../../format/times.ts';
import { Badge, StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { decisionLabel, hookEventLabel, type StoredDecision } from './decision-label.ts';
import { DecisionStatus } from './decision-status.tsx';

export const DECISION_COLUMNS: readonly TableColumn<StoredDecision>[] = [
  {
    id: 'time',
    label: 'Time',
    width: '6.5rem',
    cell: ({ created_at }) => (
      <time dateTime={created_at}>{formatClockTime(new Date(created_at), browserZone(), true)}</time>
    ),
  },
  {
    id: 'decision',
    label: 'Decision',
    width: '8rem',
    cell: (row) => <DecisionStatus said={decisionLabel(row)} />,
  },
  { id: 'event', label: 'Event', width: '6.5rem', cell: ({ event }) => hookEventLabel(event) },
  {
    id: 'what',
    label: 'What',
    width: 'minmax(10rem, 1fr)',
    cell: ({ input_summary: what }) => <code className="block truncate font-mono text-code">{what}</code>,
  },
  { id: 'rule', label: 'Rule', width: 'minmax(6rem, 11rem)', cell: ({ rule }) => rule ?? '–' },
  { id: 'mode', label: 'Mode', width: '5.5rem', cell: ({ mode }) => mode ?? '–' },
  { id: 'agent', label: 'Agent', width: 'minmax(6rem, 9rem)', cell: agentText },
  { id: 'owner', label: 'Person', width: 'minmax(5rem, 9rem)', cell: ({ owner, key }) => owner ?? key },
  {
    id: 'latency',
    label: 'Took',
    width: '5rem',
    align: 'end',
    cell: ({ latency_us }) => formatDuration(latency_us / 1000),
  },
  extra('repository', 'Repository', ({ repository }) => repository ?? '–'),
  extra('key', 'Key', ({ key }) => key),
  extra('team', 'Team', ({ team }) => team ?? '–'),
  extra('session', 'Session', ({ session_id }) => session_id ?? '–'),
  extra('client', 'Hook version', ({ client_version }) => client_version ?? '–'),
];

function extra(
  id: string,
  label: string,
  cell: TableColumn<StoredDecision>['cell'],
): TableColumn<StoredDecision> {
  return { id, label, cell, width: 'minmax(5rem, 12rem)', optional: true };
}

export function agentText({ agent, agent_version }: Pick<StoredDecision, 'agent' | 'agent_version'>): string {
  return agent_version === null ? agent : `${agent} ${agent_version}`;
}

/** A row on a phone: what was asked for, then when, by whom and by which rule. */
export function DecisionCard({ row }: { readonly row: StoredDecision }) {
  const { state, word } = decisionLabel(row);
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
          {formatClockTime(new Date(row.created_at), browserZone())} · {word}
          {row.rule && ` by ${row.rule}`} · {row.agent}
        </div>
      </div>
      <Badge>{hookEventLabel(row.event)}</Badge>
    </div>
  );
}

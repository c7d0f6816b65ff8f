import { useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Plus } from 'lucide-react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useOrgId } from '../../app/url-state.ts';
import { send } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { useLiveQuery } from '../../data/events.ts';
import { listQuery, useRows } from '../../data/lists.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { Results } from '../../ui/results.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { StateIcon } from '../../ui/state.tsx';
import type { Column } from '../../ui/table-columns.ts';
import { EXAMPLES, type Policy, policyWhat } from './policy-form.ts';

/** Rules on requests and answers, in the order in which they are asked. */
export function PoliciesPage() {
  const navigate = useNavigate();
  const org = useOrgId();
  useLiveQuery('config', ['policies']);
  const list = useRows(listQuery<Policy>('policies', 'api/management/policies'));
  const open = (id: string, search = {}) =>
    void navigate({ to: `/o/${org}/management/policies/${encodeURIComponent(id)}`, search });
  useShortcuts([{ keys: 'c', does: 'New policy', run: () => open('new') }]);
  const move = useChange(
    ({ id, position }: { readonly id: string; readonly position: number }) =>
      send<Policy>('PATCH', `api/management/policies/${encodeURIComponent(id)}`, { position }),
    { touches: [['policies']] },
  );
  const own = list.rows?.filter(({ source }) => source.kind === 'console') ?? [];
  const add = (
    <Button look="primary" icon={Plus} needs="management" onClick={() => open('new')}>
      New policy
    </Button>
  );
  return (
    <PageFrame title="Policies" padded={false} actions={add}>
      {list.rows && list.rows.length > 0 && (
        <p className="px-4 pb-3 text-ui text-ink-2 md:px-6">
          Rules are asked from the top; a rule that allows ends it. Those of the file come first.
        </p>
      )}
      {move.error && <p className="px-4 pb-3 text-ui text-failing-ink md:px-6">{move.error.message}</p>}
      <Results
        list={list}
        what="policies"
        label="Policies"
        rowId={({ id }) => id}
        columns={columns(own, (id, position) => move.run({ id, position }))}
        card={(policy) => <PolicyCard policy={policy} />}
        onOpen={({ id }) => open(id)}
        empty={
          <EmptyState
            title="No policies"
            action={
              <>
                {add}
                {EXAMPLES.map(({ label }, index) => (
                  <Button key={label} needs="management" onClick={() => open('new', { example: index })}>
                    {label}
                  </Button>
                ))}
              </>
            }
          >
            Start in monitor mode: it only writes down what it would have done.
          </EmptyState>
        }
      />
    </PageFrame>
  );
}

function columns(
  own: readonly Policy[],
  onMove: (id: string, position: number) => void,
): readonly Column<Policy>[] {
  return [
    {
      id: 'name',
      label: 'Name',
      width: 'minmax(8rem, 14rem)',
      cell: ({ name }) => <span className="font-medium">{name}</span>,
    },
    { id: 'on', label: 'On', width: '5rem', cell: ({ on }) => on },
    {
      id: 'what',
      label: 'Applies when',
      width: 'minmax(9rem, 1fr)',
      cell: (policy) => <code className="font-mono text-code">{policyWhat(policy)}</code>,
    },
    { id: 'action', label: 'Then', width: '4.5rem', cell: ({ action }) => action },
    { id: 'mode', label: 'Mode', width: '7rem', cell: (policy) => <Mode policy={policy} /> },
    { id: 'source', label: 'Source', width: '8rem', cell: ({ source }) => <SourceBadge source={source} /> },
    {
      id: 'order',
      label: 'Order',
      width: '4.5rem',
      cell: ({ id, position, source }) =>
        source.kind === 'file' ? (
          <span className="text-ink-3">–</span>
        ) : (
          <span className="flex">
            <IconButton
              icon={ArrowUp}
              label={`Move ${id} up`}
              needs="management"
              disabled={own[0]?.id === id}
              onClick={() => onMove(id, position - 1)}
            />
            <IconButton
              icon={ArrowDown}
              label={`Move ${id} down`}
              needs="management"
              disabled={own.at(-1)?.id === id}
              onClick={() => onMove(id, position + 1)}
            />
          </span>
        ),
    },
  ];
}

function Mode({ policy: { mode, enabled } }: { readonly policy: Policy }) {
  const state = !enabled ? 'paused' : mode === 'monitor' ? 'partial' : 'healthy';
  const word = !enabled ? 'off' : mode;
  return (
    <span className="flex items-center gap-1.5">
      <StateIcon state={state} size={14} />
      {word}
    </span>
  );
}

function PolicyCard({ policy }: { readonly policy: Policy }) {
  return (
    <span className="grid gap-0.5">
      <span className="flex items-center gap-2 truncate font-medium">
        {policy.name}
        <span className="text-small font-normal text-ink-2">
          <Mode policy={policy} />
        </span>
      </span>
      <span className="truncate text-small text-ink-2">
        <code className="font-mono">{policyWhat(policy)}</code> → {policy.action}
      </span>
    </span>
  );
}

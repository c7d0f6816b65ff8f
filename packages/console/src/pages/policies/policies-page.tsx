import { ListPage } from '../../app/list-page.tsx';
import { useOrgNavigate, useResourceNavigate } from '../../app/use-org-navigate.ts';
import { useLiveQuery } from '../../data/events.ts';
import { listQuery, useRows } from '../../data/lists.ts';
import { Button } from '../../ui/button.tsx';
import { OrderNotice, useManualOrder } from '../../ui/order-column.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { describePolicyCondition, POLICIES, POLICY_EXAMPLES, type Policy } from './policy-form.ts';
import { text } from './text.ts';

/** The policies of the organization, in the order in which they are evaluated. */
export function PoliciesPage() {
  const go = useOrgNavigate();
  useLiveQuery('config', ['policies']);
  const list = useRows(listQuery<Policy>('policies', POLICIES.path));
  const order = useManualOrder(POLICIES, list.rows);
  const begin = (example: number) => go('/management/policies/new', { search: { example: String(example) } });
  return (
    <ListPage
      title={text.page.title}
      one={text.page.one}
      list={list}
      columns={[...COLUMNS, order.column]}
      card={(policy) => <PolicyCard policy={policy} />}
      onOpen={useResourceNavigate('/management/policies')}
      above={
        <OrderNotice rows={list.rows} error={order.error}>
          {text.page.order}
        </OrderNotice>
      }
      empty={{
        ...text.page.empty,
        more: POLICY_EXAMPLES.map(({ label }, index) => (
          <Button key={label} needs="management" onClick={() => begin(index)}>
            {label}
          </Button>
        )),
      }}
    />
  );
}

const COLUMNS: readonly TableColumn<Policy>[] = [
  {
    id: 'name',
    label: text.columns.name,
    width: 'minmax(8rem, 14rem)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  { id: 'on', label: text.columns.on, width: '6rem', cell: ({ on }) => text.sides[on].label },
  {
    id: 'what',
    label: text.columns.condition,
    width: 'minmax(9rem, 1fr)',
    cell: (policy) => <code className="font-mono text-code">{describePolicyCondition(policy)}</code>,
  },
  {
    id: 'action',
    label: text.columns.action,
    width: '5rem',
    cell: ({ action }) => text.actions[action].label,
  },
  { id: 'mode', label: text.columns.mode, width: '7rem', cell: (policy) => <Mode policy={policy} /> },
  {
    id: 'source',
    label: text.columns.source,
    width: '8rem',
    cell: ({ source }) => <SourceBadge source={source} />,
  },
];

function Mode({ policy: { mode, enabled } }: { readonly policy: Policy }) {
  const state = !enabled ? 'paused' : mode === 'monitor' ? 'partial' : 'healthy';
  const word = enabled ? text.modes[mode].label : text.columns.disabled;
  return (
    <span className="flex items-center gap-1.5">
      <StatusIcon state={state} size={14} />
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
        <code className="font-mono">{describePolicyCondition(policy)}</code> →{' '}
        {text.actions[policy.action].label}
      </span>
    </span>
  );
}

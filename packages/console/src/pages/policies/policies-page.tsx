import { ListPage } from '../../app/list-page.tsx';
import { useOrgNavigate, useResourceNavigate } from '../../app/use-org-navigate.ts';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { Button } from '../../ui/button.tsx';
import { OrderNotice, useOrderColumn } from '../../ui/order-column.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import {
  describePolicyCondition,
  POLICY_EXAMPLES,
  POLICY_RESOURCE_KIND,
  type Policy,
} from './policy-form.ts';
import { policiesText } from './text.ts';

/** Lists the policies of the organization in the order in which they are evaluated. */
export function PoliciesPage() {
  const go = useOrgNavigate();
  useRefetchOnEvent('config', ['policies']);
  const list = useListRows(buildListQuery<Policy>('policies', POLICY_RESOURCE_KIND.path));
  const order = useOrderColumn(POLICY_RESOURCE_KIND, list.rows);
  const begin = (example: number) => go('/management/policies/new', { search: { example: String(example) } });
  return (
    <ListPage
      title={policiesText.page.title}
      one={policiesText.page.one}
      list={list}
      columns={[...COLUMNS, order.column]}
      card={(policy) => <PolicyCard policy={policy} />}
      onOpen={useResourceNavigate('/management/policies')}
      above={
        <OrderNotice rows={list.rows} error={order.error}>
          {policiesText.page.order}
        </OrderNotice>
      }
      empty={{
        ...policiesText.page.empty,
        more: (
          <>
            <p className="w-full pt-2 text-small text-ink-2">{policiesText.page.examples}</p>
            {POLICY_EXAMPLES.map(({ label }, index) => (
              <Button key={label} needs="management" onClick={() => begin(index)}>
                {label}
              </Button>
            ))}
          </>
        ),
      }}
    />
  );
}

const COLUMNS: readonly TableColumn<Policy>[] = [
  {
    id: 'name',
    label: policiesText.columns.name,
    width: 'minmax(8rem, 14rem)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  { id: 'on', label: policiesText.columns.on, width: '6rem', cell: ({ on }) => policiesText.sides[on].label },
  {
    id: 'what',
    label: policiesText.columns.condition,
    width: 'minmax(9rem, 1fr)',
    cell: (policy) => <code className="font-mono text-code">{describePolicyCondition(policy)}</code>,
  },
  {
    id: 'action',
    label: policiesText.columns.action,
    width: '5rem',
    cell: ({ action }) => policiesText.actions[action].label,
  },
  { id: 'mode', label: policiesText.columns.mode, width: '7rem', cell: (policy) => <Mode policy={policy} /> },
  {
    id: 'source',
    label: policiesText.columns.source,
    width: '8rem',
    yields: 1,
    cell: ({ source }) => <SourceBadge source={source} />,
  },
];

function Mode({ policy: { mode, enabled } }: { readonly policy: Policy }) {
  const state = !enabled ? 'paused' : mode === 'monitor' ? 'partial' : 'healthy';
  const word = enabled ? policiesText.modes[mode].label : policiesText.columns.disabled;
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
        {policiesText.actions[policy.action].label}
      </span>
    </span>
  );
}

import { Plus } from 'lucide-react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useUrlState } from '../../app/url-state.ts';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { formatCompactNumber, formatPercent } from '../../format/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, Notice } from '../../ui/feedback.tsx';
import { QueryResults } from '../../ui/query-results.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { parseSort, sortRows, type TableColumn } from '../../ui/table-columns.ts';
import { PROVIDERS_API_PATH, type ProviderResource } from './provider-data.ts';
import {
  getErrorRate,
  getProviderStatusDisplay,
  type ProviderHealth,
  summarizeCredentialTests,
} from './provider-status.ts';
import { providersText } from './text.ts';
import { useProviderHealth } from './use-provider-health.tsx';

type HealthOf = (id: string) => ProviderHealth;

/** Lists the providers of the organization with their status and traffic. */
export function ProvidersPage() {
  const { query, change } = useUrlState();
  useRefetchOnEvent('config', ['providers']);
  const list = useListRows(buildListQuery<ProviderResource>('providers', PROVIDERS_API_PATH));
  const open = useResourceNavigate('/management/providers');
  useShortcuts([{ keys: 'c', does: providersText.page.add, run: () => open('new'), needs: 'management' }]);
  const { healthOf, failure } = useProviderHealth();
  const all = columns(healthOf);
  const sort = parseSort(query.get('sort'));
  const add = (
    <Button look="primary" icon={Plus} needs="management" onClick={() => open('new')}>
      {providersText.page.add}
    </Button>
  );
  const isSandboxAlone = list.rows?.length === 1 && list.rows[0]?.kind === 'sandbox';
  return (
    <PageFrame title={providersText.page.title} padded={false} actions={add}>
      {isSandboxAlone && (
        <div className="px-4 pb-3 md:px-6">
          <Notice state="unknown">{providersText.page.sandboxOnly}</Notice>
        </div>
      )}
      {failure}
      <QueryResults
        list={list}
        what={providersText.page.what}
        label={providersText.page.title}
        shown={sortRows(list.rows ?? [], all, sort)}
        rowId={({ id }) => id}
        columns={all}
        card={(provider) => <ProviderCard provider={provider} health={healthOf(provider.id)} />}
        onOpen={({ id }) => open(id)}
        sort={sort}
        onSort={(next) => change({ sort: next }, 'replace')}
        empty={
          <EmptyState title={providersText.page.empty.title} action={add}>
            {providersText.page.empty.text}
          </EmptyState>
        }
      />
    </PageFrame>
  );
}

function columns(healthOf: HealthOf): readonly TableColumn<ProviderResource>[] {
  const stateOf = (provider: ProviderResource) => getProviderStatusDisplay(provider, healthOf(provider.id));
  return [
    {
      id: 'id',
      label: providersText.columns.provider,
      width: 'minmax(7rem, 1fr)',
      value: ({ id }) => id,
      cell: (provider) => (
        <span className="flex items-center gap-2 font-medium">
          <StatusIcon state={stateOf(provider).state} />
          <span className="truncate">{provider.id}</span>
        </span>
      ),
    },
    {
      id: 'kind',
      label: providersText.columns.kind,
      width: 'minmax(8.5rem, 11rem)',
      value: ({ kind }) => kind,
      cell: ({ kind }) => kind,
    },
    {
      id: 'state',
      label: providersText.columns.status,
      width: 'minmax(11rem, 14rem)',
      value: (provider) => stateOf(provider).word,
      cell: (provider) => (
        <span title={provider.problem ?? stateOf(provider).word}>
          {stateOf(provider).word}
          {provider.enabled && provider.problem && <span className="text-ink-3"> · {provider.problem}</span>}
        </span>
      ),
    },
    ...trafficColumns(healthOf),
  ];
}

function trafficColumns(healthOf: HealthOf): readonly TableColumn<ProviderResource>[] {
  const requestsOf = (id: string) => healthOf(id).traffic?.requests ?? null;
  const errorRateOf = (id: string) => {
    const { traffic } = healthOf(id);
    return traffic && getErrorRate(traffic);
  };
  return [
    {
      id: 'credentials',
      label: providersText.columns.credentials,
      width: '8.5rem',
      yields: 1,
      cell: ({ credentials }) => summarizeCredentialTests(credentials),
    },
    {
      id: 'models',
      label: providersText.columns.models,
      width: 'minmax(7rem, 10rem)',
      yields: 3,
      cell: ({ models }) => <code className="font-mono text-code">{models.join(', ')}</code>,
    },
    {
      id: 'requests',
      label: providersText.columns.requests,
      width: '7rem',
      align: 'end',
      value: ({ id }) => requestsOf(id),
      cell: ({ id }) => formatIfKnown(requestsOf(id), formatCompactNumber),
    },
    {
      id: 'errors',
      label: providersText.columns.errors,
      width: '4rem',
      align: 'end',
      value: ({ id }) => errorRateOf(id),
      cell: ({ id }) => formatIfKnown(errorRateOf(id), formatPercent),
    },
    {
      id: 'source',
      label: providersText.columns.source,
      width: '8rem',
      yields: 2,
      cell: ({ source }) => <SourceBadge source={source} />,
    },
  ];
}

function formatIfKnown(value: number | null, format: (value: number) => string) {
  return value === null ? <span className="text-ink-3">{providersText.columns.none}</span> : format(value);
}

function ProviderCard({
  provider,
  health,
}: {
  readonly provider: ProviderResource;
  readonly health: ProviderHealth;
}) {
  const { state, word } = getProviderStatusDisplay(provider, health);
  return (
    <span className="grid gap-0.5">
      <span className="flex items-center gap-2 font-medium">
        <StatusIcon state={state} />
        <span className="truncate">
          {provider.id} <span className="font-normal text-ink-2">{provider.kind}</span>
        </span>
      </span>
      <span className="truncate text-small text-ink-2">
        {providersText.columns.cardRequests(word, health.traffic?.requests)}
      </span>
    </span>
  );
}

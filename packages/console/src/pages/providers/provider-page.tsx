import { useQuery } from '@tanstack/react-query';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam, useUrlState } from '../../app/url-state.ts';
import { useOrgNavigate } from '../../app/use-org-navigate.ts';
import type { ResourceWithETag } from '../../data/api-client.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { formatCount, formatPercent } from '../../format/amounts.ts';
import { capitalize } from '../../format/words.ts';
import { StatStrip } from '../../ui/cards.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { ErrorState, Notice, Skeleton } from '../../ui/feedback.tsx';
import { ManagedByFileNotice } from '../../ui/source-badge.tsx';
import { StatCard } from '../../ui/stat-card.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { CredentialList } from './credential-list.tsx';
import {
  buildProviderApiPath,
  buildProviderQuery,
  PROVIDER_QUERY_KEYS,
  type ProviderResource,
} from './provider-data.ts';
import { ProviderModelsForm } from './provider-models-form.tsx';
import { ProviderSettingsForm } from './provider-settings-form.tsx';
import { getErrorRate, getProviderStatusDisplay } from './provider-status.ts';
import { ProviderTimeoutsForm } from './provider-timeouts-form.tsx';
import { providersText } from './text.ts';
import { useProviderHealth } from './use-provider-health.tsx';

/** Shows a provider: its credentials, allowed models, settings and timeouts. */
export function ProviderPage() {
  const id = usePathParam('id');
  useRefetchOnEvent('config', ['providers']);
  const { data, error, refetch } = useQuery(buildProviderQuery(id));
  return (
    <PageFrame
      title={id}
      crumbs={[{ label: providersText.page.title, to: '/management/providers' }]}
      padded={false}
    >
      {error && !data ? (
        <ErrorState what={providersText.detail.loadFailed} error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Parts key={id} loaded={data} />
      ) : (
        <Skeleton className="m-6 h-96" />
      )}
    </PageFrame>
  );
}

function Parts({ loaded }: { readonly loaded: ResourceWithETag<ProviderResource> }) {
  const { query, change } = useUrlState();
  const provider = loaded.body;
  const tabs = [
    {
      id: 'credentials',
      label: providersText.detail.credentials,
      count: provider.credentials.length,
      content: <CredentialList provider={provider} />,
    },
    { id: 'models', label: providersText.detail.models, content: <ProviderModelsForm loaded={loaded} /> },
    {
      id: 'settings',
      label: providersText.detail.settings,
      content: <ProviderSettingsForm loaded={loaded} more={<Delete id={provider.id} />} />,
    },
    { id: 'limits', label: providersText.detail.timeouts, content: <ProviderTimeoutsForm loaded={loaded} /> },
  ];
  return (
    <div className="grid gap-4">
      <div className="grid gap-3 px-4 md:px-6">
        <Head provider={provider} />
        <ManagedByFileNotice source={provider.source} path={buildProviderApiPath(provider.id)} />
      </div>
      <Tabs
        label={providersText.detail.tabs}
        tabs={tabs}
        value={query.get('tab') ?? 'credentials'}
        onChange={(tab) => change({ tab }, 'replace')}
      />
    </div>
  );
}

const APIS: Readonly<Record<string, string>> = providersText.detail.apis;

function Head({ provider }: { readonly provider: ProviderResource }) {
  const { healthOf, failure } = useProviderHealth();
  const health = healthOf(provider.id);
  const { state, word } = getProviderStatusDisplay(provider, health);
  const { traffic } = health;
  const rate = traffic && getErrorRate(traffic);
  return (
    <>
      <p className="flex flex-wrap items-center gap-3 text-ui text-ink-2">
        <StatusBadge state={state}>{word}</StatusBadge>
        {provider.kind}
        {provider.origin && <code className="font-mono text-code">{provider.origin}</code>}
      </p>
      {provider.enabled && provider.problem && (
        <Notice state="failing">{providersText.detail.problem(provider.problem)}</Notice>
      )}
      {failure}
      <StatStrip>
        <StatCard
          label={providersText.detail.requests}
          value={traffic ? formatCount(traffic.requests) : providersText.detail.none}
        />
        <StatCard
          label={providersText.detail.errors}
          value={rate === null ? providersText.detail.none : formatPercent(rate)}
        />
        <StatCard
          label={providersText.detail.api}
          value={
            <span className="text-ui whitespace-normal">
              {provider.native_dialects.map((name) => APIS[name] ?? capitalize(name)).join(', ') ||
                providersText.detail.none}
            </span>
          }
        />
        <StatCard
          label={providersText.detail.billing}
          value={<span className="text-ui">{providersText.detail.billings[provider.billing]}</span>}
        />
      </StatStrip>
    </>
  );
}

function Delete({ id }: { readonly id: string }) {
  const go = useOrgNavigate();
  return (
    <DeleteButton
      path={buildProviderApiPath(id)}
      title={providersText.detail.removal.title(id)}
      verb={providersText.detail.delete}
      typed={id}
      touches={PROVIDER_QUERY_KEYS}
      onDone={() => go('/management/providers')}
    >
      {providersText.detail.removal.effect(id)}
    </DeleteButton>
  );
}

import { useQuery } from '@tanstack/react-query';
import { RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import type { PageQueryPrefetcher } from '../../app/page-route.ts';
import { usePathParam } from '../../app/url-state.ts';
import type { ResourceWithETag } from '../../data/api-client.ts';
import { useSignedInSession } from '../../data/session.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/cards.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { useNow } from '../../ui/relative-time-text.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import {
  buildKeyHistoryQuery,
  buildKeyQuery,
  buildKeyTotalsQuery,
  buildKeyUsageQuery,
  type KeyResource,
  limitsAndBudgetsQuery,
} from './key-data.ts';
import { KeyDetails } from './key-details.tsx';
import { KeyEditor } from './key-editor.tsx';
import { KeyHistory } from './key-history.tsx';
import { KeyLimitsCard } from './key-limits-card.tsx';
import { canChangeKey, getKeyStatusDisplay } from './key-status.ts';
import { KeyUsage } from './key-usage.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';
import { keysText } from './text.ts';

/** Starts the queries of the page before it is rendered. */
export const prefetchKey: PageQueryPrefetcher = (client, { params: { id = '' } }) => {
  void client.prefetchQuery(buildKeyQuery(id));
  void client.prefetchQuery(buildKeyTotalsQuery(id));
  void client.prefetchQuery(buildKeyUsageQuery(id));
  void client.prefetchQuery(buildKeyHistoryQuery(id));
  void client.prefetchQuery(limitsAndBudgetsQuery);
};

/** Shows one key: its usage, settings, limits and history. */
export function KeyPage() {
  const id = usePathParam('id');
  const { data, error, refetch } = useQuery(buildKeyQuery(id));
  useRefetchOnEvent('config', ['key', id]);
  const key = data?.body;
  return (
    <PageFrame
      title={key?.name ?? keysText.detail.title}
      crumbs={[{ label: keysText.page.title, to: '/management/keys' }]}
      actions={key && <KeyActions row={key} />}
    >
      {error && !data ? (
        <ErrorState what={keysText.detail.loadFailed} error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton className="h-64" />
      ) : (
        <KeyBody loaded={data} />
      )}
    </PageFrame>
  );
}

function KeyActions({ row }: { readonly row: KeyResource }) {
  const [asked, setAsked] = useState<'rotate' | 'revoke' | null>(null);
  const session = useSignedInSession();
  const needs = canChangeKey(row, session) ? 'own_keys' : 'management';
  const isReadOnly = row.status !== 'active' || row.source.kind === 'file';
  return (
    <>
      <Button icon={RefreshCw} needs={needs} disabled={isReadOnly} onClick={() => setAsked('rotate')}>
        {keysText.detail.rotate}
      </Button>
      <Button icon={Trash2} needs={needs} disabled={isReadOnly} onClick={() => setAsked('revoke')}>
        {keysText.detail.revoke}
      </Button>
      {asked === 'rotate' && <RotateKeyDialog row={row} onClose={() => setAsked(null)} />}
      {asked === 'revoke' && <RevokeKeyDialog row={row} onClose={() => setAsked(null)} />}
    </>
  );
}

function KeyBody({ loaded }: { readonly loaded: ResourceWithETag<KeyResource> }) {
  const row = loaded.body;
  const standing = getKeyStatusDisplay(row, useNow());
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center gap-2">
        {standing ? (
          <StatusBadge state={standing.state}>{standing.word}</StatusBadge>
        ) : (
          <StatusBadge state="healthy">{keysText.status.active}</StatusBadge>
        )}
        <span className="flex items-center gap-2">
          <code className="font-mono text-code text-ink-2">{row.id}</code>
          <CopyButton text={row.id} label={keysText.detail.copyId} />
        </span>
      </div>
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 gap-4">
          <KeyUsage id={row.id} name={row.name} />
          <Card title={keysText.detail.settings}>
            <KeyEditor key={row.id} loaded={loaded} />
          </Card>
        </div>
        <div className="grid min-w-0 gap-4">
          <KeyDetails row={row} />
          <KeyLimitsCard row={row} />
          <KeyHistory id={row.id} />
        </div>
      </div>
    </div>
  );
}

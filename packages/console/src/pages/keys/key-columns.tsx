import { KEY_SCOPES } from '@floe/contract/scopes';
import { formatMoney } from '../../format/amounts.ts';
import { formatShortDate, getBrowserTimeZone } from '../../format/times.ts';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import type { KeyCostLookup, KeyResource } from './key-data.ts';
import { getKeyStatusDisplay } from './key-status.ts';
import { keysText } from './text.ts';

/**
 * Returns the columns of the key list.
 * @param costOf Returns the cost of a key in the last 30 days.
 * @param revokers The name of the member who revoked a key, by key ID.
 */
export function buildKeyColumns(
  costOf: KeyCostLookup,
  revokers: ReadonlyMap<string, string>,
  now: Date,
): readonly TableColumn<KeyResource>[] {
  return [
    {
      id: 'name',
      label: keysText.columns.name,
      width: 'minmax(8.5rem, 2fr)',
      cell: (key) => <KeyName row={key} by={revokers.get(key.id)} now={now} />,
      value: ({ name }) => name,
    },
    { id: 'key', label: keysText.columns.key, width: '6.5rem', cell: (key) => <MaskedKey row={key} /> },
    ...ACCESS_COLUMNS,
    {
      id: 'used',
      label: keysText.columns.used,
      width: '5.5rem',
      cell: ({ last_used_at }) => <AtOrNever at={last_used_at} />,
      value: ({ last_used_at }) => last_used_at,
    },
    {
      id: 'cost',
      label: keysText.columns.cost,
      width: '5rem',
      align: 'end',
      cell: ({ id }) => formatMoney(costOf(id)),
      value: ({ id }) => costOf(id),
    },
    {
      id: 'expires',
      label: keysText.columns.expires,
      width: '5.5rem',
      cell: ({ expires_at }) => <AtOrNever at={expires_at} />,
      value: ({ expires_at }) => expires_at,
    },
    {
      id: 'source',
      label: keysText.columns.source,
      width: '8rem',
      yields: 4,
      cell: ({ source }) => <SourceBadge source={source} />,
    },
  ];
}

const ACCESS_COLUMNS: readonly TableColumn<KeyResource>[] = [
  {
    id: 'scopes',
    label: keysText.columns.scopes,
    width: 'minmax(5rem, 1fr)',
    yields: 1,
    cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopesText(scopes)}</span>,
    value: ({ scopes }) => scopes.length,
  },
  {
    id: 'models',
    label: keysText.columns.models,
    width: 'minmax(5rem, 1fr)',
    yields: 2,
    cell: ({ models }) =>
      models === null ? <span className="text-ink-3">{keysText.columns.allModels}</span> : models.join(', '),
  },
  {
    id: 'owner',
    label: keysText.columns.owner,
    width: 'minmax(5.5rem, 1fr)',
    cell: ({ owner }) => owner ?? <span className="text-ink-3">{keysText.columns.none}</span>,
    value: ({ owner }) => owner,
  },
  {
    id: 'team',
    label: keysText.columns.team,
    width: 'minmax(4rem, 8rem)',
    yields: 3,
    cell: ({ team }) => team ?? <span className="text-ink-3">{keysText.columns.none}</span>,
    value: ({ team }) => team,
  },
];

/** Returns the name of a single scope, or the number of scopes. The tooltip shows the names. */
function scopesText(scopes: KeyResource['scopes']): string {
  if (scopes.length === KEY_SCOPES.length) return keysText.columns.allScopes;
  return scopes.length > 1 ? keysText.columns.scopeCount(scopes.length) : scopes.join(', ');
}

function AtOrNever({ at }: { readonly at: string | null }) {
  return at ? <RelativeTimeText at={at} /> : <span className="text-ink-3">{keysText.columns.never}</span>;
}

function KeyName({
  row,
  by,
  now,
}: {
  readonly row: KeyResource;
  /** The actor who revoked the key. */
  readonly by?: string | undefined;
  readonly now: Date;
}) {
  const standing = getKeyStatusDisplay(row, now);
  return (
    <span className="flex min-w-0 flex-1 items-center gap-2">
      <span className={`truncate font-medium ${standing ? 'max-w-[60%] shrink-0' : ''}`}>{row.name}</span>
      {standing && (
        <span className="flex min-w-0 items-center gap-1 text-small text-ink-2">
          <StatusIcon state={standing.state} size={14} />
          <span className="truncate">
            {standing.word}
            {row.revoked_at && revocationText(row.revoked_at, by, now)}
          </span>
        </span>
      )}
    </span>
  );
}

function revocationText(revokedAt: string, by: string | undefined, now: Date): string {
  const date = formatShortDate(new Date(revokedAt), getBrowserTimeZone(), now);
  return by ? keysText.status.revokedBy(date, by) : keysText.status.revokedOn(date);
}

/** Shows the visible parts of the key value: its prefix and its last four characters. */
export function MaskedKey({ row }: { readonly row: Pick<KeyResource, 'prefix' | 'last4'> }) {
  return (
    <code className="font-mono text-code text-ink-2">
      {row.prefix.slice(0, 4)}…{row.last4}
    </code>
  );
}

/** Renders a key as a card, for phones. */
export function KeyCard({
  row,
  cost,
  now,
}: {
  readonly row: KeyResource;
  readonly cost: number | null;
  readonly now: Date;
}) {
  return (
    <div className="grid gap-0.5">
      <div className="flex items-center justify-between gap-3">
        <KeyName row={row} now={now} />
        <MaskedKey row={row} />
      </div>
      <div className="flex justify-between gap-3 text-small text-ink-2 figures">
        <span>
          {row.last_used_at ? (
            <>
              {keysText.columns.used} <RelativeTimeText at={row.last_used_at} />
            </>
          ) : (
            keysText.columns.neverUsed
          )}
        </span>
        <span>{formatMoney(cost)}</span>
      </div>
    </div>
  );
}

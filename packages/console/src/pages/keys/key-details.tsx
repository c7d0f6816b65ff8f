import { useQuery } from '@tanstack/react-query';
import { useMemberName } from '../../data/use-member-name.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { EndOverlapButton } from './end-overlap-button.tsx';
import { MaskedKey } from './key-columns.tsx';
import { type KeyResource, keysQuery } from './key-data.ts';
import { keysText } from './text.ts';

/**
 * Shows the details of a key. While the previous value of a rotated key is valid, also shows the details of
 * that value.
 */
export function KeyDetails({ row }: { readonly row: KeyResource }) {
  const { previous } = row;
  const creator = useCreatorName(row.created_by);
  return (
    <>
      <Card title={keysText.facts.title}>
        <DetailList
          items={[
            [keysText.facts.value, <MaskedKey key="value" row={row} />],
            [
              keysText.facts.lastUsed,
              <LastUsed key="used" at={row.last_used_at} never={keysText.facts.never} />,
            ],
            [keysText.facts.expires, row.expires_at ? formatMoment(row.expires_at) : keysText.facts.never],
            [keysText.facts.revoked, row.revoked_at && formatMoment(row.revoked_at)],
            [keysText.facts.rotated, row.rotated_at && <RelativeTimeText at={row.rotated_at} />],
            [keysText.facts.created, formatMoment(row.created_at)],
            [keysText.facts.createdBy, creator],
            [keysText.facts.owner, row.owner],
            [keysText.facts.team, row.team],
          ]}
        />
      </Card>
      {previous && (
        <Card title={keysText.facts.previous}>
          <DetailList
            items={[
              [keysText.facts.value, <MaskedKey key="value" row={previous} />],
              [keysText.facts.validUntil, formatMoment(previous.expires_at)],
              [
                keysText.facts.lastUsed,
                <LastUsed key="used" at={previous.last_used_at} never={keysText.facts.unusedSinceRotation} />,
              ],
            ]}
          />
          <EndOverlapButton row={row} />
        </Card>
      )}
    </>
  );
}

/** Returns the name of the member, key or file that created a key. */
function useCreatorName(id: string | null): string | null {
  const member = useMemberName(id ?? '');
  const keys = useQuery({ ...keysQuery, enabled: id?.startsWith('key_') ?? false }).data;
  if (id === 'file') return 'floe.yaml';
  const key = keys?.find((one) => one.id === id);
  return key ? keysText.facts.byKey(key.name) : member || null;
}

function LastUsed({ at, never }: { readonly at: string | null; readonly never: string }) {
  return at ? <RelativeTimeText at={at} /> : never;
}

function formatMoment(time: string): string {
  return formatFullDateTime(new Date(time), getBrowserTimeZone());
}

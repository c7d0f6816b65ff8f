import { useMemberName } from '../../data/use-member-name.ts';
import { browserZone, formatFullTime } from '../../format/times.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { TimeText } from '../../ui/time-text.tsx';
import { EndOverlap } from './end-overlap.tsx';
import { KeyHint } from './key-columns.tsx';
import type { Key } from './key-data.ts';
import { text } from './text.ts';

/** The details of a key, and of its previous value while that is still valid. */
export function KeyDetails({ row }: { readonly row: Key }) {
  const { previous } = row;
  const creator = useMemberName(row.created_by ?? '');
  return (
    <>
      <Card title={text.facts.title}>
        <DetailList
          items={[
            [text.facts.value, <KeyHint key="value" row={row} />],
            [text.facts.lastUsed, <LastUsed key="used" at={row.last_used_at} never={text.facts.never} />],
            [text.facts.expires, row.expires_at ? formatMoment(row.expires_at) : text.facts.never],
            [text.facts.revoked, row.revoked_at && formatMoment(row.revoked_at)],
            [text.facts.rotated, row.rotated_at && <TimeText at={row.rotated_at} />],
            [text.facts.created, formatMoment(row.created_at)],
            [text.facts.createdBy, creator || null],
            [text.facts.owner, row.owner],
            [text.facts.team, row.team],
          ]}
        />
      </Card>
      {previous && (
        <Card title={text.facts.previous}>
          <DetailList
            items={[
              [text.facts.value, <KeyHint key="value" row={previous} />],
              [text.facts.validUntil, formatMoment(previous.expires_at)],
              [
                text.facts.lastUsed,
                <LastUsed key="used" at={previous.last_used_at} never={text.facts.unusedSinceRotation} />,
              ],
            ]}
          />
          <EndOverlap row={row} />
        </Card>
      )}
    </>
  );
}

function LastUsed({ at, never }: { readonly at: string | null; readonly never: string }) {
  return at ? <TimeText at={at} /> : never;
}

function formatMoment(time: string): string {
  return formatFullTime(new Date(time), browserZone());
}

import { useMemberName } from '../../data/use-member-name.ts';
import { browserZone, formatFullTime } from '../../format/times.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { TimeText } from '../../ui/time-text.tsx';
import { KeyHint } from './key-columns.tsx';
import type { Key } from './key-data.ts';

/** What is known of a key, and of the value before it while that works too. */
export function KeyFacts({ row }: { readonly row: Key }) {
  const { previous } = row;
  const maker = useMemberName(row.created_by ?? '');
  return (
    <>
      <Card title="Facts">
        <DetailList
          items={[
            ['Value', <KeyHint key="value" row={row} />],
            ['Last used', <Used key="used" at={row.last_used_at} never="never" />],
            ['Ends', row.expires_at ? moment(row.expires_at) : 'never'],
            ['Revoked', row.revoked_at && moment(row.revoked_at)],
            ['Rotated', row.rotated_at && <TimeText at={row.rotated_at} />],
            ['Made', moment(row.created_at)],
            ['Made by', maker || null],
            ['Owner', row.owner],
            ['Team', row.team],
          ]}
        />
      </Card>
      {previous && (
        <Card title="The value before">
          <DetailList
            items={[
              ['Value', <KeyHint key="value" row={previous} />],
              ['Works until', moment(previous.expires_at)],
              ['Last used', <Used key="used" at={previous.last_used_at} never="not since the rotation" />],
            ]}
          />
        </Card>
      )}
    </>
  );
}

function Used({ at, never }: { readonly at: string | null; readonly never: string }) {
  return at ? <TimeText at={at} /> : never;
}

function moment(text: string): string {
  return formatFullTime(new Date(text), browserZone());
}

import type { Member } from '@floe/contract/api/members';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { useSignedInSession } from '../../data/session.ts';
import { capitalize } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { Badge } from '../../ui/status.tsx';
import { parseSort, sortRows, type TableColumn } from '../../ui/table-columns.ts';
import { membersQuery } from './member-data.ts';
import { MemberDialog } from './member-dialog.tsx';
import { membersText } from './text.ts';

/** Lists the members of the organization. Selecting a row opens the dialog that edits the member. */
export function MemberList({ onInvite }: { readonly onInvite: () => void }) {
  const { data: members, error, refetch } = useQuery(membersQuery);
  const { query, change } = useUrlState();
  const { member_id } = useSignedInSession();
  const [openId, setOpenId] = useState<string | null>(null);
  if (error && !members)
    return <ErrorState what={membersText.list.loadFailed} error={error} onRetry={() => void refetch()} />;
  if (!members) return <SkeletonRows rows={4} />;
  const columns = memberColumns(member_id);
  const sort = parseSort(query.get('sort'));
  const open = members.find(({ id }) => id === openId);
  return (
    <>
      <DataTable
        label={membersText.list.label}
        rows={sortRows(members, columns, sort)}
        rowId={({ id }) => id}
        columns={columns}
        card={(row) => <MemberCard row={row} me={row.id === member_id} />}
        onOpen={({ id }) => setOpenId(id)}
        sort={sort}
        onSort={(next) => change({ sort: next })}
        total={members.length}
      />
      {members.length === 1 && (
        <EmptyState
          title={membersText.list.empty.title}
          action={
            <Button needs="members" onClick={onInvite}>
              {membersText.page.invite}
            </Button>
          }
        >
          {membersText.list.empty.text}
        </EmptyState>
      )}
      {open && <MemberDialog key={open.id} row={open} all={members} onClose={() => setOpenId(null)} />}
    </>
  );
}

function memberColumns(me: string): readonly TableColumn<Member>[] {
  return [
    {
      id: 'name',
      label: membersText.list.name,
      width: 'minmax(9rem, 1.2fr)',
      cell: (row) => <MemberName row={row} me={row.id === me} />,
      value: ({ name, email }) => name || email,
    },
    {
      id: 'email',
      label: membersText.list.email,
      width: 'minmax(10rem, 1.2fr)',
      cell: ({ email }) => <span className="text-ink-2">{email}</span>,
      value: ({ email }) => email,
    },
    {
      id: 'role',
      label: membersText.list.role,
      width: '5.5rem',
      cell: ({ role }) => capitalize(role),
      value: ({ role }) => role,
    },
    {
      id: 'team',
      label: membersText.list.team,
      width: 'minmax(5rem, 9rem)',
      cell: ({ team }) => team ?? <span className="text-ink-3">{membersText.none}</span>,
      value: ({ team }) => team,
    },
    {
      id: 'source',
      label: membersText.list.source,
      width: 'minmax(8rem, 11rem)',
      cell: ({ source }) => <span className="text-ink-2">{membersText.list.sources[source]}</span>,
      value: ({ source }) => source,
    },
    {
      id: 'since',
      label: membersText.list.since,
      width: '8rem',
      yields: 1,
      cell: ({ created_at }) => <RelativeTimeText at={created_at} />,
      value: ({ created_at }) => created_at,
    },
  ];
}

function MemberName({ row, me }: { readonly row: Member; readonly me: boolean }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="truncate font-medium">{row.name || row.email}</span>
      {me && <Badge>{membersText.list.you}</Badge>}
    </span>
  );
}

function MemberCard({ row, me }: { readonly row: Member; readonly me: boolean }) {
  return (
    <div className="grid gap-0.5">
      <div className="flex items-center justify-between gap-3">
        <MemberName row={row} me={me} />
        <span className="shrink-0 text-ui">{capitalize(row.role)}</span>
      </div>
      <div className="truncate text-small text-ink-2">
        {row.email}
        {row.team && ` · ${row.team}`}
      </div>
    </div>
  );
}

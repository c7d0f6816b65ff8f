import type { Member } from '@floe/contract/api/members';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { useSignedIn } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { Badge } from '../../ui/status.tsx';
import { parseSort, sortRows, type TableColumn } from '../../ui/table-columns.ts';
import { TimeText } from '../../ui/time-text.tsx';
import { membersQuery } from './member-data.ts';
import { MemberDialog } from './member-dialog.tsx';

/** The people of the org. A row opens what can be changed about one. */
export function MemberList({ onInvite }: { readonly onInvite: () => void }) {
  const { data: members, error, refetch } = useQuery(membersQuery);
  const { query, change } = useUrlState();
  const { member_id } = useSignedIn();
  const [openId, setOpenId] = useState<string | null>(null);
  if (error && !members)
    return <ErrorState what="Could not load members." error={error} onRetry={() => void refetch()} />;
  if (!members) return <SkeletonRows rows={4} />;
  const columns = memberColumns(member_id);
  const sort = parseSort(query.get('sort'));
  const open = members.find(({ id }) => id === openId);
  return (
    <>
      <DataTable
        label="Members"
        rows={sortRows(members, columns, sort)}
        rowId={({ id }) => id}
        columns={columns}
        card={(row) => <MemberCard row={row} me={row.id === member_id} />}
        onOpen={({ id }) => setOpenId(id)}
        sort={sort}
        onSort={(text) => change({ sort: text })}
        total={members.length}
      />
      {members.length === 1 && (
        <EmptyState
          title="You are alone here"
          action={
            <Button needs="members" onClick={onInvite}>
              Invite
            </Button>
          }
        >
          An invitation is a link that works once; it needs no mail server.
        </EmptyState>
      )}
      {open && <MemberDialog key={open.id} row={open} all={members} onClose={() => setOpenId(null)} />}
    </>
  );
}

const COMES_FROM = { console: 'invitation', oidc: 'group of the issuer', setup: 'first start' } as const;

function memberColumns(me: string): readonly TableColumn<Member>[] {
  return [
    {
      id: 'name',
      label: 'Name',
      width: 'minmax(10rem, 1.2fr)',
      cell: (row) => <MemberName row={row} me={row.id === me} />,
      value: ({ name, email }) => name || email,
    },
    {
      id: 'email',
      label: 'E-mail',
      width: 'minmax(10rem, 1.2fr)',
      cell: ({ email }) => <span className="text-ink-2">{email}</span>,
      value: ({ email }) => email,
    },
    { id: 'role', label: 'Role', width: '7rem', cell: ({ role }) => role, value: ({ role }) => role },
    {
      id: 'team',
      label: 'Team',
      width: '9rem',
      cell: ({ team }) => team ?? <span className="text-ink-3">–</span>,
      value: ({ team }) => team,
    },
    {
      id: 'source',
      label: 'Came by',
      width: '11rem',
      cell: ({ source }) => <span className="text-ink-2">{COMES_FROM[source]}</span>,
      value: ({ source }) => source,
    },
    {
      id: 'since',
      label: 'Member since',
      width: '8rem',
      cell: ({ created_at }) => <TimeText at={created_at} />,
      value: ({ created_at }) => created_at,
    },
  ];
}

function MemberName({ row, me }: { readonly row: Member; readonly me: boolean }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="truncate font-medium">{row.name || row.email}</span>
      {me && <Badge>you</Badge>}
    </span>
  );
}

function MemberCard({ row, me }: { readonly row: Member; readonly me: boolean }) {
  return (
    <div className="grid gap-0.5">
      <div className="flex items-center justify-between gap-3">
        <MemberName row={row} me={me} />
        <span className="shrink-0 text-ui">{row.role}</span>
      </div>
      <div className="truncate text-small text-ink-2">
        {row.email}
        {row.team && ` · ${row.team}`}
      </div>
    </div>
  );
}

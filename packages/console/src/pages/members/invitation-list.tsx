import type { InvitationResource } from '@floe/contract/api/members';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { capitalize } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmChangeDialog } from '../../ui/confirm-change-dialog.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { showToast } from '../../ui/toast.tsx';
import { invitationsQuery, MEMBER_QUERY_KEYS, revokeInvitation } from './member-data.ts';
import { membersText } from './text.ts';

/** Lists the pending invitations. */
export function InvitationList({ onInvite }: { readonly onInvite: () => void }) {
  const { data: rows, error, refetch } = useQuery(invitationsQuery);
  const [asked, setAsked] = useState<InvitationResource | null>(null);
  if (error && !rows)
    return (
      <ErrorState what={membersText.invitations.loadFailed} error={error} onRetry={() => void refetch()} />
    );
  if (!rows) return <SkeletonRows rows={3} />;
  if (rows.length === 0)
    return (
      <EmptyState
        title={membersText.invitations.empty.title}
        action={
          <Button needs="members" onClick={onInvite}>
            {membersText.page.invite}
          </Button>
        }
      >
        {membersText.invitations.empty.text}
      </EmptyState>
    );
  const columns = invitationColumns(setAsked);
  return (
    <>
      <DataTable
        label={membersText.invitations.label}
        rows={rows}
        rowId={({ id }) => id}
        columns={columns}
        card={(row) => <InvitationCard row={row} onRevoke={() => setAsked(row)} />}
        total={rows.length}
      />
      {asked && <Revocation row={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

function invitationColumns(
  onRevoke: (row: InvitationResource) => void,
): readonly TableColumn<InvitationResource>[] {
  return [
    {
      id: 'email',
      label: membersText.invitations.email,
      width: 'minmax(12rem, 1fr)',
      cell: ({ email }) => (
        <span className="flex items-center gap-2">
          <StatusIcon state="waiting" size={14} />
          <span className="truncate">{email}</span>
        </span>
      ),
    },
    {
      id: 'role',
      label: membersText.invitations.role,
      width: '5.5rem',
      cell: ({ role }) => capitalize(role),
    },
    {
      id: 'team',
      label: membersText.invitations.team,
      width: 'minmax(5rem, 9rem)',
      cell: ({ team }) => team ?? membersText.none,
    },
    {
      id: 'made',
      label: membersText.invitations.created,
      width: '7rem',
      yields: 1,
      cell: ({ created_at }) => <RelativeTimeText at={created_at} />,
    },
    {
      id: 'ends',
      label: membersText.invitations.expires,
      width: '6rem',
      cell: ({ expires_at }) => <RelativeTimeText at={expires_at} />,
    },
    {
      id: 'actions',
      label: membersText.actions,
      hidesLabel: true,
      width: '10rem',
      align: 'end',
      cell: (row) => <RevokeButton onClick={() => onRevoke(row)} />,
    },
  ];
}

function RevokeButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button look="quiet" needs="members" onClick={onClick} className="h-7!">
      {membersText.invitations.revoke}
    </Button>
  );
}

function InvitationCard({
  row,
  onRevoke,
}: {
  readonly row: InvitationResource;
  readonly onRevoke: () => void;
}) {
  return (
    <div className="flex items-center gap-3">
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="truncate">{row.email}</span>
        <span className="text-small text-ink-2">
          {capitalize(row.role)} · {membersText.invitations.expiresShort}{' '}
          <RelativeTimeText at={row.expires_at} />
        </span>
      </div>
      <RevokeButton onClick={onRevoke} />
    </div>
  );
}

function Revocation({ row, onClose }: { readonly row: InvitationResource; readonly onClose: () => void }) {
  return (
    <ConfirmChangeDialog
      sendChange={() => revokeInvitation(row.id)}
      touches={MEMBER_QUERY_KEYS}
      onDone={() => {
        showToast(membersText.invitations.removal.done(row.email));
        onClose();
      }}
      onClose={onClose}
      title={membersText.invitations.removal.title(row.email)}
      verb={membersText.invitations.removal.verb}
    >
      {membersText.invitations.removal.effect}
    </ConfirmChangeDialog>
  );
}

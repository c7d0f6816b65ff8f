import type { InvitationResource } from '@floe/contract/api/members';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ConfirmChange } from '../../ui/confirm-change.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { TimeText } from '../../ui/time-text.tsx';
import { showToast } from '../../ui/toast.tsx';
import { invitationsQuery, PEOPLE_TOUCHES, revokeInvitation } from './member-data.ts';
import { text } from './text.ts';

/** The pending invitations. */
export function InvitationList({ onInvite }: { readonly onInvite: () => void }) {
  const { data: rows, error, refetch } = useQuery(invitationsQuery);
  const [asked, setAsked] = useState<InvitationResource | null>(null);
  if (error && !rows)
    return <ErrorState what={text.invitations.loadFailed} error={error} onRetry={() => void refetch()} />;
  if (!rows) return <SkeletonRows rows={3} />;
  if (rows.length === 0)
    return (
      <EmptyState
        title={text.invitations.empty.title}
        action={
          <Button needs="members" onClick={onInvite}>
            {text.page.invite}
          </Button>
        }
      >
        {text.invitations.empty.text}
      </EmptyState>
    );
  const columns = invitationColumns(setAsked);
  return (
    <>
      <DataTable
        label={text.invitations.label}
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
      label: text.invitations.email,
      width: 'minmax(12rem, 1fr)',
      cell: ({ email }) => (
        <span className="flex items-center gap-2">
          <StatusIcon state="waiting" size={14} />
          <span className="truncate">{email}</span>
        </span>
      ),
    },
    { id: 'role', label: text.invitations.role, width: '7rem', cell: ({ role }) => role },
    { id: 'team', label: text.invitations.team, width: '9rem', cell: ({ team }) => team ?? text.none },
    {
      id: 'made',
      label: text.invitations.created,
      width: '7rem',
      cell: ({ created_at }) => <TimeText at={created_at} />,
    },
    {
      id: 'ends',
      label: text.invitations.expires,
      width: '7rem',
      cell: ({ expires_at }) => <TimeText at={expires_at} />,
    },
    {
      id: 'actions',
      label: '',
      width: '10rem',
      align: 'end',
      cell: (row) => <RevokeButton onClick={() => onRevoke(row)} />,
    },
  ];
}

function RevokeButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button look="quiet" needs="members" onClick={onClick} className="h-7!">
      {text.invitations.revoke}
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
          {row.role} · {text.invitations.expiresShort} <TimeText at={row.expires_at} />
        </span>
      </div>
      <RevokeButton onClick={onRevoke} />
    </div>
  );
}

function Revocation({ row, onClose }: { readonly row: InvitationResource; readonly onClose: () => void }) {
  return (
    <ConfirmChange
      make={() => revokeInvitation(row.id)}
      touches={PEOPLE_TOUCHES}
      onDone={() => {
        showToast(text.invitations.removal.done(row.email));
        onClose();
      }}
      onClose={onClose}
      title={text.invitations.removal.title(row.email)}
      verb={text.invitations.removal.verb}
    >
      {text.invitations.removal.effect}
    </ConfirmChange>
  );
}

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

/** Links that nobody took yet. */
export function InvitationList({ onInvite }: { readonly onInvite: () => void }) {
  const { data: rows, error, refetch } = useQuery(invitationsQuery);
  const [asked, setAsked] = useState<InvitationResource | null>(null);
  if (error && !rows)
    return <ErrorState what="Could not load invitations." error={error} onRetry={() => void refetch()} />;
  if (!rows) return <SkeletonRows rows={3} />;
  if (rows.length === 0)
    return (
      <EmptyState
        title="Nobody is invited"
        action={
          <Button needs="members" onClick={onInvite}>
            Invite
          </Button>
        }
      >
        An invitation stands here until it is taken or ends.
      </EmptyState>
    );
  const columns = invitationColumns(setAsked);
  return (
    <>
      <DataTable
        label="Invitations"
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
      label: 'E-mail',
      width: 'minmax(12rem, 1fr)',
      cell: ({ email }) => (
        <span className="flex items-center gap-2">
          <StatusIcon state="waiting" size={14} />
          <span className="truncate">{email}</span>
        </span>
      ),
    },
    { id: 'role', label: 'Role', width: '7rem', cell: ({ role }) => role },
    { id: 'team', label: 'Team', width: '9rem', cell: ({ team }) => team ?? '–' },
    { id: 'made', label: 'Made', width: '7rem', cell: ({ created_at }) => <TimeText at={created_at} /> },
    { id: 'ends', label: 'Ends', width: '7rem', cell: ({ expires_at }) => <TimeText at={expires_at} /> },
    {
      id: 'actions',
      label: '',
      width: '8rem',
      align: 'end',
      cell: (row) => <TakeBack onClick={() => onRevoke(row)} />,
    },
  ];
}

function TakeBack({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button look="quiet" needs="members" onClick={onClick} className="h-7!">
      Take back
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
          {row.role} · ends <TimeText at={row.expires_at} />
        </span>
      </div>
      <TakeBack onClick={onRevoke} />
    </div>
  );
}

function Revocation({ row, onClose }: { readonly row: InvitationResource; readonly onClose: () => void }) {
  return (
    <ConfirmChange
      make={() => revokeInvitation(row.id)}
      touches={PEOPLE_TOUCHES}
      onDone={() => {
        showToast(`The invitation of ${row.email} works no more`);
        onClose();
      }}
      onClose={onClose}
      title={`Take back the invitation of ${row.email}`}
      verb="Take back"
    >
      The link stops working at once. You can invite the address again.
    </ConfirmChange>
  );
}

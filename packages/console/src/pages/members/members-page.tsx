import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useUrlState } from '../../app/url-state.ts';
import { useSignedInSession } from '../../data/session.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { Button } from '../../ui/button.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { InvitationList } from './invitation-list.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { invitationsQuery, membersQuery, teamsQuery } from './member-data.ts';
import { MemberList } from './member-list.tsx';
import { OperatorList } from './operator-list.tsx';
import { TeamList } from './team-list.tsx';
import { membersText } from './text.ts';

/**
 * Shows the members, pending invitations and teams of the organization, and, to operators, the operators of
 * the installation.
 */
export function MembersPage() {
  const { query, change } = useUrlState();
  const [inviting, setInviting] = useState(false);
  const { operator: mayOperate } = useSignedInSession();
  const shown = query.get('show') ?? 'members';
  useRefetchOnEvent('config', membersQuery.queryKey);
  useRefetchOnEvent('config', invitationsQuery.queryKey);
  useRefetchOnEvent('config', teamsQuery.queryKey);
  useShortcuts([
    { keys: 'c', does: membersText.page.invite, run: () => setInviting(true), needs: 'members' },
  ]);
  const counts = {
    members: useQuery(membersQuery).data?.length,
    invitations: useQuery(invitationsQuery).data?.length,
    teams: useQuery(teamsQuery).data?.length,
  };
  const invite = (
    <Button look="primary" icon={UserPlus} needs="members" onClick={() => setInviting(true)}>
      {membersText.page.invite}
    </Button>
  );
  return (
    <PageFrame title={membersText.page.title} padded={false} actions={invite}>
      <div className="overflow-x-auto px-4 pb-3 md:px-6">
        <SegmentedControl
          label={membersText.page.views}
          options={[
            { id: 'members', label: withCount(membersText.page.members, counts.members) },
            { id: 'invitations', label: withCount(membersText.page.invitations, counts.invitations) },
            { id: 'teams', label: withCount(membersText.page.teams, counts.teams) },
            ...(mayOperate ? [{ id: 'operators', label: membersText.page.operators }] : []),
          ]}
          value={shown}
          onChange={(id) => change({ show: id === 'members' ? null : id })}
        />
      </div>
      {shown === 'invitations' ? (
        <InvitationList onInvite={() => setInviting(true)} />
      ) : shown === 'operators' && mayOperate ? (
        <OperatorList />
      ) : shown === 'teams' ? (
        <TeamList />
      ) : (
        <MemberList onInvite={() => setInviting(true)} />
      )}
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </PageFrame>
  );
}

function withCount(label: string, count: number | undefined): string {
  return count === undefined ? label : membersText.page.withCount(label, count);
}

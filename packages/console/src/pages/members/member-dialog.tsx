import type { Member } from '@floe/contract/api/members';
import { parseMemberRole } from '@floe/contract/roles';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { useSignedInSession } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmChangeDialog } from '../../ui/confirm-change-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { Form } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { buildOwnedKeysQuery, changeMember, MEMBER_QUERY_KEYS, removeMember } from './member-data.ts';
import {
  describeMemberRemoval,
  explainMemberRestriction,
  isDemotion,
  listAssignableRoles,
} from './member-rules.ts';
import { RoleField, TeamField } from './role-fields.tsx';
import { membersText } from './text.ts';

/** Renders a dialog that changes a member’s role and team, or removes the member. */
export function MemberDialog({
  row,
  all,
  onClose,
}: {
  readonly row: Member;
  readonly all: readonly Member[];
  readonly onClose: () => void;
}) {
  const me = useSignedInSession();
  const [before] = useState(row);
  const [role, setRole] = useState(row.role);
  const [team, setTeam] = useState(row.team ?? '');
  const [removing, setRemoving] = useState(false);
  const lockReason = explainMemberRestriction(row, all, me.role);
  const roles = listAssignableRoles(me.role).includes(row.role) ? listAssignableRoles(me.role) : [row.role];
  const save = useApiMutation(() => changeMember(row.id, changedFields(before, role, team.trim())), {
    touches: MEMBER_QUERY_KEYS,
    done: () => {
      showToast(membersText.member.saved(row.name || row.email));
      onClose();
    },
  });
  if (removing) return <Removal row={row} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={row.name || row.email} description={row.email}>
      <Form
        needs="members"
        error={save.error}
        running={save.running}
        onSubmit={() => save.run(undefined)}
        actions={
          <>
            <Button needs="members" disabled={lockReason !== null} onClick={() => setRemoving(true)}>
              {membersText.member.remove}
            </Button>
            <span className="flex-1" />
            <Button onClick={onClose}>{membersText.cancel}</Button>
            <Button type="submit" look="primary" needs="members" busy={save.running}>
              {membersText.member.save}
            </Button>
          </>
        }
      >
        <RoleLockNotice reason={lockReason} byGroup={row.source === 'oidc'} />
        <RoleField
          value={role}
          roles={roles}
          disabled={lockReason !== null}
          onChange={(next) => setRole(parseMemberRole(next))}
        />
        {isDemotion(row.role, role) && <LowerRoleNotice role={role} />}
        <TeamField value={team} onChange={setTeam} />
      </Form>
    </Dialog>
  );
}

/** Returns only the changed fields, so that another member's change of the other field is kept. */
function changedFields(before: Member, role: Member['role'], team: string) {
  return {
    ...(role === before.role ? {} : { role }),
    ...(team === (before.team ?? '') ? {} : { team: team || null }),
  };
}

function LowerRoleNotice({ role }: { readonly role: string }) {
  return <p className="text-small text-ink-2">{membersText.member.lowerRole(role)}</p>;
}

/** Explains why the role cannot be changed here. Renders nothing if it can be changed. */
function RoleLockNotice({ reason, byGroup }: { readonly reason: string | null; readonly byGroup: boolean }) {
  return (
    <>
      {reason && <Notice state="unknown">{reason}</Notice>}
      {byGroup && <Notice state="unknown">{membersText.member.roleFromGroup}</Notice>}
    </>
  );
}

function Removal({ row, onClose }: { readonly row: Member; readonly onClose: () => void }) {
  const name = row.name || row.email;
  const owned = useQuery(buildOwnedKeysQuery(row.email));
  const active = owned.data?.filter(({ status }) => status === 'active');
  return (
    <ConfirmChangeDialog
      sendChange={() => removeMember(row.id)}
      touches={MEMBER_QUERY_KEYS}
      onDone={() => {
        showToast(membersText.member.removal.done(name));
        onClose();
      }}
      onClose={onClose}
      title={membersText.member.removal.title(name)}
      verb={membersText.member.removal.verb}
      typed={row.email}
    >
      {owned.isPending
        ? membersText.member.removal.loading
        : describeMemberRemoval(name, active?.map((key) => key.name) ?? null)}
    </ConfirmChangeDialog>
  );
}

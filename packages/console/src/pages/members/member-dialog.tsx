import type { Member } from '@floe/contract/api/members';
import { parseMemberRole } from '@floe/contract/roles';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { useSignedIn } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmChange } from '../../ui/confirm-change.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { Form } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { changeMember, ownedKeysQuery, PEOPLE_TOUCHES, removeMember } from './member-data.ts';
import { endsWith, holdOn, isSmaller, rolesToGive } from './member-rules.ts';
import { RoleField, TeamField } from './role-fields.tsx';

/** One member: role and team, and the way out. */
export function MemberDialog({
  row,
  all,
  onClose,
}: {
  readonly row: Member;
  readonly all: readonly Member[];
  readonly onClose: () => void;
}) {
  const me = useSignedIn();
  const [role, setRole] = useState(row.role);
  const [team, setTeam] = useState(row.team ?? '');
  const [removing, setRemoving] = useState(false);
  const held = holdOn(row, all, me.role);
  const roles = rolesToGive(me.role).includes(row.role) ? rolesToGive(me.role) : [row.role];
  const save = useApiMutation(
    () => changeMember(row.id, { ...(role === row.role ? {} : { role }), team: team.trim() || null }),
    {
      touches: PEOPLE_TOUCHES,
      done: () => {
        showToast(`${row.name || row.email} saved`);
        onClose();
      },
    },
  );
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
            <Button needs="members" disabled={held !== null} onClick={() => setRemoving(true)}>
              Remove member…
            </Button>
            <span className="flex-1" />
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" needs="members" busy={save.running}>
              Save member
            </Button>
          </>
        }
      >
        <Held held={held} byGroup={row.source === 'oidc'} />
        <RoleField
          value={role}
          roles={roles}
          disabled={held !== null}
          onChange={(text) => setRole(parseMemberRole(text))}
        />
        {isSmaller(row.role, role) && <Narrowed role={role} />}
        <TeamField value={team} onChange={setTeam} />
      </Form>
    </Dialog>
  );
}

function Narrowed({ role }: { readonly role: string }) {
  return (
    <p className="text-small text-ink-2">
      Keys of theirs lose the scopes that {role} could not give; one that is left with none is revoked.
    </p>
  );
}

/** Why the role cannot be changed here, if it cannot. */
function Held({ held, byGroup }: { readonly held: string | null; readonly byGroup: boolean }) {
  return (
    <>
      {held && <Notice state="unknown">{held}</Notice>}
      {byGroup && (
        <Notice state="unknown">
          A group of the issuer gives this role, at each sign-in. Change the mapping in floe.yaml.
        </Notice>
      )}
    </>
  );
}

function Removal({ row, onClose }: { readonly row: Member; readonly onClose: () => void }) {
  const name = row.name || row.email;
  const keys = useQuery(ownedKeysQuery(row.email)).data ?? [];
  const active = keys.filter(({ status }) => status === 'active');
  return (
    <ConfirmChange
      make={() => removeMember(row.id)}
      touches={PEOPLE_TOUCHES}
      onDone={() => {
        showToast(`${name} removed`);
        onClose();
      }}
      onClose={onClose}
      title={`Remove ${name}`}
      verb="Remove member"
      typed={row.email}
    >
      {endsWith(
        name,
        active.map((key) => key.name),
      )}
    </ConfirmChange>
  );
}

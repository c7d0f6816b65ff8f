import { parseMemberRole } from '@floe/contract/roles';
import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { useSignedInSession } from '../../data/session.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { OneTimeSecretDialog } from '../../ui/one-time-secret-dialog.tsx';
import { type CreatedInvitation, inviteMember, MEMBER_QUERY_KEYS } from './member-data.ts';
import { listAssignableRoles } from './member-rules.ts';
import { RoleField, TeamField } from './role-fields.tsx';
import { membersText } from './text.ts';

const DAYS = [
  { value: '1', label: membersText.invite.days['1'] },
  { value: '7', label: membersText.invite.days['7'] },
  { value: '30', label: membersText.invite.days['30'] },
] as const;

/** Renders a dialog that invites a person with a one-time link. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { role: mine } = useSignedInSession();
  const [draft, setDraft] = useState({ email: '', role: parseMemberRole('member'), team: '', days: '7' });
  const [created, setCreated] = useState<CreatedInvitation | null>(null);
  const create = useApiMutation(
    (_: undefined, keys) => {
      const { email, role, team, days } = draft;
      const offer = { email: email.trim(), role, team: team || null, expires_in_days: Number(days) };
      return inviteMember(offer, keys);
    },
    { touches: MEMBER_QUERY_KEYS, done: setCreated },
  );
  if (created) return <InvitationLink invitation={created} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={membersText.invite.title}>
      <Form
        needs="members"
        error={create.error}
        running={create.running}
        onSubmit={() => create.run(undefined)}
        actions={
          <>
            <Button onClick={onClose}>{membersText.cancel}</Button>
            <Button type="submit" look="primary" busy={create.running}>
              {membersText.invite.submit}
            </Button>
          </>
        }
      >
        <FormField name="email" label={membersText.invite.email} hint={membersText.invite.emailHint}>
          <Input
            type="email"
            autoComplete="off"
            value={draft.email}
            onChange={({ target }) => setDraft({ ...draft, email: target.value })}
          />
        </FormField>
        <RoleField
          value={draft.role}
          roles={listAssignableRoles(mine)}
          onChange={(role) => setDraft({ ...draft, role: parseMemberRole(role) })}
        />
        <TeamField value={draft.team} onChange={(team) => setDraft({ ...draft, team })} />
        <FormField name="expires_in_days" label={membersText.invite.expires}>
          <Select
            choices={DAYS}
            value={draft.days}
            onChange={({ target }) => setDraft({ ...draft, days: target.value })}
          />
        </FormField>
      </Form>
    </Dialog>
  );
}

function InvitationLink({
  invitation: { email, link, email_status: mail, expires_at },
  onClose,
}: {
  readonly invitation: CreatedInvitation;
  readonly onClose: () => void;
}) {
  return (
    <OneTimeSecretDialog
      title={membersText.invite.created(email)}
      secret={link}
      label={membersText.invite.copy}
      what="link"
      onClose={onClose}
    >
      <p className="text-ui text-ink-2">
        {membersText.invite.mail[mail]}
        {membersText.invite.validUntil(formatFullDateTime(new Date(expires_at), getBrowserTimeZone()))}
      </p>
    </OneTimeSecretDialog>
  );
}

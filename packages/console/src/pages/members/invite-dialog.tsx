import { parseMemberRole } from '@floe/contract/roles';
import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { useSignedIn } from '../../data/session.ts';
import { browserZone, formatFullTime } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { type CreatedInvitation, invite, PEOPLE_TOUCHES } from './member-data.ts';
import { rolesToGive } from './member-rules.ts';
import { RoleField, TeamField } from './role-fields.tsx';

const DAYS = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
] as const;

const MAILED = {
  off: 'No mail server is set up: send the link yourself.',
  sent: 'It was mailed too.',
  failed: 'The mail server did not take it: send the link yourself.',
} as const;

/** Asks somebody in, by a link that works once. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { role: mine } = useSignedIn();
  const [draft, setDraft] = useState({ email: '', role: parseMemberRole('member'), team: '', days: '7' });
  const [made, setMade] = useState<CreatedInvitation | null>(null);
  const create = useApiMutation(
    () =>
      invite({
        email: draft.email.trim(),
        role: draft.role,
        team: draft.team || null,
        expires_in_days: Number(draft.days),
      }),
    { touches: PEOPLE_TOUCHES, done: setMade },
  );
  if (made) return <Made invitation={made} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title="Invite somebody">
      <Form
        needs="members"
        error={create.error}
        running={create.running}
        onSubmit={() => create.run(undefined)}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={create.running}>
              Make the link
            </Button>
          </>
        }
      >
        <FormField name="email" label="E-mail" hint="The account that takes the link has this address.">
          <Input
            type="email"
            autoComplete="off"
            value={draft.email}
            onChange={({ target }) => setDraft({ ...draft, email: target.value })}
          />
        </FormField>
        <RoleField
          value={draft.role}
          roles={rolesToGive(mine)}
          onChange={(role) => setDraft({ ...draft, role: parseMemberRole(role) })}
        />
        <TeamField value={draft.team} onChange={(team) => setDraft({ ...draft, team })} />
        <FormField name="expires_in_days" label="The link ends after">
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

function Made({
  invitation: { email, link, email_status: mail, expires_at },
  onClose,
}: {
  readonly invitation: CreatedInvitation;
  readonly onClose: () => void;
}) {
  return (
    <SecretOnce title={`Invitation for ${email}`} secret={link} label="Copy link" onClose={onClose}>
      <p className="text-ui text-ink-2">
        {MAILED[mail]} It works once, until {formatFullTime(new Date(expires_at), browserZone())}.
      </p>
    </SecretOnce>
  );
}

import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { browserZone, formatFullTime } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { acceptInvitation, type SetupPreview, setUp } from './sign-in-data.ts';

const SAID = {
  first: {
    title: 'Welcome to Floe',
    text: 'You are the first person here, so you become the owner.',
    button: 'Start',
  },
  owner: {
    title: 'Become an owner',
    text: 'With an account here already, give its e-mail and a new password: its other sessions end.',
    button: 'Become an owner',
  },
  invitation: {
    title: null,
    text: 'Without an account yet, choose a password. With one, enter its own.',
    button: 'Accept the invitation',
  },
} as const;

/** An account for who came by a one-time link. */
export function NewAccount({
  kind,
  token,
  link,
  onEntered,
}: {
  readonly kind: keyof typeof SAID;
  readonly token: string;
  /** Of a link that makes an owner: of what, and until when. */
  readonly link?: SetupPreview;
  readonly onEntered: () => void;
}) {
  const [account, setAccount] = useState({ name: '', email: '', password: '' });
  const make = useApiMutation(() => (link ? setUp(token, account) : acceptInvitation(token, account)), {
    done: onEntered,
  });
  const { title, text, button } = SAID[kind];
  const put = (name: keyof typeof account) => ({
    value: account[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setAccount({ ...account, [name]: target.value }),
  });
  return (
    <div className="grid gap-4">
      {title && <h1 className="text-display font-semibold tracking-tight">{title}</h1>}
      <p className="text-body text-ink-2">
        {text}
        {link &&
          ` This link works once and ends at ${formatFullTime(new Date(link.expires_at), browserZone())}.`}
      </p>
      {link && <p className="text-small text-ink-3">Organization: {link.org.name}</p>}
      <Form
        error={make.error}
        running={make.running}
        unsaved={false}
        onSubmit={() => make.run(undefined)}
        actions={
          <Button type="submit" look="primary" busy={make.running} className="w-full">
            {button}
          </Button>
        }
      >
        <FormField name="name" label="Name">
          <Input autoComplete="name" {...put('name')} />
        </FormField>
        {link && (
          <FormField name="email" label="E-mail">
            <Input type="email" autoComplete="username" {...put('email')} />
          </FormField>
        )}
        <FormField name="password" label="Password" hint="At least 12 characters; a sentence is fine.">
          <Input type="password" autoComplete="new-password" {...put('password')} />
        </FormField>
      </Form>
    </div>
  );
}

import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { canUsePasskeys } from '../../data/passkey.ts';
import type { SignedOutSession } from '../../data/session.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { acceptInvitationLink, createOwnerAccount, type SetupPreview } from './sign-in-data.ts';
import { signInText } from './text.ts';

const labels = signInText.account;

type ChangedInput = { readonly target: { readonly value: string } };

/**
 * Renders the form that a one-time link opens. The user creates an account or enters the password of an existing
 * account.
 */
export function AccountForm({
  kind,
  token,
  link,
  methods,
  onEntered,
}: {
  readonly kind: 'first' | 'owner' | 'invitation';
  readonly token: string;
  /** The organization and expiry time of a link that creates an owner. */
  readonly link?: SetupPreview;
  /** The sign-in methods of this installation. Without passwords, the form does not ask for one. */
  readonly methods: SignedOutSession['methods'];
  readonly onEntered: () => void;
}) {
  const [entered, setEntered] = useState({ name: '', email: '', password: '' });
  const save = useApiMutation(
    () => {
      const account = { ...entered, password: methods.password ? entered.password : undefined };
      return link ? createOwnerAccount(token, account) : acceptInvitationLink(token, account);
    },
    { done: onEntered },
  );
  const put = (name: keyof typeof entered) => ({
    value: entered[name],
    onChange: ({ target }: ChangedInput) => setEntered({ ...entered, [name]: target.value }),
  });
  return (
    <div className="grid gap-4">
      <AccountFormHeading kind={kind} link={link} hasPassword={methods.password} />
      <Form
        error={save.error}
        running={save.running}
        unsaved={false}
        onSubmit={() => save.run(undefined)}
        actions={
          <Button type="submit" look="primary" busy={save.running} className="w-full">
            {signInText.account[kind].button}
          </Button>
        }
      >
        <FormField name="name" label={labels.name}>
          <Input autoComplete="name" {...put('name')} />
        </FormField>
        {link && (
          <FormField name="email" label={labels.email}>
            <Input type="email" autoComplete="username" {...put('email')} />
          </FormField>
        )}
        {methods.password ? (
          <FormField name="password" label={labels.password} hint={labels.passwordHint}>
            <Input type="password" autoComplete="new-password" {...put('password')} />
          </FormField>
        ) : (
          <NextSignIn methods={methods} />
        )}
      </Form>
    </div>
  );
}

function AccountFormHeading({
  kind,
  link,
  hasPassword,
}: {
  readonly kind: 'first' | 'owner' | 'invitation';
  readonly link: SetupPreview | undefined;
  readonly hasPassword: boolean;
}) {
  const { title, about, aboutWithoutPassword } = signInText.account[kind];
  return (
    <>
      {title && <h1 className="text-display font-semibold tracking-tight">{title}</h1>}
      <p className="text-body text-ink-2">
        {hasPassword ? about : aboutWithoutPassword}
        {link &&
          signInText.account.linkExpires(formatFullDateTime(new Date(link.expires_at), getBrowserTimeZone()))}
      </p>
      {link && <p className="text-small text-ink-3">{signInText.account.organization(link.org.name)}</p>}
    </>
  );
}

/** Tells a person without a password how to sign in later. */
function NextSignIn({ methods }: { readonly methods: SignedOutSession['methods'] }) {
  const names = methods.oidc.map(({ name }) => name);
  const others = methods.passkey && canUsePasskeys() ? [...names, signInText.account.passkey] : names;
  return <p className="text-small text-ink-3">{signInText.account.nextSignIn(others)}</p>;
}

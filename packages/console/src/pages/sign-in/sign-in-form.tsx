import { Fingerprint } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ApiError } from '../../data/api-error.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { canUsePasskeys } from '../../data/passkey.ts';
import { redirectToIssuer } from '../../data/redirect-to-issuer.ts';
import type { SignedOutSession } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { signInWithPasskey, signInWithPassword } from './sign-in-data.ts';
import { signInText } from './text.ts';

/** Renders a form with the sign-in methods of this installation. */
export function SignInForm({
  methods,
  next,
  onEntered,
}: {
  readonly methods: SignedOutSession['methods'];
  /** The path to open after sign-in. */
  readonly next: string;
  readonly onEntered: () => void;
}) {
  const byPasskey = useApiMutation(signInWithPasskey, { done: onEntered });
  const hasPasskey = methods.passkey && canUsePasskeys();
  return (
    <div className="grid gap-4">
      <h1 className="text-body font-semibold">{signInText.form.title}</h1>
      {hasPasskey && (
        <Button icon={Fingerprint} busy={byPasskey.running} onClick={() => byPasskey.run(undefined)}>
          {signInText.form.passkey}
        </Button>
      )}
      {byPasskey.error && (
        <p role="alert" className="text-small text-failing-ink">
          {byPasskey.error.message}
        </p>
      )}
      {methods.oidc.map(({ name }) => (
        <Button key={name} onClick={() => redirectToIssuer(name, next)}>
          {signInText.form.issuer(name)}
        </Button>
      ))}
      {methods.password && <PasswordForm onEntered={onEntered} />}
      {!methods.password && !hasPasskey && methods.oidc.length === 0 && (
        <Notice>{signInText.form.noMethod}</Notice>
      )}
    </div>
  );
}

function PasswordForm({ onEntered }: { readonly onEntered: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const byPassword = useApiMutation(() => signInWithPassword(email, password), { done: onEntered });
  const wait = useWait(byPassword.error);
  return (
    <Form
      error={byPassword.error}
      running={byPassword.running || wait > 0}
      unsaved={false}
      onSubmit={() => byPassword.run(undefined)}
      actions={
        <Button type="submit" look="primary" busy={byPassword.running} className="w-full">
          {wait > 0 ? signInText.form.wait(wait) : signInText.form.submit}
        </Button>
      }
    >
      <FormField name="email" label={signInText.form.email}>
        <Input
          type="email"
          autoComplete="username webauthn"
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
      </FormField>
      <FormField name="password" label={signInText.form.password}>
        <Input
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
      </FormField>
    </Form>
  );
}

/** Returns the seconds until the next attempt is allowed. */
function useWait(error: ApiError | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const ms = error?.status === 429 ? (error.retryAfterMs ?? 0) : 0;
    const until = performance.now() + ms;
    const count = () => setLeft(Math.max(0, Math.ceil((until - performance.now()) / 1000)));
    count();
    if (ms === 0) return;
    const timer = setInterval(count, 500);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}

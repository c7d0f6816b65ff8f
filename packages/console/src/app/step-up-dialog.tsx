import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { sendJson } from '../data/api-client.ts';
import { useApiMutation } from '../data/api-mutation.ts';
import { canUsePasskeys, requestPasskeyAssertion } from '../data/passkey.ts';
import { redirectToIssuer } from '../data/redirect-to-issuer.ts';
import { sessionQuery, useSignedInSession } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Input } from '../ui/field.tsx';
import { Form, FormField } from '../ui/form.tsx';

/**
 * Asks the user to confirm their identity before a sensitive change. The request that requires the confirmation
 * is then repeated.
 */
export function StepUpDialog({ onDone }: { readonly onDone: (confirmed: boolean) => void }) {
  const client = useQueryClient();
  const { methods } = useSignedInSession();
  const done = () => {
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    onDone(true);
  };
  const byPasskey = useApiMutation(confirmByPasskey, { done });
  return (
    <Dialog
      open
      onClose={() => onDone(false)}
      title="Confirm your identity"
      description="Confirm your identity to continue. You will not be asked again for 10 minutes."
    >
      <div className="grid gap-4">
        {methods.passkey && canUsePasskeys() && (
          <Button icon={Fingerprint} busy={byPasskey.running} onClick={() => byPasskey.run(undefined)}>
            Confirm with passkey
          </Button>
        )}
        {byPasskey.error && (
          <p role="alert" className="text-small text-failing-ink">
            {byPasskey.error.message}
          </p>
        )}
        {methods.oidc.map(({ name }) => (
          <IssuerButton key={name} name={name} />
        ))}
        {methods.oidc.length > 0 && (
          <p className="text-small text-ink-2">
            After you confirm with an identity provider, repeat the action.
          </p>
        )}
        {methods.password && <PasswordForm onDone={done} onCancel={() => onDone(false)} />}
      </div>
    </Dialog>
  );
}

function PasswordForm({ onDone, onCancel }: { readonly onDone: () => void; readonly onCancel: () => void }) {
  const [password, setPassword] = useState('');
  const byPassword = useApiMutation(() => sendJson('POST', 'api/session/step-up', { password }), {
    done: onDone,
  });
  return (
    <Form
      error={byPassword.error}
      running={byPassword.running}
      unsaved={false}
      onSubmit={() => byPassword.run(undefined)}
      actions={
        <>
          <Button onClick={onCancel}>Cancel</Button>
          <Button type="submit" look="primary" busy={byPassword.running}>
            Confirm
          </Button>
        </>
      }
    >
      <FormField name="password" label="Password">
        <Input
          type="password"
          autoComplete="current-password"
          autoFocus
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
      </FormField>
    </Form>
  );
}

/**
 * The identity provider confirms the identity on its own page, so the user must repeat the action afterwards.
 */
function IssuerButton({ name }: { readonly name: string }) {
  const { href } = useLocation();
  return (
    <Button onClick={() => redirectToIssuer(name, href, { step_up: 'true' })}>Confirm with {name}</Button>
  );
}

async function confirmByPasskey(): Promise<unknown> {
  const options = await sendJson<unknown>('POST', 'api/session/passkey/options');
  return sendJson('POST', 'api/session/step-up', { passkey: await requestPasskeyAssertion(options) });
}

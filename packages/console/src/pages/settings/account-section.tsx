import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { sessionQuery, useSignedInSession } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/cards.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { AccountIdentityProviders } from './account-identity-providers.tsx';
import { AccountPasskeys } from './account-passkeys.tsx';
import { AccountSessions } from './account-sessions.tsx';
import { changeOwnName, changeOwnPassword } from './settings-data.ts';
import { settingsText } from './text.ts';

/** Shows the profile, sign-in methods and sessions of the signed-in user. */
export function AccountSection() {
  const { methods } = useSignedInSession();
  return (
    <>
      <Profile />
      {methods.password && <Password />}
      <AccountIdentityProviders />
      <AccountPasskeys />
      <AccountSessions />
    </>
  );
}

function Profile() {
  const { user } = useSignedInSession();
  const [name, setName] = useState(user.name);
  const save = useApiMutation(() => changeOwnName(name.trim()), {
    touches: [sessionQuery.queryKey, ['members']],
    done: () => showToast(settingsText.profile.saved),
  });
  return (
    <Card title={settingsText.profile.title} aside={user.email}>
      <Form
        error={save.error}
        running={save.running}
        onSubmit={() => save.run(undefined)}
        actions={
          <Button type="submit" look="primary" busy={save.running} disabled={name.trim() === user.name}>
            {settingsText.profile.save}
          </Button>
        }
      >
        <FormField name="name" label={settingsText.profile.name} hint={settingsText.profile.nameHint}>
          <Input autoComplete="name" value={name} onChange={({ target }) => setName(target.value)} />
        </FormField>
      </Form>
    </Card>
  );
}

function Password() {
  const { user } = useSignedInSession();
  const [password, setPassword] = useState('');
  const save = useApiMutation(() => changeOwnPassword(password), {
    touches: [['own-sessions']],
    done: () => {
      setPassword('');
      showToast(settingsText.password.changed);
    },
  });
  return (
    <Card title={settingsText.password.title}>
      <Form
        error={save.error}
        running={save.running}
        onSubmit={() => save.run(undefined)}
        actions={
          <Button type="submit" look="primary" busy={save.running} disabled={password === ''}>
            {settingsText.password.change}
          </Button>
        }
      >
        {/* Password managers need the user name of the account. */}
        <input type="hidden" autoComplete="username" value={user.email} />
        <FormField name="password" label={settingsText.password.label} hint={settingsText.password.hint}>
          <Input
            type="password"
            autoComplete="new-password"
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        </FormField>
      </Form>
    </Card>
  );
}

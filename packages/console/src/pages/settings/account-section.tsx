import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { sessionQuery, useSignedIn } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/cards.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { OwnIdentities } from './own-identities.tsx';
import { OwnPasskeys } from './own-passkeys.tsx';
import { OwnSessions } from './own-sessions.tsx';
import { changeName, changePassword } from './settings-data.ts';

/** Who you are here, how you sign in, and where you are. */
export function AccountSection() {
  return (
    <>
      <Profile />
      <Password />
      <OwnIdentities />
      <OwnPasskeys />
      <OwnSessions />
    </>
  );
}

function Profile() {
  const { user } = useSignedIn();
  const [name, setName] = useState(user.name);
  const save = useApiMutation(() => changeName(name.trim()), {
    touches: [sessionQuery.queryKey, ['members']],
    done: () => showToast('Name saved'),
  });
  return (
    <Card title="Profile" aside={user.email}>
      <Form
        error={save.error}
        running={save.running}
        onSubmit={() => save.run(undefined)}
        actions={
          <Button type="submit" look="primary" busy={save.running} disabled={name.trim() === user.name}>
            Save name
          </Button>
        }
      >
        <FormField name="name" label="Name" hint="Others see it in the audit log and on changes.">
          <Input autoComplete="name" value={name} onChange={({ target }) => setName(target.value)} />
        </FormField>
      </Form>
    </Card>
  );
}

function Password() {
  const { user } = useSignedIn();
  const [password, setPassword] = useState('');
  const save = useApiMutation(() => changePassword(password), {
    touches: [['own-sessions']],
    done: () => {
      setPassword('');
      showToast('Password changed. You are signed out everywhere else.');
    },
  });
  return (
    <Card title="Password">
      <Form
        error={save.error}
        running={save.running}
        onSubmit={() => save.run(undefined)}
        actions={
          <Button type="submit" look="primary" busy={save.running} disabled={password === ''}>
            Change password
          </Button>
        }
      >
        {/* Password managers want to know whose password it is. */}
        <input type="hidden" autoComplete="username" value={user.email} />
        <FormField
          name="password"
          label="New password"
          hint="At least 12 characters; a sentence is fine. Every other session of yours ends."
        >
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

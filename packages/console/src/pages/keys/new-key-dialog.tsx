import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { buildApiUrl } from '../../data/base-url.ts';
import { getServerTime } from '../../data/server-clock.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { OneTimeSecretDialog } from '../../ui/one-time-secret-dialog.tsx';
import { type CreatedKey, createKey, type KeyCreationInput, PLATFORM_KEY_QUERY_KEYS } from './key-data.ts';
import { KeyFields, NEW_KEY_FORM, toKeyBody } from './key-fields.tsx';
import { KEY_LIFETIMES, toExpiryTime } from './key-status.ts';
import { keysText } from './text.ts';

/** Renders a dialog that creates a key and then shows its value once. */
export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(NEW_KEY_FORM);
  // The time is computed once, so that a repeated submission sends the same request.
  const [expiry, setExpiry] = useState(() => toExpiry('90'));
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const create = useApiMutation((key: KeyCreationInput, keys) => createKey(key, keys), {
    touches: PLATFORM_KEY_QUERY_KEYS,
    done: setCreated,
  });
  if (created)
    return (
      <OneTimeSecretDialog
        title={keysText.create.created(created.name)}
        secret={created.key}
        label={keysText.create.copy}
        what="key"
        onClose={onClose}
      >
        {created.scopes.includes('gateway') && (
          <CodeBlock snippets={[{ label: keysText.create.shell, code: EXAMPLE }]} />
        )}
      </OneTimeSecretDialog>
    );
  return (
    <Dialog open onClose={onClose} title={keysText.create.title}>
      <Form
        error={create.error}
        running={create.running}
        onSubmit={() => create.run({ ...toKeyBody(draft), expires_at: expiry.at })}
        actions={
          <>
            <Button onClick={onClose}>{keysText.create.cancel}</Button>
            <Button type="submit" look="primary" busy={create.running}>
              {keysText.create.submit}
            </Button>
          </>
        }
      >
        <KeyFields draft={draft} onChange={setDraft} />
        <FormField
          name="expires_at"
          label={keysText.fields.expires}
          hint={expiry.lifetime === 'never' ? keysText.fields.neverExpiresHint : undefined}
        >
          <Select
            choices={KEY_LIFETIMES}
            value={expiry.lifetime}
            onChange={({ target }) => setExpiry(toExpiry(target.value))}
          />
        </FormField>
      </Form>
    </Dialog>
  );
}

function toExpiry(lifetime: string) {
  return { lifetime, at: toExpiryTime(lifetime, getServerTime()) };
}

const EXAMPLE = [
  `export FLOE_API_KEY=${keysText.create.placeholder}`,
  `curl -fsS ${buildApiUrl('gateway/v1/models').href} -H "Authorization: Bearer $FLOE_API_KEY"`,
].join('\n');

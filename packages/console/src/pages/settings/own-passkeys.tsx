import { useQuery } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { canUsePasskeys } from '../../data/passkey.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/cards.tsx';
import { ConfirmChange } from '../../ui/confirm-change.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { TimeText } from '../../ui/time-text.tsx';
import { showToast } from '../../ui/toast.tsx';
import { addPasskey, type Passkey, passkeysQuery, removePasskey, renamePasskey } from './settings-data.ts';

type Asked = { readonly kind: 'add' } | { readonly kind: 'rename' | 'remove'; readonly row: Passkey };

/** The passkeys of one's account. */
export function OwnPasskeys() {
  const { data, error, refetch } = useQuery(passkeysQuery);
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  return (
    <Card title="Passkeys">
      {error ? (
        <ErrorState what="Could not load passkeys." error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton className="h-16" />
      ) : (
        <div className="grid gap-3">
          <PasskeyRows rows={data.data} onAsk={setAsked} />
          <div>
            <Button icon={Fingerprint} disabled={!canUsePasskeys()} onClick={() => setAsked({ kind: 'add' })}>
              Add a passkey
            </Button>
            {!canUsePasskeys() && (
              <p className="mt-1 text-small text-ink-3">
                Browsers allow passkeys on https and localhost only.
              </p>
            )}
          </div>
        </div>
      )}
      {asked?.kind === 'remove' && <Removal row={asked.row} onClose={close} />}
      {(asked?.kind === 'add' || asked?.kind === 'rename') && (
        <NameDialog row={asked.kind === 'rename' ? asked.row : null} onClose={close} />
      )}
    </Card>
  );
}

function PasskeyRows({
  rows,
  onAsk,
}: {
  readonly rows: readonly Passkey[];
  readonly onAsk: (asked: Asked) => void;
}) {
  if (rows.length === 0)
    return (
      <p className="text-ui text-ink-2">
        None yet. A passkey signs you in with a finger, a face or a PIN, and cannot be guessed.
      </p>
    );
  return (
    <ul className="divide-y divide-line">
      {rows.map((row) => (
        <li key={row.id} className="flex flex-wrap items-center gap-x-3 py-1.5 text-ui">
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">{row.name}</span>
            <span className="text-small text-ink-2">
              {row.last_used_at ? (
                <>
                  used <TimeText at={row.last_used_at} />
                </>
              ) : (
                'never used'
              )}
              {row.backed_up && ' · kept by a password manager'}
            </span>
          </span>
          <Button look="quiet" onClick={() => onAsk({ kind: 'rename', row })}>
            Rename
          </Button>
          <Button look="quiet" onClick={() => onAsk({ kind: 'remove', row })}>
            Remove
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** The name of a passkey: of a new one for null. */
function NameDialog({ row, onClose }: { readonly row: Passkey | null; readonly onClose: () => void }) {
  const [name, setName] = useState(row?.name ?? '');
  const [refused, setRefused] = useState<string | null>(null);
  const save = useApiMutation(
    async () => {
      setRefused(null);
      try {
        await (row ? renamePasskey(row.id, name) : addPasskey(name));
        return true;
      } catch (error) {
        // The browser's own refusal: the person said no, or waited too long.
        if (!(error instanceof DOMException)) throw error;
        setRefused('The browser made no passkey. Try again, or use another device.');
        return false;
      }
    },
    {
      touches: [passkeysQuery.queryKey],
      done: (saved) => {
        if (saved) onClose();
      },
    },
  );
  return (
    <Dialog open onClose={onClose} title={row ? `Rename ${row.name}` : 'Add a passkey'}>
      <Form
        error={save.error}
        running={save.running}
        onSubmit={() => save.run(undefined)}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={save.running}>
              {row ? 'Save name' : 'Make the passkey'}
            </Button>
          </>
        }
      >
        <FormField name="name" label="Name" hint="Where it is: laptop, phone, key ring." problem={refused}>
          <Input autoComplete="off" value={name} onChange={({ target }) => setName(target.value)} />
        </FormField>
      </Form>
    </Dialog>
  );
}

function Removal({ row, onClose }: { readonly row: Passkey; readonly onClose: () => void }) {
  return (
    <ConfirmChange
      make={() => removePasskey(row.id)}
      touches={[passkeysQuery.queryKey]}
      onDone={() => {
        showToast(`Passkey ${row.name} removed`);
        onClose();
      }}
      onClose={onClose}
      title={`Remove passkey ${row.name}`}
      verb="Remove passkey"
    >
      It signs in no more. Remove it from the device or the password manager too.
    </ConfirmChange>
  );
}

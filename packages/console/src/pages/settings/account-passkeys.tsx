import { useQuery } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { canUsePasskeys } from '../../data/passkey.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/cards.tsx';
import { ConfirmChangeDialog } from '../../ui/confirm-change-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { showToast } from '../../ui/toast.tsx';
import { addPasskey, type Passkey, passkeysQuery, removePasskey, renamePasskey } from './settings-data.ts';
import { settingsText } from './text.ts';

type Asked = { readonly kind: 'add' } | { readonly kind: 'rename' | 'remove'; readonly row: Passkey };

/** Lists the passkeys of the signed-in user. */
export function AccountPasskeys() {
  const { data, error, refetch } = useQuery(passkeysQuery);
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  return (
    <Card title={settingsText.passkeys.title}>
      {error && !data ? (
        <ErrorState what={settingsText.passkeys.loadFailed} error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton className="h-16" />
      ) : (
        <div className="grid gap-3">
          <PasskeyRows rows={data.data} onAsk={setAsked} />
          <div>
            <Button icon={Fingerprint} disabled={!canUsePasskeys()} onClick={() => setAsked({ kind: 'add' })}>
              {settingsText.passkeys.add}
            </Button>
            {!canUsePasskeys() && (
              <p className="mt-1 text-small text-ink-3">{settingsText.passkeys.unavailable}</p>
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
  if (rows.length === 0) return <p className="text-ui text-ink-2">{settingsText.passkeys.none}</p>;
  return (
    <ul className="divide-y divide-line">
      {rows.map((row) => (
        <li key={row.id} className="flex flex-wrap items-center gap-x-3 py-1.5 text-ui">
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">{row.name}</span>
            <span className="text-small text-ink-2">
              {row.last_used_at ? (
                <>
                  {settingsText.passkeys.used} <RelativeTimeText at={row.last_used_at} />
                </>
              ) : (
                settingsText.passkeys.neverUsed
              )}
              {row.backed_up && settingsText.passkeys.backedUp}
            </span>
          </span>
          <Button look="quiet" onClick={() => onAsk({ kind: 'rename', row })}>
            {settingsText.passkeys.rename}
          </Button>
          <Button look="quiet" onClick={() => onAsk({ kind: 'remove', row })}>
            {settingsText.passkeys.remove}
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Edits the name of a passkey. With a null row, adds a new passkey. */
function NameDialog({ row, onClose }: { readonly row: Passkey | null; readonly onClose: () => void }) {
  const [name, setName] = useState(row?.name ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const save = useApiMutation(
    async () => {
      setProblem(null);
      try {
        await (row ? renamePasskey(row.id, name) : addPasskey(name));
        return true;
      } catch (error) {
        // The browser throws a DOMException if the user cancels or the prompt times out.
        if (!(error instanceof DOMException)) throw error;
        setProblem(settingsText.passkeys.browserFailed);
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
    <Dialog
      open
      onClose={onClose}
      title={row ? settingsText.passkeys.renameTitle(row.name) : settingsText.passkeys.add}
    >
      <Form
        error={save.error}
        running={save.running}
        onSubmit={() => save.run(undefined)}
        actions={
          <>
            <Button onClick={onClose}>{settingsText.passkeys.cancel}</Button>
            <Button type="submit" look="primary" busy={save.running}>
              {row ? settingsText.passkeys.saveName : settingsText.passkeys.create}
            </Button>
          </>
        }
      >
        <FormField
          name="name"
          label={settingsText.passkeys.name}
          hint={settingsText.passkeys.nameHint}
          problem={problem}
        >
          <Input autoComplete="off" value={name} onChange={({ target }) => setName(target.value)} />
        </FormField>
      </Form>
    </Dialog>
  );
}

function Removal({ row, onClose }: { readonly row: Passkey; readonly onClose: () => void }) {
  return (
    <ConfirmChangeDialog
      sendChange={() => removePasskey(row.id)}
      touches={[passkeysQuery.queryKey]}
      onDone={() => {
        showToast(settingsText.passkeys.removal.done(row.name));
        onClose();
      }}
      onClose={onClose}
      title={settingsText.passkeys.removal.title(row.name)}
      verb={settingsText.passkeys.remove}
    >
      {settingsText.passkeys.removal.effect}
    </ConfirmChangeDialog>
  );
}

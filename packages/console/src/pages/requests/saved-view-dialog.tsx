import { useState } from 'react';
import type { IdempotencyKeys } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { requestListMenusText } from './request-list-menus-text.ts';
import type { SavedView } from './saved-views.ts';

/** Renders a dialog that edits the name of a view and whether it is shared. */
export function SavedViewDialog({
  title,
  from,
  saveView,
  onClose,
  onDone,
}: {
  readonly title: string;
  readonly from?: SavedView;
  readonly saveView: (name: string, shared: boolean, keys: IdempotencyKeys) => Promise<SavedView>;
  readonly onClose: () => void;
  readonly onDone: (saved: SavedView) => void;
}) {
  const [name, setName] = useState(from?.name ?? '');
  const [shared, setShared] = useState(from?.shared ?? false);
  const refusal = useDenialReason('management');
  const save = useApiMutation((_: undefined, keys) => saveView(name.trim(), shared, keys), {
    touches: [['views']],
    done(saved) {
      onDone(saved);
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={title}>
      <Form
        onSubmit={() => save.run(undefined)}
        error={save.error}
        running={save.running}
        actions={
          <>
            <Button onClick={onClose}>{requestListMenusText.views.cancel}</Button>
            <Button type="submit" look="primary" busy={save.running}>
              {requestListMenusText.views.save}
            </Button>
          </>
        }
      >
        <FormField name="name" label={requestListMenusText.views.name}>
          <Input
            value={name}
            placeholder={requestListMenusText.views.namePlaceholder}
            onChange={({ target }) => setName(target.value)}
          />
        </FormField>
        <Checkbox
          label={requestListMenusText.views.shared}
          checked={shared}
          disabled={refusal !== null}
          onChange={setShared}
          hint={refusal ?? requestListMenusText.views.sharedHelp}
        />
      </Form>
    </Dialog>
  );
}

import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { OneTimeSecretDialog } from '../../ui/one-time-secret-dialog.tsx';
import { useNow } from '../../ui/relative-time-text.tsx';
import { type CreatedKey, type KeyResource, PLATFORM_KEY_QUERY_KEYS, rotateKey } from './key-data.ts';
import { isRotating } from './key-status.ts';
import { keysText } from './text.ts';

const OVERLAPS = [
  { value: '0', label: keysText.rotate.overlaps['0'] },
  { value: '1', label: keysText.rotate.overlaps['1'] },
  { value: '24', label: keysText.rotate.overlaps['24'] },
  { value: '168', label: keysText.rotate.overlaps['168'] },
] as const;

/** Renders a dialog that gives a key a new value. The user selects how long the old value stays valid. */
export function RotateKeyDialog({
  row,
  onClose,
}: {
  readonly row: KeyResource;
  readonly onClose: () => void;
}) {
  const rotating = isRotating(row, useNow());
  // If the response to a rotation is lost, the key is rotating, but the form keeps the choice of the user.
  const [choices] = useState(rotating ? OVERLAPS.slice(0, 1) : OVERLAPS);
  const [overlap, setOverlap] = useState(rotating ? '0' : '24');
  const [rotated, setRotated] = useState<CreatedKey | null>(null);
  const rotate = useApiMutation((_: undefined, keys) => rotateKey(row.id, Number(overlap), keys), {
    touches: PLATFORM_KEY_QUERY_KEYS,
    done: setRotated,
  });
  if (rotated)
    return (
      <OneTimeSecretDialog
        title={keysText.rotate.rotated(row.name)}
        secret={rotated.key}
        label={keysText.rotate.copy}
        what="key"
        onClose={onClose}
      />
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={keysText.rotate.title(row.name)}
      description={keysText.rotate.description}
    >
      <Form
        error={rotate.error}
        running={rotate.running}
        onSubmit={() => rotate.run(undefined)}
        actions={
          <>
            <Button onClick={onClose}>{keysText.rotate.cancel}</Button>
            <Button type="submit" look="primary" busy={rotate.running}>
              {keysText.rotate.submit}
            </Button>
          </>
        }
      >
        <FormField
          name="overlap_hours"
          label={keysText.rotate.overlap}
          hint={rotating ? keysText.rotate.alreadyRotating : undefined}
        >
          <Select choices={choices} value={overlap} onChange={({ target }) => setOverlap(target.value)} />
        </FormField>
      </Form>
    </Dialog>
  );
}

import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { useNow } from '../../ui/time-text.tsx';
import { type CreatedKey, KEY_QUERY_KEYS, type Key, rotateKey } from './key-data.ts';
import { isRotating } from './key-status.ts';
import { text } from './text.ts';

const OVERLAPS = [
  { value: '0', label: text.rotate.overlaps['0'] },
  { value: '1', label: text.rotate.overlaps['1'] },
  { value: '24', label: text.rotate.overlaps['24'] },
  { value: '168', label: text.rotate.overlaps['168'] },
] as const;

/** Gives the key a new value. The old value can stay valid for a while. */
export function RotateKey({ row, onClose }: { readonly row: Key; readonly onClose: () => void }) {
  const rotating = isRotating(row, useNow());
  const [overlap, setOverlap] = useState(rotating ? '0' : '24');
  const [rotated, setRotated] = useState<CreatedKey | null>(null);
  const rotate = useApiMutation(() => rotateKey(row.id, Number(overlap)), {
    touches: KEY_QUERY_KEYS,
    done: setRotated,
  });
  if (rotated)
    return (
      <SecretOnce
        title={text.rotate.rotated(row.name)}
        secret={rotated.key}
        label={text.rotate.copy}
        what="key"
        onClose={onClose}
      />
    );
  return (
    <Dialog open onClose={onClose} title={text.rotate.title(row.name)} description={text.rotate.description}>
      <Form
        error={rotate.error}
        running={rotate.running}
        onSubmit={() => rotate.run(undefined)}
        actions={
          <>
            <Button onClick={onClose}>{text.rotate.cancel}</Button>
            <Button type="submit" look="primary" busy={rotate.running}>
              {text.rotate.submit}
            </Button>
          </>
        }
      >
        <FormField
          name="overlap_hours"
          label={text.rotate.overlap}
          hint={rotating ? text.rotate.alreadyRotating : undefined}
        >
          <Select
            choices={rotating ? OVERLAPS.slice(0, 1) : OVERLAPS}
            value={overlap}
            onChange={({ target }) => setOverlap(target.value)}
          />
        </FormField>
      </Form>
    </Dialog>
  );
}

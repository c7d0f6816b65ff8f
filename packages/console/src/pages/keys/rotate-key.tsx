import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { useNow } from '../../ui/time-text.tsx';
import { type CreatedKey, KEY_TOUCHES, type Key, rotateKey } from './key-data.ts';
import { isRotating } from './key-state.ts';

const OVERLAPS = [
  { value: '0', label: 'At once' },
  { value: '1', label: 'After 1 hour' },
  { value: '24', label: 'After 24 hours' },
  { value: '168', label: 'After 7 days' },
] as const;

/** Another value for the same key; the one before works on for a while. */
export function RotateKey({ row, onClose }: { readonly row: Key; readonly onClose: () => void }) {
  const twice = isRotating(row, useNow());
  const [overlap, setOverlap] = useState(twice ? '0' : '24');
  const [made, setMade] = useState<CreatedKey | null>(null);
  const rotate = useApiMutation(() => rotateKey(row.id, Number(overlap)), {
    touches: KEY_TOUCHES,
    done: setMade,
  });
  if (made)
    return (
      <SecretOnce title={`New value of ${row.name}`} secret={made.key} label="Copy key" onClose={onClose} />
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Rotate ${row.name}`}
      description="The key gets a new value and keeps its limits, budgets and history. Whoever uses the old value is told so with each answer."
    >
      <Form
        error={rotate.error}
        running={rotate.running}
        onSubmit={() => rotate.run(undefined)}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={rotate.running}>
              Rotate key
            </Button>
          </>
        }
      >
        <FormField
          name="overlap_hours"
          label="The old value ends"
          hint={twice ? 'Two values work already; a third needs both of them to end now.' : undefined}
        >
          <Select
            choices={twice ? OVERLAPS.slice(0, 1) : OVERLAPS}
            value={overlap}
            onChange={({ target }) => setOverlap(target.value)}
          />
        </FormField>
      </Form>
    </Dialog>
  );
}

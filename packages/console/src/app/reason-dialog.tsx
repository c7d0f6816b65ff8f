import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextArea } from '../ui/field.tsx';
import { Form, FormField } from '../ui/form.tsx';
import type { PendingDialogPrompt } from './use-dialog-prompt.ts';

/**
 * Asks for the reason of a change, which the audit log requires. When the user has entered it, the request is
 * repeated with the reason.
 */
export function ReasonDialog({
  prompt: { message, answer },
}: {
  readonly prompt: PendingDialogPrompt<string>;
}) {
  const [reason, setReason] = useState('');
  return (
    <Dialog open onClose={() => answer(null)} title="Enter a reason" description={message}>
      <Form
        error={null}
        onSubmit={() => reason.trim() !== '' && answer(reason.trim())}
        actions={
          <>
            <Button onClick={() => answer(null)}>Cancel</Button>
            <Button type="submit" look="primary" disabled={reason.trim() === ''}>
              Continue
            </Button>
          </>
        }
      >
        <FormField name="reason" label="Reason" hint="Recorded in the audit log with your name.">
          <TextArea
            rows={2}
            autoFocus
            maxLength={500}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        </FormField>
      </Form>
    </Dialog>
  );
}

import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { deleteResource } from '../data/delete-resource.ts';
import type { PermissionAction } from '../data/permissions.ts';
import { Button } from './button.tsx';
import { ConfirmChangeDialog, type ConfirmChangeDialogProps } from './confirm-change-dialog.tsx';
import { useDiscardDraft } from './unsaved-changes-guard.tsx';

/** Renders a button that deletes a resource after a confirmation that states the consequences. */
export function DeleteButton({
  path,
  needs = 'management',
  onDone,
  ...asking
}: ConfirmChangeDialogProps & { readonly path: string; readonly needs?: PermissionAction }) {
  const [asked, setAsked] = useState(false);
  const forgetDraft = useDiscardDraft();
  const done = () => {
    forgetDraft();
    onDone();
  };
  return (
    <>
      <Button icon={Trash2} look="quiet" needs={needs} onClick={() => setAsked(true)} className="mr-auto">
        {asking.verb}
      </Button>
      {asked && (
        <ConfirmChangeDialog
          {...asking}
          sendChange={() => deleteResource(path)}
          onDone={done}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

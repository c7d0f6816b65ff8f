import type { ReactNode } from 'react';
import type { PermissionAction } from '../data/permissions.ts';
import { useDenialReason } from '../data/use-denial-reason.ts';
import type { ResourceEditState } from '../data/use-patch-form.ts';
import { Button } from './button.tsx';
import { ConflictNotice } from './conflict-notice.tsx';
import { Form } from './form.tsx';
import { ManagedByFileNotice, type ResourceSource } from './source-badge.tsx';

/**
 * Renders the form that edits an existing resource. A resource from floe.yaml is read-only. If another member
 * has changed the resource in the meantime, the user must choose a version before saving.
 */
export function EditForm<Values extends object>({
  edit,
  source,
  verb,
  needs = 'management',
  more,
  showSource = true,
  children,
}: {
  readonly edit: ResourceEditState<Values>;
  readonly source: ResourceSource;
  /** Label of the submit button, such as `Save route`. */
  readonly verb: string;
  readonly needs?: PermissionAction;
  /** Additional buttons, shown before the form’s own buttons. */
  readonly more?: ReactNode;
  /** Set to false if the page shows the source once for several forms. */
  readonly showSource?: boolean;
  readonly children: ReactNode;
}) {
  const fromFile = source.kind === 'file';
  const disabled = useDenialReason(needs) !== null || fromFile;
  return (
    <div className="grid gap-4">
      {showSource && <ManagedByFileNotice source={source} path={edit.path} />}
      {edit.concurrentChanges && (
        <ConflictNotice changes={edit.concurrentChanges} onMine={edit.keepMine} onTheirs={edit.takeTheirs} />
      )}
      <Form
        onSubmit={() => !fromFile && edit.isChanged && edit.concurrentChanges === null && edit.save()}
        error={edit.error}
        running={edit.saving}
        unsaved={edit.isChanged}
        needs={fromFile ? undefined : needs}
        actions={
          fromFile ? null : (
            <>
              {more}
              {edit.isChanged && <DiscardButton busy={edit.saving} onClick={edit.discard} />}
              <Button
                type="submit"
                look="primary"
                needs={needs}
                busy={edit.saving}
                disabled={!edit.isChanged || edit.concurrentChanges !== null}
              >
                {verb}
              </Button>
            </>
          )
        }
      >
        <FormFieldset disabled={disabled}>{children}</FormFieldset>
      </Form>
    </div>
  );
}

/** Renders the fields of a form below each other. If it is disabled, all controls inside are disabled. */
export function FormFieldset({
  disabled,
  children,
}: {
  readonly disabled: boolean;
  readonly children: ReactNode;
}) {
  return (
    <fieldset disabled={disabled} className="grid min-w-0 gap-4">
      {children}
    </fieldset>
  );
}

function DiscardButton({ busy, onClick }: { readonly busy: boolean; readonly onClick: () => void }) {
  return (
    <Button disabled={busy} onClick={onClick}>
      Discard changes
    </Button>
  );
}

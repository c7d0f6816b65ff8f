import type { ReactNode } from 'react';
import type { ResourceEdit } from '../data/patch-form.ts';
import type { PermissionAction } from '../data/permissions.ts';
import { useDenialReason } from '../data/use-denial-reason.ts';
import { Button } from './button.tsx';
import { ConflictNotice } from './conflict-notice.tsx';
import { Form } from './form.tsx';
import { ManagedByFileNotice, type ResourceSource } from './source-badge.tsx';

/**
 * The form over a resource that exists: from the file it can be read only; a change by somebody else is shown first.
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
  readonly edit: ResourceEdit<Values>;
  readonly source: ResourceSource;
  /** `Save route` */
  readonly verb: string;
  readonly needs?: PermissionAction;
  /** Further buttons, before those of the form. */
  readonly more?: ReactNode;
  /** False where the page says it once for several forms. */
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
              {edit.isChanged && <Button onClick={edit.discard}>Discard</Button>}
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

/** The fields of a form, one below the other. Off, each control in them is, whichever it is. */
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

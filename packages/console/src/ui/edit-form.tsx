import type { ReactNode } from 'react';
import type { Edit } from '../data/edit.ts';
import type { Action } from '../data/permissions.ts';
import { useRefusal } from '../data/use-refusal.ts';
import { Button } from './button.tsx';
import { Notice } from './feedback.tsx';
import { Form } from './form.tsx';
import { type Source, SourceNotice } from './source-badge.tsx';

/** The form over a resource that exists: from the file it can be read only; a change by somebody else is shown first. */
export function EditForm<Values extends object>({
  edit,
  source,
  verb,
  needs = 'management',
  more,
  children,
}: {
  readonly edit: Edit<Values>;
  readonly source: Source;
  /** `Save route` */
  readonly verb: string;
  readonly needs?: Action;
  /** Further buttons, before those of the form. */
  readonly more?: ReactNode;
  readonly children: ReactNode;
}) {
  const fromFile = source.kind === 'file';
  const refusal = useRefusal(needs);
  return (
    <div className="grid gap-4">
      <SourceNotice source={source} />
      {edit.meanwhile && <Meanwhile edit={edit} />}
      <Form
        onSubmit={() => !fromFile && refusal === null && edit.save()}
        error={edit.error}
        running={edit.saving}
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
                disabled={!edit.isChanged || edit.meanwhile !== null}
              >
                {verb}
              </Button>
            </>
          )
        }
      >
        <fieldset disabled={fromFile || refusal !== null} className="grid min-w-0 gap-4">
          {children}
        </fieldset>
      </Form>
    </div>
  );
}

function Meanwhile<Values extends object>({ edit }: { readonly edit: Edit<Values> }) {
  return (
    <div role="alert">
      <Notice>
        <p className="font-medium">Somebody else changed this while you were editing. Nothing was saved.</p>
        <ul className="my-2 grid gap-0.5">
          {edit.meanwhile?.map(({ name, before, after }) => (
            <li key={name} className="break-words">
              <span className="text-ink-2">{name}:</span> <del className="text-failing-ink">{before}</del>{' '}
              <ins className="text-healthy-ink no-underline">{after}</ins>
            </li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2">
          <Button onClick={edit.keepMine}>Keep mine</Button>
          <Button onClick={edit.takeTheirs}>Take theirs</Button>
        </div>
      </Notice>
    </div>
  );
}

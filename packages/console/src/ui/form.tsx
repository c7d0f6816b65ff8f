import {
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { ApiError } from '../data/api-error.ts';
import { getFieldErrorMessage } from '../data/field-error-message.ts';
import type { PermissionAction } from '../data/permissions.ts';
import { useDenialReason } from '../data/use-denial-reason.ts';
import { useKeepDialogOpen } from './dialog.tsx';
import { Field } from './field.tsx';
import { loadFormComponents } from './lazy-with-failure-notice.tsx';
import { DraftDiscardedContext, UnsavedChangesGuard } from './unsaved-changes-guard.tsx';

interface FormError {
  readonly error: ApiError | null;
  /** A field that shows the error reports this. The form then does not repeat the error. */
  readonly onShown: (error: ApiError) => void;
}

const ErrorContext = createContext<FormError>({ error: null, onShown: () => undefined });

/**
 * Renders a form that shows errors of the server. If `error.param` names a field, that field receives the focus
 * and shows the message until it is edited. Other errors are shown at the top. Enter and ⌘S submit the form,
 * except while a submission is in progress. If the user leaves with unsaved changes, the form asks for
 * confirmation.
 */
export function Form({
  onSubmit,
  error,
  running = false,
  unsaved,
  needs,
  children,
  actions,
}: {
  readonly onSubmit: () => void;
  readonly error: ApiError | null;
  readonly running?: boolean;
  /** Whether the form has unsaved changes, if the page knows better than the form. */
  readonly unsaved?: boolean;
  /**
   * The permission that the form requires. Without it, the fields are disabled and the reason is shown above
   * them.
   */
  readonly needs?: PermissionAction | undefined;
  readonly children: ReactNode;
  readonly actions: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [touched, setTouched] = useTouched(running, error);
  const draftDone = useRef(false);
  const refusal = useDenialReason(needs);
  const [shown, setShown] = useState<ApiError | null>(null);
  const errorContext = useMemo(() => ({ error, onShown: setShown }), [error]);
  useKeepDialogOpen(running);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  useSaveKey(form);
  useEffect(loadFormComponents, []);
  return (
    <form
      ref={form}
      noValidate
      className="grid gap-4"
      onChange={() => setTouched(true)}
      onSubmit={(event) => {
        event.preventDefault();
        if (!running && refusal === null) onSubmit();
      }}
    >
      <Notices refusal={refusal} error={error === shown ? null : error} />
      <ErrorContext value={errorContext}>
        <fieldset disabled={refusal !== null} className="contents">
          {children}
        </fieldset>
      </ErrorContext>
      <DraftDiscardedContext value={draftDone}>
        <div className="flex flex-wrap justify-end gap-2">{actions}</div>
      </DraftDiscardedContext>
      <UnsavedChangesGuard active={unsaved ?? (touched || running)} done={draftDone} saving={running} />
    </form>
  );
}

/** Shows why the fields are disabled, and errors that belong to no field of the form. */
function Notices({ refusal, error }: { readonly refusal: string | null; readonly error: ApiError | null }) {
  return (
    <>
      {refusal && (
        <p className="rounded-control border border-line bg-sunken px-3 py-2 text-ui text-ink-2">{refusal}</p>
      )}
      {error && (
        <p
          role="alert"
          className="rounded-control border border-failing-line bg-failing-tint px-3 py-2 text-ui text-failing-ink"
        >
          {error.message}
          {error.requestId && (
            <span className="ml-2">
              Request ID: <code className="font-mono text-code">{error.requestId}</code>
            </span>
          )}
        </p>
      )}
    </>
  );
}

/** Submits the form on ⌘S or Ctrl+S. */
function useSaveKey(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    const place = form.current;
    const press = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      place?.requestSubmit();
    };
    place?.addEventListener('keydown', press);
    return () => place?.removeEventListener('keydown', press);
  }, [form]);
}

/** Whether the user changed the form since it was rendered or last saved. */
function useTouched(running: boolean, error: ApiError | null) {
  const [touched, setTouched] = useState(false);
  const [ran, setRan] = useState(running);
  if (ran !== running) {
    setRan(running);
    if (ran && error === null) setTouched(false);
  }
  return [touched, setTouched] as const;
}

/** Renders a field of a `Form`. `name` is the path of the field in the API, such as `targets[0].weight`. */
export function FormField({
  name,
  label,
  hint,
  optional = false,
  problem,
  hideLabel = false,
  children,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly optional?: boolean;
  /** A problem found in the browser before the form was sent. */
  readonly problem?: string | null;
  /** Hides the label visually where the position of the field explains it. Screen readers still read it. */
  readonly hideLabel?: boolean;
  readonly children: ReactNode;
}) {
  const { error, onShown } = useContext(ErrorContext);
  // The error is about the value that was sent. It no longer applies after an edit.
  const [editedError, setEditedError] = useState<ApiError | null>(null);
  const isMine =
    error?.param === name || [`${name}.`, `${name}[`].some((head) => error?.param?.startsWith(head));
  const serverProblem = isMine && error && error !== editedError ? getFieldErrorMessage(error) : null;
  const isShown = isMine && problem == null;
  useLayoutEffect(() => {
    if (isShown && error) onShown(error);
  }, [isShown, error, onShown]);
  return (
    <Field
      label={label}
      hint={hint}
      optional={optional}
      error={problem ?? serverProblem}
      hideLabel={hideLabel}
      onEdit={() => setEditedError(error)}
    >
      {children}
    </Field>
  );
}

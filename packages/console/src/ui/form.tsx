import {
  createContext,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type ApiError, problemOf } from '../data/api-error.ts';
import { Field } from './field.tsx';

interface Telling {
  readonly error: ApiError | null;
  /** Says that a field of this label shows the error; the answer takes it back. */
  readonly claim: (label: string) => () => void;
}

const TellingContext = createContext<Telling>({ error: null, claim: () => () => undefined });

/**
 * A form whose errors the server tells: `error.param` names the field, which shows the message and takes the focus;
 * what names no field of the form stands on top. Enter submits, and so does ⌘S; a second submit while one runs does
 * nothing.
 */
export function Form({
  onSubmit,
  error,
  running = false,
  children,
  actions,
}: {
  readonly onSubmit: () => void;
  readonly error: ApiError | null;
  readonly running?: boolean;
  readonly children: ReactNode;
  readonly actions: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [claimed, setClaimed] = useState<string | null>(null);
  const claim = useCallback((label: string) => {
    setClaimed(label);
    return () => setClaimed(null);
  }, []);
  useEffect(() => {
    if (error) focusProblem(form);
  }, [error]);
  useSaveKey(form);
  return (
    <form
      ref={form}
      noValidate
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!running) onSubmit();
      }}
    >
      {error && <Problem error={error} field={claimed} onShow={() => focusProblem(form)} />}
      <TellingContext value={useMemo(() => ({ error, claim }), [error, claim])}>{children}</TellingContext>
      <div className="flex flex-wrap justify-end gap-2">{actions}</div>
    </form>
  );
}

/** What is wrong; where a field says it, the way there. */
function Problem({
  error,
  field,
  onShow,
}: {
  readonly error: ApiError;
  readonly field: string | null;
  readonly onShow: () => void;
}) {
  return (
    <p
      role="alert"
      className="rounded-control border border-failing-line bg-failing-tint px-3 py-2 text-ui text-failing-ink"
    >
      {field === null ? (
        error.message
      ) : (
        <>
          That did not work. Look at{' '}
          <button type="button" onClick={onShow} className="font-medium underline">
            {field}
          </button>
          .
        </>
      )}
      {error.requestId && <code className="ml-2 font-mono text-code">{error.requestId}</code>}
    </p>
  );
}

function focusProblem(form: RefObject<HTMLFormElement | null>): void {
  form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
}

/** ⌘S or Ctrl+S within the form. */
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

/** A field of a `Form`: `name` is the path of the API, such as `targets[0].weight`. */
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
  /** What is wrong before the server was asked. */
  readonly problem?: string | null;
  /** Where its place says what it is; screen readers hear the label. */
  readonly hideLabel?: boolean;
  readonly children: ReactNode;
}) {
  const { error, claim } = useContext(TellingContext);
  const isMine = error !== null && (error.param === name || error.param?.startsWith(`${name}.`) === true);
  useEffect(() => (isMine ? claim(label) : undefined), [isMine, label, claim]);
  return (
    <Field
      label={label}
      hint={hint}
      optional={optional}
      error={problem ?? (isMine ? problemOf(error) : null)}
      hideLabel={hideLabel}
    >
      {children}
    </Field>
  );
}

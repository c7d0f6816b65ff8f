import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import type { ApiError } from '../data/api-error.ts';
import { Field } from './field.tsx';

const ErrorContext = createContext<ApiError | null>(null);

/**
 * A form whose errors the server tells: `error.param` names the field, which shows the message and takes the focus;
 * what names no field of the form stands on top. Enter submits; a second submit while one runs does nothing.
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
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
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
      {error && (
        <p
          role="alert"
          className="rounded-control border border-failing-line bg-failing-tint px-3 py-2 text-ui text-failing-ink"
        >
          {error.message}
          {error.requestId && <code className="ml-2 font-mono text-code">{error.requestId}</code>}
        </p>
      )}
      <ErrorContext value={error}>{children}</ErrorContext>
      <div className="flex flex-wrap justify-end gap-2">{actions}</div>
    </form>
  );
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
  const error = useContext(ErrorContext);
  const told = error?.param === name || error?.param?.startsWith(`${name}.`) ? error.said : null;
  return (
    <Field label={label} hint={hint} optional={optional} error={problem ?? told} hideLabel={hideLabel}>
      {children}
    </Field>
  );
}

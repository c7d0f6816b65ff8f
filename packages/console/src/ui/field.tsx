import { ChevronDown } from 'lucide-react';
import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react';
import { joinClassNames } from './class-names.ts';

interface Wiring {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}

const FieldContext = createContext<Wiring | null>(null);

/**
 * Renders a label, a control, a help text and an error, and connects them for screen readers. The control must
 * be one of the inputs in this file.
 */
export function Field({
  label,
  hint,
  error,
  optional,
  hideLabel = false,
  onEdit,
  children,
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
  readonly optional?: boolean;
  readonly hideLabel?: boolean;
  /** Called when the user changes the value. */
  readonly onEdit?: () => void;
  readonly children: ReactNode;
}) {
  const id = useId();
  const descriptionId = error ? `${id}-error` : hint ? `${id}-hint` : undefined;
  return (
    <div className="grid content-start gap-1" onChange={onEdit}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-label text-ink-2'}>
        {label}
        {optional && <span className="font-normal text-ink-3"> (optional)</span>}
      </label>
      <FieldContext value={{ id, describedBy: descriptionId, invalid: Boolean(error) }}>
        {children}
      </FieldContext>
      {error ? (
        <p id={descriptionId} className="text-small text-failing-ink">
          {error}
        </p>
      ) : (
        hint && (
          <p id={descriptionId} className="text-small text-ink-3">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

const BOX =
  'w-full rounded-control border bg-surface text-ui text-ink shadow-control disabled:bg-sunken [&:is(input,textarea):read-only]:bg-sunken';

function useWiring() {
  const field = useContext(FieldContext);
  return {
    id: field?.id,
    'aria-describedby': field?.describedBy,
    'aria-invalid': field?.invalid || undefined,
    edge: field?.invalid ? 'border-failing' : 'border-edge',
  };
}

/** Renders a single-line text input. */
export function Input({ className, ...props }: ComponentProps<'input'>) {
  const { edge, ...wiring } = useWiring();
  return (
    <input {...wiring} {...props} className={joinClassNames(BOX, 'h-control px-2.5', edge, className)} />
  );
}

/** Renders a multi-line text input. */
export function TextArea({ className, ...props }: ComponentProps<'textarea'>) {
  const { edge, ...wiring } = useWiring();
  return (
    <textarea
      rows={4}
      {...wiring}
      {...props}
      className={joinClassNames(BOX, 'px-2.5 py-1.5', edge, className)}
    />
  );
}

/** Renders a multi-line input for code, such as patterns, a condition or JSON. */
export function CodeArea({ className, ...props }: ComponentProps<'textarea'>) {
  return (
    <TextArea spellCheck={false} {...props} className={joinClassNames('font-mono text-code', className)} />
  );
}

/** Shows the arrow of a control with options. The parent element must be positioned. */
export function Chevron() {
  return (
    <ChevronDown
      size={16}
      aria-hidden="true"
      className="pointer-events-none absolute top-1/2 right-2 -translate-y-1/2 text-ink-3"
    />
  );
}

/** An option that the user can select. */
export interface SelectOption {
  readonly value: string;
  readonly label: string;
}

/**
 * Renders the native select control of the browser, which works with all keyboards, screen readers and phones.
 * Use it for a few options.
 */
export function Select({
  choices,
  className,
  ...props
}: ComponentProps<'select'> & { readonly choices: readonly SelectOption[] }) {
  const { edge, ...wiring } = useWiring();
  return (
    <span className={joinClassNames('relative inline-block w-full', className)}>
      <select
        {...wiring}
        {...props}
        className={joinClassNames(BOX, 'h-control appearance-none pr-8 pl-2.5 enabled:bg-surface!', edge)}
      >
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Chevron />
    </span>
  );
}

import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

/** A tab and the content that it shows. */
export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly count?: number | undefined;
  readonly content: ReactNode;
}

/**
 * Shows one of several sections at a time, selected with tabs. Set `value` and `onChange` to store the
 * selection outside of the component, as in the URL.
 */
export function Tabs({
  tabs,
  value,
  onChange,
  label,
}: {
  readonly tabs: readonly Tab[];
  readonly value?: string;
  readonly onChange?: (id: string) => void;
  readonly label: string;
}) {
  return (
    <Radix.Root
      {...(value === undefined ? { defaultValue: tabs[0]?.id ?? '' } : { value })}
      {...(onChange ? { onValueChange: onChange } : {})}
    >
      <Radix.List aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line px-4 md:px-6">
        {tabs.map(({ id, label: text, count }) => (
          <Radix.Trigger
            key={id}
            value={id}
            className="-mb-px flex h-10 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2 text-ui font-medium text-ink-2 -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {text}
            {count !== undefined && (
              <span className="text-small font-normal text-ink-3 figures">{count}</span>
            )}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ id, content }) => (
        <Radix.Content key={id} value={id} className="p-4 outline-offset-[-2px] md:p-6">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

/**
 * Renders a few options next to each other, such as `24 h · 7 d · 30 d`. The selected option changes the
 * content below.
 */
export function SegmentedControl({
  options,
  value,
  onChange,
  label,
}: {
  readonly options: readonly { readonly id: string; readonly label: string }[];
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly label: string;
}) {
  return (
    <fieldset className="inline-flex min-w-0 max-w-full overflow-x-auto rounded-control border border-line-strong bg-surface">
      <legend className="sr-only">{label}</legend>
      {options.map(({ id, label: text }) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === value}
          onClick={() => onChange(id)}
          className="h-7 shrink-0 whitespace-nowrap border-l border-line px-2.5 text-label text-ink-2 -outline-offset-2 first-of-type:border-l-0 aria-pressed:bg-accent-tint aria-pressed:text-accent-ink"
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

import { useId } from 'react';

/** Renders radio buttons for a few options, each with a description. The radio buttons look like cards. */
export function RadioGroup<Id extends string>({
  label,
  options,
  value,
  onChange,
}: {
  readonly label: string;
  readonly options: readonly { readonly id: Id; readonly label: string; readonly does: string }[];
  readonly value: Id;
  readonly onChange: (id: Id) => void;
}) {
  const name = useId();
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-label text-ink-2">{label}</legend>
      <div className="grid gap-2 sm:auto-cols-fr sm:grid-flow-col">
        {options.map((option) => (
          <label
            key={option.id}
            className="flex cursor-pointer items-start gap-2 rounded-control border border-line-strong bg-surface p-2.5 has-checked:border-accent has-checked:bg-accent-tint has-disabled:cursor-not-allowed has-disabled:bg-sunken"
          >
            <input
              type="radio"
              name={name}
              value={option.id}
              checked={option.id === value}
              onChange={() => onChange(option.id)}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0 text-ui">
              <span className="font-medium">{option.label}</span>
              <span className="block text-small text-ink-2">{option.does}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

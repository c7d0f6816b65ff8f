import { Check } from 'lucide-react';
import { Checkbox as RadixCheckbox, Switch as RadixSwitch } from 'radix-ui';
import { type ReactNode, useId } from 'react';

interface ToggleProps {
  readonly label: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
  readonly hint?: ReactNode;
}

/** Renders a checkbox with a label and an optional help text. */
export function Checkbox({ label, checked, onChange, disabled, hint }: ToggleProps) {
  const id = useId();
  return (
    <div className="flex min-h-6 items-start gap-2">
      <RadixCheckbox.Root
        id={id}
        checked={checked}
        disabled={disabled ?? false}
        onCheckedChange={(value) => onChange(value === true)}
        className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-tag border border-edge bg-surface data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-50"
      >
        <RadixCheckbox.Indicator>
          <Check size={12} strokeWidth={3} className="text-on-accent" />
        </RadixCheckbox.Indicator>
      </RadixCheckbox.Root>
      <label htmlFor={id} className="text-ui text-ink">
        {label}
        {hint && <span className="block text-small text-ink-3">{hint}</span>}
      </label>
    </div>
  );
}

/** Renders a switch with a label and an optional help text, for a setting that is on or off. */
export function Switch({ label, checked, onChange, disabled, hint }: ToggleProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <RadixSwitch.Root
        id={id}
        checked={checked}
        disabled={disabled ?? false}
        onCheckedChange={onChange}
        className="h-5 w-9 shrink-0 rounded-full border border-edge bg-sunken p-px data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-50"
      >
        <RadixSwitch.Thumb className="block size-4 rounded-full bg-edge transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-accent" />
      </RadixSwitch.Root>
      <label htmlFor={id} className="text-ui text-ink">
        {label}
        {hint && <span className="block text-small text-ink-3">{hint}</span>}
      </label>
    </div>
  );
}

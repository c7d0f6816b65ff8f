import { useState } from 'react';
import { parseListInput } from '../../format/list-input.ts';
import { CodeArea, Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { Switch } from '../../ui/toggles.tsx';
import type { SettingField, SettingValue } from './setting-fields.ts';

interface ControlProps {
  readonly field: SettingField;
  readonly value: SettingValue;
  readonly disabled: boolean;
  readonly onChange: (value: SettingValue) => void;
}

/** Renders the input or switch for one setting. */
export function SettingControl({ field, value, disabled, onChange }: ControlProps) {
  const { path, label, hint, choices } = field;
  if (typeof value === 'boolean')
    return <Switch label={label} hint={hint} checked={value} disabled={disabled} onChange={onChange} />;
  return (
    <FormField name={path} label={label} hint={hint}>
      {choices ? (
        <Select
          choices={choices}
          value={String(value)}
          disabled={disabled}
          onChange={({ target }) => onChange(target.value)}
        />
      ) : typeof value === 'number' ? (
        <Input
          type="number"
          min={0}
          value={value}
          disabled={disabled}
          onChange={({ target }) => onChange(Number(target.value))}
        />
      ) : (
        <Lines value={value} disabled={disabled} onChange={onChange} />
      )}
    </FormField>
  );
}

/** Edits a list with one value per line. The typed text is kept as it is until the form gets new values. */
function Lines({ value, disabled, onChange }: Omit<ControlProps, 'field'>) {
  const list = Array.isArray(value) ? value.join('\n') : '';
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed !== null && parseListInput(typed).join('\n') === list ? typed : list;
  return (
    <CodeArea
      rows={3}
      value={shown}
      disabled={disabled}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(parseListInput(target.value));
      }}
    />
  );
}

import { useState } from 'react';
import { ApiError } from '../../src/data/api-error.ts';
import { Button } from '../../src/ui/button.tsx';
import { Combobox } from '../../src/ui/combobox.tsx';
import { Dialog } from '../../src/ui/dialog.tsx';
import { Field, Input, Select, TextArea } from '../../src/ui/field.tsx';
import { FilterBar } from '../../src/ui/filter-bar.tsx';
import { Form, FormField } from '../../src/ui/form.tsx';
import { TimeRangePicker } from '../../src/ui/time-range-picker.tsx';
import { useReportLog } from './report-log.tsx';

const MODELS = ['echo', 'flaky', 'slow'].map((model) => ({ value: model, label: `sandbox/${model}` }));

const MANY = Array.from({ length: 40 }, (_, index) => ({ value: `m${index}`, label: `model ${index}` }));

export function TextFields() {
  return (
    <main>
      <Field label="Name" hint="Letters and digits" optional>
        <Input />
      </Field>
      <Field label="Words" hint="Never shown" error="Words are missing.">
        <TextArea />
      </Field>
      <Field label="Model">
        <Select choices={MODELS} defaultValue="flaky" />
      </Field>
    </main>
  );
}

const REFUSED = new ApiError({
  status: 400,
  code: 'invalid_value',
  param: 'targets[0].weight',
  message: 'targets[0].weight: must be positive',
});
const BROKEN = new ApiError({
  status: 500,
  code: 'internal_error',
  message: 'The server failed.',
  requestId: 'exc_form',
});

/**
 * The error of the first submit names a field. The error of the second names none, while another field has a problem.
 * The third submit never ends.
 */
export function FormStates() {
  const [told, tell] = useReportLog();
  const [turn, setTurn] = useState(0);
  const submit = () => {
    tell(`submit ${turn + 1}`);
    setTurn(turn + 1);
  };
  return (
    <main>
      <Form
        needs="management"
        running={turn > 2}
        error={[null, REFUSED, BROKEN][turn] ?? null}
        onSubmit={submit}
        actions={
          <Button type="submit" busy={turn > 2}>
            Save
          </Button>
        }
      >
        <FormField name="name" label="Name">
          <Input />
        </FormField>
        <FormField name="targets" label="Weight" hint="Above zero">
          <Input />
        </FormField>
        <FormField name="note" label="Note" problem={turn === 2 ? 'Too long.' : null}>
          <Input />
        </FormField>
      </Form>
      {told}
    </main>
  );
}

export function Comboboxes() {
  const [told, tell] = useReportLog();
  const [model, setModel] = useState('echo');
  const [free, setFree] = useState('');
  return (
    <main>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          tell(`sent ${model}`);
        }}
      >
        <Field label="Model">
          <Combobox choices={MODELS} value={model} onChange={setModel} />
        </Field>
        <Field label="Any model">
          <Combobox choices={MODELS} value={free} onChange={setFree} free />
        </Field>
        <Button type="submit">Send</Button>
      </form>
      {told}
    </main>
  );
}

export function ComboboxInDialog() {
  const [told, tell] = useReportLog();
  const [model, setModel] = useState('');
  return (
    <main>
      <Dialog open onClose={() => tell('closed')} title="Question">
        <Field label="Model">
          <Combobox choices={MODELS} value={model} onChange={setModel} />
        </Field>
        <Field label="Many">
          <Combobox choices={MANY} value={model} onChange={setModel} />
        </Field>
        {told}
      </Dialog>
    </main>
  );
}

export function FilterBars() {
  const [tokens, setTokens] = useState<readonly { readonly name: string; readonly value: string }[]>([]);
  const rest = (name: string) => tokens.filter((token) => token.name !== name);
  return (
    <main>
      <FilterBar
        placeholder="Filter"
        fields={[
          { name: 'status', label: 'status', values: ['200', '429'], excludes: true },
          { name: 'model', label: 'model' },
        ]}
        tokens={tokens}
        onAdd={(token) => setTokens([...rest(token.name), token])}
        onRemove={(name) => setTokens(rest(name))}
      />
    </main>
  );
}

export function DateTimeFields() {
  const [told, tell] = useReportLog();
  const to = new Date('2026-01-02T12:00:00Z');
  return (
    <main>
      <TimeRangePicker
        span={{ from: new Date('2026-01-01T12:00:00Z'), to, range: '24h' }}
        onChange={({ range, from, to: end }) => tell(range ?? `${from} to ${end}`)}
      />
      {told}
    </main>
  );
}

export function RollingTimeRange() {
  const [to] = useState(() => new Date(Date.now() - 10_800_000));
  return (
    <main>
      <TimeRangePicker
        span={{ from: new Date(to.getTime() - 3_600_000), to, range: '1h' }}
        isRolling
        onChange={() => undefined}
      />
    </main>
  );
}

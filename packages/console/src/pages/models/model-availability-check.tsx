import type { routeSimulationResult } from '@floe/contract/api/routes';
import { useState } from 'react';
import type * as z from 'zod';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { modelsText } from './text.ts';

type Answer = z.output<typeof routeSimulationResult>;

/** Renders a form that simulates a request to find out whether a model is available, and if not, why. */
export function ModelAvailabilityCheck() {
  const [model, setModel] = useState('');
  const [checked, setChecked] = useState<{ readonly model: string; readonly answer: Answer } | null>(null);
  const check = useApiMutation(
    (id: string) =>
      sendJson<Answer>('POST', 'api/management/routes/simulate', {
        request: { model: id, messages: [{ role: 'user', content: 'Hello' }] },
      }),
    { done: (answer, id) => setChecked({ model: id, answer }) },
  );
  const run = () => {
    if (model.trim() !== '') check.run(model.trim());
  };
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <div className="max-w-sm min-w-0 flex-1 basis-48">
        <Field label={modelsText.check.label} error={check.error?.message}>
          <Input
            value={model}
            placeholder={modelsText.check.placeholder}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setModel(target.value)}
          />
        </Field>
      </div>
      <Button type="submit" busy={check.running}>
        {modelsText.check.submit}
      </Button>
      {checked && <CheckResult {...checked} />}
    </form>
  );
}

function CheckResult({ model, answer }: { readonly model: string; readonly answer: Answer }) {
  const [first] = answer.targets;
  return (
    <p role="status" className="flex w-full items-start gap-2 text-ui">
      <span className="mt-0.5">
        <StatusIcon state={answer.outcome === 'sent' ? 'healthy' : 'blocked'} />
      </span>
      {answer.outcome === 'sent' ? (
        <span>
          <strong className="font-medium">{model}</strong>
          {modelsText.check.available(`${first?.provider}/${first?.model}`)}
        </span>
      ) : (
        <span className="min-w-0 break-words">
          <strong className="font-medium">{model}</strong>
          {modelsText.check.unavailable}
          {answer.message}{' '}
          <code className="font-mono text-code text-ink-3">
            {answer.status} {answer.code}
          </code>
        </span>
      )}
    </p>
  );
}

import type { BreakerResource as Breaker } from '@floe/contract/api/breakers';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { orgModelsQuery, orgProvidersQuery } from '../../data/org-lists.ts';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { secondsIn } from './breaker-state.ts';

const FOR = [
  { value: '900', label: '15 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '24 hours' },
  { value: '604800', label: '7 days' },
  { value: '', label: 'As long as I write' },
] as const;

const STATES = [
  { value: 'open', label: 'Open: no traffic to it' },
  { value: 'closed', label: 'Closed: traffic whatever happened' },
  { value: 'auto', label: 'Give it back to itself' },
] as const;

/** Forces a breaker for a while, with a reason that is shown beside it and kept in the audit log. */
export function ForceBreaker({
  id,
  trigger,
}: {
  readonly id?: string;
  readonly trigger?: (ask: () => void) => ReactNode;
}) {
  const [asked, setAsked] = useState(false);
  const ask = () => setAsked(true);
  return (
    <>
      {trigger ? (
        trigger(ask)
      ) : (
        <Button needs="management" onClick={ask}>
          Force a breaker
        </Button>
      )}
      {asked && <ForceDialog id={id} onClose={() => setAsked(false)} />}
    </>
  );
}

function ForceDialog({ id, onClose }: { readonly id: string | undefined; readonly onClose: () => void }) {
  const [target, setTarget] = useState(id ?? '');
  const [state, setState] = useState('open');
  const [length, setLength] = useState<number | null>(HOUR_S);
  const [reason, setReason] = useState('');
  const targets = useTargets(id === undefined);
  const force = useForce(
    { target: target.trim(), state, seconds: length ?? 0, reason: reason.trim() },
    onClose,
  );
  return (
    <Dialog
      open
      onClose={onClose}
      title={id === undefined ? 'Force a breaker' : `Force ${id}`}
      description={EFFECTS[state]}
    >
      <Form
        onSubmit={() => force.run(undefined)}
        error={force.error}
        running={force.running}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              type="submit"
              look="primary"
              busy={force.running}
              disabled={target === '' || reason.trim() === '' || (state !== 'auto' && length === null)}
            >
              {state === 'auto' ? 'Give back' : `Force ${state}`}
            </Button>
          </>
        }
      >
        {id === undefined && (
          <FormField name="id" label="Breaker" hint="<provider>/<model>@<credential>">
            <Combobox
              free
              choices={targets}
              value={target}
              onChange={setTarget}
              placeholder="openai/gpt-5@default"
            />
          </FormField>
        )}
        <FormField name="state" label="To">
          <Select choices={STATES} value={state} onChange={(event) => setState(event.target.value)} />
        </FormField>
        {state !== 'auto' && <HowLong onChange={setLength} />}
        <FormField name="reason" label="Reason" hint="Shown beside the breaker and kept in the audit log.">
          <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
        </FormField>
      </Form>
    </Dialog>
  );
}

const HOUR_S = 3_600;

/** How long it lasts: one of a few, or as somebody writes. Null is none that can be. */
function HowLong({ onChange }: { readonly onChange: (seconds: number | null) => void }) {
  const [chosen, setChosen] = useState(String(HOUR_S));
  const [written, setWritten] = useState('');
  const change = (choice: string, text: string) => {
    setChosen(choice);
    setWritten(text);
    onChange(choice === '' ? secondsIn(text) : Number(choice));
  };
  const isWrong = written !== '' && secondsIn(written) === null;
  return (
    <>
      <FormField name="expires_in_seconds" label="For" hint="Afterwards it is its own again, by itself.">
        <Select choices={FOR} value={chosen} onChange={({ target }) => change(target.value, written)} />
      </FormField>
      {chosen === '' && (
        <Field
          label="How long"
          hint="45s, 20m, 6h or 3d; 7 days at most."
          error={isWrong ? 'Write a number and s, m, h or d: 45s, 20m.' : null}
        >
          <Input value={written} placeholder="20m" onChange={({ target }) => change('', target.value)} />
        </Field>
      )}
    </>
  );
}

function useForce(
  asked: {
    readonly target: string;
    readonly state: string;
    readonly seconds: number;
    readonly reason: string;
  },
  onDone: () => void,
) {
  const { target, state, seconds, reason } = asked;
  return useApiMutation(
    () =>
      sendJson<Breaker>('POST', `api/management/breakers/${encodeURIComponent(target)}/force`, {
        state,
        reason,
        ...(state === 'auto' ? {} : { expires_in_seconds: seconds }),
      }),
    {
      touches: [['breakers']],
      done: () => {
        showToast(state === 'auto' ? `${target} is its own again.` : `${target} is forced ${state}.`);
        onDone();
      },
    },
  );
}

const EFFECTS: Readonly<Record<string, string>> = {
  open: 'Requests go to the next target of their route; where there is none they fail.',
  closed:
    'Requests go to it even while it fails: each may wait for the failure before the next target is tried.',
  auto: 'What the last calls found out decides again.',
};

/** Every breaker there can be, of the models that are known. */
export function useTargets(wanted: boolean) {
  const providers = useQuery({ ...orgProvidersQuery, enabled: wanted }).data?.data;
  const models = useQuery({ ...orgModelsQuery, enabled: wanted }).data?.data;
  if (!providers || !models) return [];
  return models.flatMap((model) => {
    const credentials = providers.find(({ id }) => id === model.provider)?.credentials ?? [];
    const names = credentials.length > 0 ? credentials.map(({ name }) => name) : ['default'];
    return model.provider === null
      ? []
      : names.map((name) => ({ value: `${model.id}@${name}`, label: `${model.id}@${name}` }));
  });
}

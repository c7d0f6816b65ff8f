import type { BreakerResource as Breaker } from '@floe/contract/api/breakers';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { modelLookupQuery, providerLookupQuery } from '../../data/lookup-queries.ts';
import { formatBreakerName } from '../../format/breaker-name.ts';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { listPossibleBreakerIds, parseForceSeconds } from './breaker-state-display.ts';
import { breakersText } from './text.ts';

const DURATIONS = [
  { value: '900', label: breakersText.force.durations['900'] },
  { value: '3600', label: breakersText.force.durations['3600'] },
  { value: '86400', label: breakersText.force.durations['86400'] },
  { value: '604800', label: breakersText.force.durations['604800'] },
  { value: '', label: breakersText.force.durations.custom },
] as const;

const STATES = [
  { value: 'open', label: breakersText.force.states.open },
  { value: 'closed', label: breakersText.force.states.closed },
  { value: 'auto', label: breakersText.force.states.auto },
] as const;

type ForcedState = (typeof STATES)[number]['value'];

function toForcedState(value: string): ForcedState {
  return STATES.find((state) => state.value === value)?.value ?? 'auto';
}

/**
 * Renders a dialog that forces the state of a breaker for a limited time. The reason that the user enters is shown next
 * to the breaker and recorded in the audit log.
 */
export function ForceBreakerDialog({
  id,
  trigger,
}: {
  readonly id?: string;
  readonly trigger?: (openDialog: () => void) => ReactNode;
}) {
  const [asked, setAsked] = useState(false);
  const openDialog = () => setAsked(true);
  return (
    <>
      {trigger ? (
        trigger(openDialog)
      ) : (
        <Button needs="management" onClick={openDialog}>
          {breakersText.force.button}
        </Button>
      )}
      {asked && <ForceDialog id={id} onClose={() => setAsked(false)} />}
    </>
  );
}

function ForceDialog({ id, onClose }: { readonly id: string | undefined; readonly onClose: () => void }) {
  const [target, setTarget] = useState(id ?? '');
  const [state, setState] = useState<ForcedState>('open');
  const [duration, setDuration] = useState<ForceDurationInput>({ chosen: String(HOUR_S), written: '' });
  const [reason, setReason] = useState('');
  const length = parseForceDuration(duration);
  const targets = useBreakerOptions(id === undefined);
  const change = { target: target.trim(), state, seconds: length ?? 0, reason: reason.trim() };
  const force = useForce(change, onClose);
  return (
    <Dialog
      open
      onClose={onClose}
      title={id === undefined ? breakersText.force.title : breakersText.force.titleOf(formatBreakerName(id))}
      description={breakersText.force.effects[state]}
    >
      <Form
        onSubmit={() => force.run(undefined)}
        error={force.error}
        running={force.running}
        actions={
          <>
            <Button onClick={onClose}>{breakersText.force.cancel}</Button>
            <Button
              type="submit"
              look="primary"
              busy={force.running}
              disabled={target === '' || reason.trim() === '' || (state !== 'auto' && length === null)}
            >
              {breakersText.force.submit[state]}
            </Button>
          </>
        }
      >
        {id === undefined && (
          <FormField name="id" label={breakersText.force.breaker} hint={breakersText.force.breakerHint}>
            <Combobox
              free
              choices={targets}
              value={target}
              onChange={setTarget}
              placeholder={breakersText.force.breakerPlaceholder}
            />
          </FormField>
        )}
        <FormField name="state" label={breakersText.force.state}>
          <Select
            choices={STATES}
            value={state}
            onChange={(event) => setState(toForcedState(event.target.value))}
          />
        </FormField>
        {state !== 'auto' && <ForceDuration duration={duration} onChange={setDuration} />}
        <FormField name="reason" label={breakersText.force.reason} hint={breakersText.force.reasonHint}>
          <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
        </FormField>
      </Form>
    </Dialog>
  );
}

const HOUR_S = 3_600;

/** The duration as the user entered it: the chosen number of seconds, or empty for a typed duration. */
interface ForceDurationInput {
  readonly chosen: string;
  readonly written: string;
}

/** Returns the duration in seconds, or null if the typed duration is invalid. */
function parseForceDuration({ chosen, written }: ForceDurationInput): number | null {
  return chosen === '' ? parseForceSeconds(written) : Number(chosen);
}

/** Selects a preset or a typed duration. */
function ForceDuration({
  duration: { chosen, written },
  onChange,
}: {
  readonly duration: ForceDurationInput;
  readonly onChange: (duration: ForceDurationInput) => void;
}) {
  const isWrong = written !== '' && parseForceSeconds(written) === null;
  return (
    <>
      <FormField
        name="expires_in_seconds"
        label={breakersText.force.duration}
        hint={breakersText.force.durationHint}
      >
        <Select
          choices={DURATIONS}
          value={chosen}
          onChange={({ target }) => onChange({ chosen: target.value, written })}
        />
      </FormField>
      {chosen === '' && (
        <Field
          label={breakersText.force.custom}
          hint={breakersText.force.customHint}
          error={isWrong ? breakersText.force.customProblem : null}
        >
          <Input
            value={written}
            placeholder={breakersText.force.customPlaceholder}
            onChange={({ target }) => onChange({ chosen, written: target.value })}
          />
        </Field>
      )}
    </>
  );
}

function useForce(
  asked: {
    readonly target: string;
    readonly state: ForcedState;
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
        showToast(
          state === 'auto'
            ? breakersText.force.returned(formatBreakerName(target))
            : breakersText.force.forced(formatBreakerName(target), state),
        );
        onDone();
      },
    },
  );
}

/**
 * Returns the IDs of all breakers that can exist, as select options. Loads the models only if `isEnabled` is
 * true. Otherwise, returns no options, also if the models are known from another page.
 */
export function useBreakerOptions(isEnabled: boolean) {
  const providers = useQuery({ ...providerLookupQuery, enabled: isEnabled }).data?.data;
  const models = useQuery({ ...modelLookupQuery, enabled: isEnabled }).data?.data;
  if (!isEnabled || !providers || !models) return [];
  return listPossibleBreakerIds(models, providers).map((id) => ({ value: id, label: formatBreakerName(id) }));
}

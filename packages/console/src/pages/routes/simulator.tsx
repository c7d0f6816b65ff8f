import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sendJson } from '../../data/api-client.ts';
import { useDebounced } from '../../data/debounced.ts';
import type { FormPart } from '../../data/edit.ts';
import { orgKeysQuery } from '../../data/org-lists.ts';
import { Card } from '../../ui/cards.tsx';
import { ErrorState, Notice, SkeletonRows } from '../../ui/feedback.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { RouteDecisions } from '../requests/route-decisions.tsx';
import { SimulatedTargets } from './simulated-targets.tsx';
import {
  isDifferent,
  type Simulated,
  type SimulationForm,
  simulationBody,
  verdictOf,
} from './simulation-form.ts';

/**
 * What would happen to a request now: the real decisions on the running configuration, with the draft in the place of
 * the saved route. Nothing is sent, counted or kept.
 */
export function Simulator({
  draft,
  replaces,
  model,
  start = {},
}: {
  /** The unsaved route; absent while it is as it was saved. */
  readonly draft?: object | undefined;
  readonly replaces?: string | undefined;
  /** What is asked for unless something else is typed. */
  readonly model: string;
  /** Of a request that happened. */
  readonly start?: Partial<SimulationForm>;
}) {
  const [form, setForm] = useState<SimulationForm>({
    model: '',
    key: '',
    endUser: '',
    tools: false,
    images: false,
    stream: true,
    tokens: '100',
    ...start,
  });
  const asked = useDebounced({ ...form, model: form.model.trim() || model });
  const saved = useSimulation(asked, undefined, replaces, asked.model !== '');
  const tried = useDebounced(draft);
  const changed = useSimulation(asked, tried, replaces, asked.model !== '' && tried !== undefined);
  const answer = draft === undefined ? saved : changed;
  return (
    <Card title="What would happen now?" aside="nothing is sent or counted">
      <div className="grid gap-4">
        <SimulationFields form={form} model={model} onChange={(fields) => setForm({ ...form, ...fields })} />
        {asked.model === '' ? (
          <p className="text-ui text-ink-2">Name the model or alias of the route first.</p>
        ) : answer.error && !answer.data ? (
          <ErrorState
            what={draft === undefined ? 'Could not simulate.' : 'This draft cannot be saved as it stands.'}
            error={answer.error}
            onRetry={() => void answer.refetch()}
          />
        ) : answer.data === undefined ? (
          <SkeletonRows rows={4} />
        ) : (
          <Outcome
            answer={answer.data}
            saved={draft === undefined ? undefined : saved.data}
            isStale={answer.isPlaceholderData}
          />
        )}
      </div>
    </Card>
  );
}

function useSimulation(
  form: SimulationForm,
  draft: object | undefined,
  replaces: string | undefined,
  enabled: boolean,
) {
  return useQuery({
    queryKey: ['routes', 'simulation', form, draft ?? null, replaces ?? null],
    queryFn: () =>
      sendJson<Simulated>(
        'POST',
        'api/management/routes/simulate',
        simulationBody(form, draft, draft && replaces),
      ),
    enabled,
    staleTime: 5_000,
    retry: false,
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  });
}

function SimulationFields({ form, model, onChange }: FormPart<SimulationForm> & { readonly model: string }) {
  const { data } = useQuery(orgKeysQuery);
  const keys = [
    { value: '', label: 'as you' },
    ...(data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <div className="grid gap-3">
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label="Key">
          <Select
            choices={keys}
            value={form.key}
            onChange={({ target }) => onChange({ key: target.value })}
          />
        </Field>
        <Field label="Model asked for">
          <Input
            value={form.model}
            placeholder={model || 'smart'}
            onChange={({ target }) => onChange({ model: target.value })}
          />
        </Field>
        <Field label="Prompt tokens, about">
          <Input
            inputMode="numeric"
            value={form.tokens}
            onChange={({ target }) => onChange({ tokens: target.value })}
          />
        </Field>
      </div>
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        <Checkbox label="Tools" checked={form.tools} onChange={(tools) => onChange({ tools })} />
        <Checkbox label="Images" checked={form.images} onChange={(images) => onChange({ images })} />
        <Checkbox label="Streamed" checked={form.stream} onChange={(stream) => onChange({ stream })} />
      </div>
    </div>
  );
}

function Outcome({
  answer,
  saved,
  isStale,
}: {
  readonly answer: Simulated;
  /** What would happen with the route as it is saved, when a draft is tried. */
  readonly saved: Simulated | undefined;
  readonly isStale: boolean;
}) {
  const differs = saved !== undefined && isDifferent(saved, answer);
  const verdict = verdictOf(answer);
  return (
    <div className={isStale ? 'stale grid gap-3' : 'grid gap-3'}>
      <p role="status" className="flex items-start gap-2 text-body font-medium">
        <span className="mt-0.5">
          <StatusIcon state={verdict.state} />
        </span>
        <span className="min-w-0 break-words">{verdict.text}</span>
      </p>
      {differs && (
        <Notice state="partial">
          <span className="font-medium">Your draft changes this.</span> As saved: {verdictOf(saved).text}
        </Notice>
      )}
      {saved !== undefined && !differs && (
        <p className="text-ui text-ink-2">Your draft changes nothing for this request.</p>
      )}
      <RouteDecisions decisions={answer.steps} />
      <SimulatedTargets answer={answer} />
    </div>
  );
}

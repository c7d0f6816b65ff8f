import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sendJson } from '../../data/api-client.ts';
import { keyLookupQuery } from '../../data/lookup-queries.ts';
import { useDebouncedValue } from '../../data/use-debounced-value.ts';
import type { FormFieldsProps } from '../../data/use-patch-form.ts';
import { Card } from '../../ui/cards.tsx';
import { ErrorState, Notice, SkeletonRows } from '../../ui/feedback.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { ExchangeDecisionList } from '../requests/exchange-decision-list.tsx';
import { SimulatedTargets } from './simulated-targets.tsx';
import {
  describeRouteSimulation,
  doSimulationResultsDiffer,
  type RouteSimulation,
  type RouteSimulationFormValues,
  toRouteSimulationBody,
} from './simulation-form.ts';
import { routesText } from './text.ts';

/**
 * Renders a form that simulates a request with the saved route and with the draft, and compares the results. No
 * request is sent, counted or stored.
 */
export function RouteSimulator({
  draft,
  replaces,
  model,
  start = {},
}: {
  /** The unsaved route. Undefined if the form is unchanged. */
  readonly draft?: object | undefined;
  readonly replaces?: string | undefined;
  /** The model to use while the model field is empty. */
  readonly model: string;
  /** Initial values from a recorded request. */
  readonly start?: Partial<RouteSimulationFormValues>;
}) {
  const [form, setForm] = useState<RouteSimulationFormValues>({
    model: '',
    key: '',
    endUser: '',
    tools: false,
    images: false,
    stream: true,
    tokens: '100',
    ...start,
  });
  const request = useDebouncedValue({ ...form, model: form.model.trim() || model });
  const saved = useSimulation(request, undefined, replaces, request.model !== '');
  const draftToTry = useDebouncedValue(draft);
  const changed = useSimulation(
    request,
    draftToTry,
    replaces,
    request.model !== '' && draftToTry !== undefined,
  );
  const answer = draft === undefined ? saved : changed;
  return (
    <Card title={routesText.simulator.title} aside={routesText.simulator.aside}>
      <div className="grid gap-4">
        <SimulationFields form={form} model={model} onChange={(fields) => setForm({ ...form, ...fields })} />
        {request.model === '' ? (
          <p className="text-ui text-ink-2">{routesText.simulator.noModel}</p>
        ) : answer.error && !answer.data ? (
          <ErrorState
            what={draft === undefined ? routesText.simulator.failed : routesText.simulator.invalidDraft}
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
  form: RouteSimulationFormValues,
  draft: object | undefined,
  replaces: string | undefined,
  enabled: boolean,
) {
  return useQuery({
    queryKey: ['routes', 'simulation', form, draft ?? null, replaces ?? null],
    queryFn: () =>
      sendJson<RouteSimulation>(
        'POST',
        'api/management/routes/simulate',
        toRouteSimulationBody(form, draft, draft && replaces),
      ),
    enabled,
    staleTime: 5_000,
    retry: false,
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  });
}

function SimulationFields({
  form,
  model,
  onChange,
}: FormFieldsProps<RouteSimulationFormValues> & { readonly model: string }) {
  const { data } = useQuery(keyLookupQuery);
  const keys = [
    { value: '', label: routesText.simulator.noKey },
    ...(data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <div className="grid gap-3">
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label={routesText.simulator.key}>
          <Select
            choices={keys}
            value={form.key}
            onChange={({ target }) => onChange({ key: target.value })}
          />
        </Field>
        <Field label={routesText.simulator.model}>
          <Input
            value={form.model}
            placeholder={model || routesText.simulator.modelPlaceholder}
            onChange={({ target }) => onChange({ model: target.value })}
          />
        </Field>
        <Field label={routesText.simulator.tokens}>
          <Input
            inputMode="numeric"
            value={form.tokens}
            onChange={({ target }) => onChange({ tokens: target.value })}
          />
        </Field>
      </div>
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        <Checkbox
          label={routesText.simulator.tools}
          checked={form.tools}
          onChange={(tools) => onChange({ tools })}
        />
        <Checkbox
          label={routesText.simulator.images}
          checked={form.images}
          onChange={(images) => onChange({ images })}
        />
        <Checkbox
          label={routesText.simulator.stream}
          checked={form.stream}
          onChange={(stream) => onChange({ stream })}
        />
      </div>
    </div>
  );
}

function Outcome({
  answer,
  saved,
  isStale,
}: {
  readonly answer: RouteSimulation;
  /** The result with the saved route, shown while a draft is simulated. */
  readonly saved: RouteSimulation | undefined;
  readonly isStale: boolean;
}) {
  const differs = saved !== undefined && doSimulationResultsDiffer(saved, answer);
  const result = describeRouteSimulation(answer);
  return (
    <div className={isStale ? 'stale grid gap-3' : 'grid gap-3'}>
      <p role="status" className="flex items-start gap-2 text-body font-medium">
        <span className="mt-0.5">
          <StatusIcon state={result.state} />
        </span>
        <span className="min-w-0 break-words">{result.text}</span>
      </p>
      {differs && (
        <Notice state="partial">
          <span className="font-medium">{routesText.simulator.changed}</span>
          {routesText.simulator.saved(describeRouteSimulation(saved).text)}
        </Notice>
      )}
      {saved !== undefined && !differs && (
        <p className="text-ui text-ink-2">{routesText.simulator.unchanged}</p>
      )}
      <ExchangeDecisionList
        decisions={answer.steps}
        failure={answer.code === null ? null : { code: answer.code, state: result.state }}
      />
      <SimulatedTargets answer={answer} />
    </div>
  );
}

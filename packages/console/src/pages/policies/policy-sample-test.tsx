import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sendJson } from '../../data/api-client.ts';
import { useDebouncedValue } from '../../data/use-debounced-value.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { Card } from '../../ui/cards.tsx';
import { ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { CodeArea, Field } from '../../ui/field.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { type DisplayStatus, StatusIcon } from '../../ui/status.tsx';
import {
  type PolicyFormValues,
  type PolicySampleResult,
  parseJsonObject,
  toDryRunPolicy,
} from './policy-form.ts';
import { policiesText } from './text.ts';

const REQUEST = JSON.stringify(
  {
    model: 'openai/gpt-5',
    max_tokens: 9000,
    messages: [{ role: 'user', content: 'My card is 4111 1111 1111 1111.' }],
  },
  null,
  2,
);
const ANSWER = JSON.stringify(
  {
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Write to mara@example.com.' },
        finish_reason: 'stop',
      },
    ],
  },
  null,
  2,
);

/**
 * Renders a form that evaluates the draft of a policy against a sample request or response, as if the policy
 * were enforced. Nothing is sent to a provider or stored.
 */
export function PolicySampleTest({ form }: { readonly form: PolicyFormValues }) {
  const [request, setRequest] = useState(REQUEST);
  const [answer, setAnswer] = useState(ANSWER);
  const [parsedRequest, parsedAnswer] = [parseJsonObject(request), parseJsonObject(answer)];
  const onAnswer = form.on === 'answer';
  const isEmpty = form.when.trim() === '' && !form.secrets && form.pii.length === 0;
  const body = useDebouncedValue({
    policies: [toDryRunPolicy({ ...form, enabled: true })],
    samples: [
      {
        request: 'object' in parsedRequest ? parsedRequest.object : {},
        ...(onAnswer && 'object' in parsedAnswer ? { answer: parsedAnswer.object } : {}),
      },
    ],
  });
  const refusal = useDenialReason('management');
  const valid =
    refusal === null && 'object' in parsedRequest && (!onAnswer || 'object' in parsedAnswer) && !isEmpty;
  const trial = useQuery({
    queryKey: ['policies', 'trial', body],
    queryFn: () => sendJson<PolicySampleResult>('POST', 'api/management/policies/dry-run', body),
    enabled: valid,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return (
    <Card title={policiesText.trial.title} aside={policiesText.trial.aside}>
      <div className="grid gap-4">
        <BodyField
          label={policiesText.trial.request}
          rows={8}
          typed={request}
          parsed={parsedRequest}
          onChange={setRequest}
        />
        {onAnswer && (
          <BodyField
            label={policiesText.trial.answer}
            rows={6}
            typed={answer}
            parsed={parsedAnswer}
            onChange={setAnswer}
          />
        )}
        {refusal ? (
          <p className="text-ui text-ink-2">{refusal}</p>
        ) : isEmpty ? (
          <p className="text-ui text-ink-2">{policiesText.trial.empty}</p>
        ) : trial.error ? (
          <ErrorState what={policiesText.trial.failed} error={trial.error} />
        ) : trial.data ? (
          <TestOutcome trial={trial.data} mode={form.mode} onAnswer={onAnswer} />
        ) : (
          valid && <SkeletonRows rows={2} />
        )}
      </div>
    </Card>
  );
}

const OUTCOMES: Readonly<Record<string, { readonly state: DisplayStatus; readonly word: string }>> = {
  passed: { state: 'healthy', word: policiesText.trial.outcomes.passed },
  denied: { state: 'blocked', word: policiesText.trial.outcomes.denied },
  redacted: { state: 'partial', word: policiesText.trial.outcomes.redacted },
};

function BodyField({
  label,
  rows,
  typed,
  parsed,
  onChange,
}: {
  readonly label: string;
  readonly rows: number;
  readonly typed: string;
  readonly parsed: ReturnType<typeof parseJsonObject>;
  readonly onChange: (typed: string) => void;
}) {
  return (
    <Field label={label} error={'problem' in parsed ? parsed.problem : null}>
      <CodeArea rows={rows} value={typed} onChange={({ target }) => onChange(target.value)} />
    </Field>
  );
}

function TestOutcome({
  trial,
  mode,
  onAnswer,
}: {
  readonly trial: PolicySampleResult;
  readonly mode: PolicyFormValues['mode'];
  readonly onAnswer: boolean;
}) {
  const [sample] = trial.data;
  const result = onAnswer ? sample?.answer : sample?.request;
  if (!result) return null;
  const { state, word } = OUTCOMES[result.outcome] ?? { state: 'unknown', word: result.outcome };
  return (
    <div className="grid gap-3">
      <p role="status" className="flex items-center gap-2 text-body font-medium">
        <StatusIcon state={state} />
        {word}
        {mode === 'monitor' && result.outcome !== 'passed' && (
          <span className="text-ui font-normal text-ink-2">{policiesText.trial.monitorOnly}</span>
        )}
      </p>
      {result.decisions.map(({ policy, outcome, reason }) => (
        <p key={policy} className="text-ui text-ink-2">
          <span className="text-ink">{outcome.replaceAll('_', ' ')}</span>
          {reason && policiesText.trial.reason(reason)}
        </p>
      ))}
      {result.body !== null && result.body !== undefined && (
        <JsonView value={result.body} label={policiesText.trial.body} />
      )}
    </div>
  );
}

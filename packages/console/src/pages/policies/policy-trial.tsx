import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sendJson } from '../../data/api-client.ts';
import { useDebounced } from '../../data/debounced.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { Card } from '../../ui/cards.tsx';
import { ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { CodeArea, Field } from '../../ui/field.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { type DisplayStatus, StatusIcon } from '../../ui/status.tsx';
import { type DryRun, type PolicyForm, pastedObject, triedPolicy } from './policy-form.ts';

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

/** Judges a pasted request with the rule as it stands in the form, as if it were enforced. Nothing is sent or kept. */
export function PolicyTrial({ form }: { readonly form: PolicyForm }) {
  const [request, setRequest] = useState(REQUEST);
  const [answer, setAnswer] = useState(ANSWER);
  const [askedOf, answeredWith] = [pastedObject(request), pastedObject(answer)];
  const onAnswer = form.on === 'answer';
  const isEmpty = form.when.trim() === '' && !form.secrets && form.pii.length === 0;
  const body = useDebounced({
    policies: [triedPolicy({ ...form, enabled: true })],
    samples: [
      {
        request: 'object' in askedOf ? askedOf.object : {},
        ...(onAnswer && 'object' in answeredWith ? { answer: answeredWith.object } : {}),
      },
    ],
  });
  const refusal = useDenialReason('management');
  const valid =
    refusal === null && 'object' in askedOf && (!onAnswer || 'object' in answeredWith) && !isEmpty;
  const trial = useQuery({
    queryKey: ['policies', 'trial', body],
    queryFn: () => sendJson<DryRun>('POST', 'api/management/policies/dry-run', body),
    enabled: valid,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return (
    <Card title="Try it on a request" aside="nothing is sent or kept">
      <div className="grid gap-4">
        <BodyField label="Request body" rows={8} typed={request} asked={askedOf} onChange={setRequest} />
        {onAnswer && (
          <BodyField label="Answer" rows={6} typed={answer} asked={answeredWith} onChange={setAnswer} />
        )}
        {refusal ? (
          <p className="text-ui text-ink-2">{refusal}</p>
        ) : isEmpty ? (
          <p className="text-ui text-ink-2">Write a condition, or choose what to find.</p>
        ) : trial.error ? (
          <ErrorState what="This rule cannot be judged." error={trial.error} />
        ) : trial.data ? (
          <Judgement trial={trial.data} mode={form.mode} onAnswer={onAnswer} />
        ) : (
          valid && <SkeletonRows rows={2} />
        )}
      </div>
    </Card>
  );
}

const OUTCOMES: Readonly<Record<string, { readonly state: DisplayStatus; readonly word: string }>> = {
  passed: { state: 'healthy', word: 'Passes' },
  denied: { state: 'blocked', word: 'Denied' },
  redacted: { state: 'partial', word: 'Rewritten' },
};

function BodyField({
  label,
  rows,
  typed,
  asked,
  onChange,
}: {
  readonly label: string;
  readonly rows: number;
  readonly typed: string;
  readonly asked: ReturnType<typeof pastedObject>;
  readonly onChange: (typed: string) => void;
}) {
  return (
    <Field label={label} error={'problem' in asked ? asked.problem : null}>
      <CodeArea rows={rows} value={typed} onChange={({ target }) => onChange(target.value)} />
    </Field>
  );
}

function Judgement({
  trial,
  mode,
  onAnswer,
}: {
  readonly trial: DryRun;
  readonly mode: PolicyForm['mode'];
  readonly onAnswer: boolean;
}) {
  const [sample] = trial.data;
  const judged = onAnswer ? sample?.answer : sample?.request;
  if (!judged) return null;
  const { state, word } = OUTCOMES[judged.outcome] ?? { state: 'unknown', word: judged.outcome };
  return (
    <div className="grid gap-3">
      <p role="status" className="flex items-center gap-2 text-body font-medium">
        <StatusIcon state={state} />
        {word}
        {mode === 'monitor' && judged.outcome !== 'passed' && (
          <span className="text-ui font-normal text-ink-2">
            if it were enforced; now it is only written down
          </span>
        )}
      </p>
      {judged.decisions.map(({ policy, outcome, because }) => (
        <p key={policy} className="text-ui text-ink-2">
          <span className="text-ink">{outcome.replaceAll('_', ' ')}</span>
          {because && ` · ${because}`}
        </p>
      ))}
      {judged.body !== null && judged.body !== undefined && (
        <JsonView value={judged.body} label="what would go on" />
      )}
    </div>
  );
}

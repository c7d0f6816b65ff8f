import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useDebounced } from '../../data/debounced.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { ErrorState, Notice, SkeletonRows } from '../../ui/feedback.tsx';
import { CodeArea, Field, Input, Select } from '../../ui/field.tsx';
import { decisionLabel, type RelaySimulation, summarizeSimulation } from './decision-label.ts';
import { DecisionStatus } from './decision-status.tsx';
import { ParsedCommand } from './parsed-command.tsx';
import { type SimulationInput, simulationQuery, useRelayMode } from './relay-data.ts';
import { HELD_BACK } from './rule-form.ts';

const EVENTS = [
  { value: 'shell', label: 'Command' },
  { value: 'tool', label: 'Tool' },
  { value: 'prompt', label: 'Prompt' },
  { value: 'file_read', label: 'Reads a file' },
  { value: 'file_write', label: 'Writes a file' },
] as const;

const PLACEHOLDERS = {
  shell: 'sudo env X=1 git push -f origin main',
  tool: 'query',
  prompt: 'Deploy with the key sk-…',
  file_read: '~/.ssh/id_ed25519',
  file_write: '/etc/hosts',
} as const;

const SETTLE_MS = 120;

/** Paste a command: how it is read, and what the rules, or the draft, say about it. Nothing runs, nothing is kept. */
export function RelaySimulator({
  draft,
  start = '',
}: {
  /** Every rule with the unsaved one among them; absent while nothing is changed, null while it cannot be read. */
  readonly draft?: readonly object[] | null | undefined;
  readonly start?: string;
}) {
  const [tried, setTried] = useState<SimulationInput>({ event: 'shell', text: start, url: '' });
  const asked = useDebounced(tried, SETTLE_MS);
  const drafted = useDebounced(draft, SETTLE_MS);
  const saved = useQuery(simulationQuery(asked));
  const changed = useQuery({
    ...simulationQuery(asked, drafted ?? undefined),
    enabled: asked.text.trim() !== '' && Boolean(drafted),
  });
  const answer = drafted ? changed : saved;
  return (
    <Card title="Try it" aside="nothing runs, nothing is kept">
      <div className="grid gap-4">
        <RelaySimulationFields
          tried={tried}
          onChange={(fields) => setTried((before) => ({ ...before, ...fields }))}
        />
        {asked.text.trim() === '' ? (
          <p className="text-ui text-ink-2">
            Paste what an agent would do. You see how it is read and which rules apply.
          </p>
        ) : answer.error && !answer.isFetching ? (
          <ErrorState
            what={drafted ? 'This draft cannot be saved as it stands.' : 'Could not simulate.'}
            error={answer.error}
            onRetry={() => void answer.refetch()}
          />
        ) : answer.data === undefined ? (
          <SkeletonRows rows={3} />
        ) : (
          <div className={answer.isPlaceholderData ? 'stale grid gap-3' : 'grid gap-3'}>
            <SimulationOutcome answer={answer.data} saved={drafted ? saved.data : undefined} />
            {asked.event === 'shell' && <ParsedCommand text={asked.text} read={answer.data} />}
          </div>
        )}
      </div>
    </Card>
  );
}

function RelaySimulationFields({
  tried: { event, text, url },
  onChange,
}: {
  readonly tried: SimulationInput;
  readonly onChange: (fields: Partial<SimulationInput>) => void;
}) {
  const kind = EVENTS.find(({ value }) => value === event);
  const isLong = event === 'shell' || event === 'prompt';
  return (
    <div className="grid gap-3 sm:grid-cols-[9rem_minmax(0,1fr)]">
      <Field label="What an agent does">
        <Select
          choices={EVENTS}
          value={event}
          onChange={({ target }) =>
            onChange({ event: EVENTS.find(({ value }) => value === target.value)?.value ?? 'shell' })
          }
        />
      </Field>
      <Field label={event.startsWith('file') ? 'Path' : (kind?.label ?? '')}>
        {isLong ? (
          <CodeArea
            rows={2}
            value={text}
            placeholder={PLACEHOLDERS[event]}
            onChange={({ target }) => onChange({ text: target.value })}
          />
        ) : (
          <Input
            spellCheck={false}
            className="font-mono text-code"
            value={text}
            placeholder={PLACEHOLDERS[event]}
            onChange={({ target }) => onChange({ text: target.value })}
          />
        )}
      </Field>
      {event === 'tool' && (
        <div className="sm:col-start-2">
          <Field label="Address of the connector" optional>
            <Input
              spellCheck={false}
              className="font-mono text-code"
              value={url}
              placeholder="https://mcp.acme.example/postgres"
              onChange={({ target }) => onChange({ url: target.value.trim() })}
            />
          </Field>
        </div>
      )}
    </div>
  );
}

function SimulationOutcome({
  answer,
  saved,
}: {
  readonly answer: RelaySimulation;
  /** What the saved rules say, while a draft is tried. */
  readonly saved: RelaySimulation | undefined;
}) {
  const { state } = decisionLabel(answer);
  const isObserving = useRelayMode() === 'observe';
  const isHeld = answer.decision !== answer.enforced_decision;
  const others = answer.matches.filter(({ rule }) => rule !== answer.rule);
  return (
    <>
      <div role="status" className="text-body">
        <DecisionStatus said={{ state, word: summarizeSimulation(answer) }} />
        {isHeld && (
          <p className="mt-1 text-ui text-ink-2">
            It is only watched: the agent hears nothing of it. {isObserving ? HELD_BACK : ''}
          </p>
        )}
      </div>
      {saved && saved.enforced_decision !== answer.enforced_decision && (
        <Notice state="partial">
          <span className="font-medium">Your draft changes this.</span> As saved: {summarizeSimulation(saved)}
        </Notice>
      )}
      {saved && saved.enforced_decision === answer.enforced_decision && (
        <p className="text-ui text-ink-2">Your draft changes nothing about this.</p>
      )}
      <DetailList
        items={[
          ['The person sees', answer.user_message],
          ['The agent reads', answer.agent_message],
          ['Also applies', others.length === 0 ? null : others.map(({ rule }) => rule).join(', ')],
          [
            'Found',
            answer.findings.length === 0
              ? null
              : answer.findings.map(({ kind, count }) => `${count} ${kind.replaceAll('_', ' ')}`).join(', '),
          ],
        ]}
      />
    </>
  );
}

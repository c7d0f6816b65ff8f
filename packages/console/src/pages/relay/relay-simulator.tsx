import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useDebouncedValue } from '../../data/use-debounced-value.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { ErrorState, Notice, SkeletonRows } from '../../ui/feedback.tsx';
import { CodeArea, Field, Input, Select } from '../../ui/field.tsx';
import {
  describeUnenforcedRule,
  getDecisionDisplay,
  isSameSimulationResult,
  type RelaySimulationResult,
  summarizeRelaySimulation,
} from './decision-display.ts';
import { DecisionStatus } from './decision-status.tsx';
import { ParsedCommand } from './parsed-command.tsx';
import { buildRelaySimulationQuery, type RelaySimulationInput, useRelayMode } from './relay-data.ts';
import { ruleText } from './rule-text.ts';
import { relayText } from './text.ts';

const EVENTS = [
  { value: 'shell', label: relayText.events.shell, field: ruleText.test.command },
  { value: 'tool', label: relayText.events.tool, field: ruleText.test.tool },
  { value: 'prompt', label: relayText.events.prompt, field: ruleText.test.prompt },
  { value: 'file_read', label: relayText.events.file_read, field: ruleText.test.path },
  { value: 'file_write', label: relayText.events.file_write, field: ruleText.test.path },
] as const;

const PLACEHOLDERS = {
  shell: 'sudo env X=1 git push -f origin main',
  tool: 'query',
  prompt: 'Deploy with the key sk-…',
  file_read: '~/.ssh/id_ed25519',
  file_write: '/etc/hosts',
} as const;

const SETTLE_MS = 120;

/**
 * Shows how the relay would parse an action and what it would decide, with the saved rules or with the draft.
 * Nothing is executed or recorded.
 */
export function RelaySimulator({
  draft,
  start = '',
}: {
  /**
   * All rules with the draft among them. Absent if nothing was changed, and null if the draft is not valid.
   */
  readonly draft?: readonly object[] | null | undefined;
  readonly start?: string;
}) {
  const [tried, setTried] = useState<RelaySimulationInput>({ event: 'shell', text: start, url: '' });
  const asked = useDebouncedValue(tried, SETTLE_MS);
  const drafted = useDebouncedValue(draft, SETTLE_MS);
  const saved = useQuery(buildRelaySimulationQuery(asked));
  const changed = useQuery({
    ...buildRelaySimulationQuery(asked, drafted ?? undefined),
    enabled: asked.text.trim() !== '' && Boolean(drafted),
  });
  const answer = drafted ? changed : saved;
  return (
    <Card title={ruleText.test.title} aside={ruleText.test.remark}>
      <div className="grid gap-4">
        <RelaySimulationFields
          tried={tried}
          onChange={(fields) => setTried((before) => ({ ...before, ...fields }))}
        />
        {asked.text.trim() === '' ? (
          <p className="text-ui text-ink-2">{ruleText.test.hint}</p>
        ) : answer.error && !answer.isFetching ? (
          <ErrorState
            what={drafted ? ruleText.test.draftError : ruleText.test.error}
            error={answer.error}
            onRetry={() => void answer.refetch()}
          />
        ) : answer.data === undefined ? (
          <SkeletonRows rows={3} />
        ) : (
          <div className={answer.isPlaceholderData ? 'stale grid gap-3' : 'grid gap-3'}>
            <SimulationOutcome answer={answer.data} saved={drafted ? saved.data : undefined} />
            {asked.event === 'shell' && <ParsedCommand text={asked.text} parsed={answer.data} />}
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
  readonly tried: RelaySimulationInput;
  readonly onChange: (fields: Partial<RelaySimulationInput>) => void;
}) {
  const kind = EVENTS.find(({ value }) => value === event);
  const isLong = event === 'shell' || event === 'prompt';
  return (
    <div className="grid gap-3 sm:grid-cols-[9rem_minmax(0,1fr)]">
      <Field label={ruleText.test.event}>
        <Select
          choices={EVENTS}
          value={event}
          onChange={({ target }) =>
            onChange({ event: EVENTS.find(({ value }) => value === target.value)?.value ?? 'shell' })
          }
        />
      </Field>
      <Field label={kind?.field ?? ''}>
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
          <Field label={ruleText.test.connectorUrl} optional>
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
  readonly answer: RelaySimulationResult;
  /** The result with the saved rules, shown while a draft is tested. */
  readonly saved: RelaySimulationResult | undefined;
}) {
  const { state } = getDecisionDisplay(answer);
  const isObserving = useRelayMode() === 'observe';
  const isHeld = answer.decision !== answer.enforced_decision;
  const others = answer.matches.filter(({ rule }) => rule !== answer.rule);
  return (
    <>
      <div role="status" className="text-body">
        <DecisionStatus label={{ state, word: summarizeRelaySimulation(answer) }} />
        {isHeld && (
          <p className="mt-1 text-ui text-ink-2">
            {describeUnenforcedRule(answer)} {isObserving ? ruleText.observeOnly : ''}
          </p>
        )}
      </div>
      {saved && !isSameSimulationResult(saved, answer) && (
        <Notice state="partial">
          <span className="font-medium">{ruleText.test.draftChanges}</span>{' '}
          {ruleText.test.savedResult(summarizeRelaySimulation(saved))}
        </Notice>
      )}
      {saved && isSameSimulationResult(saved, answer) && (
        <p className="text-ui text-ink-2">{ruleText.test.draftUnchanged}</p>
      )}
      <DetailList
        items={[
          [ruleText.form.userMessage, answer.user_message],
          [ruleText.form.agentMessage, answer.agent_message],
          [
            ruleText.test.alsoMatching,
            others.length === 0 ? null : others.map(({ rule }) => rule).join(', '),
          ],
          [
            ruleText.test.findings,
            answer.findings.length === 0
              ? null
              : answer.findings
                  .map(({ kind, count }) => ruleText.test.finding(count, kind.replaceAll('_', ' ')))
                  .join(', '),
          ],
        ]}
      />
    </>
  );
}

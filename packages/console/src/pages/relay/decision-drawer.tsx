import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, FlaskConical, X } from 'lucide-react';
import { OrgLink } from '../../app/org-link.tsx';
import { formatDuration } from '../../format/amounts.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { capitalize } from '../../format/words.ts';
import { IconButton } from '../../ui/button.tsx';
import { Card, DetailList } from '../../ui/cards.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Badge, StatusBadge } from '../../ui/status.tsx';
import { formatAgent } from './decision-columns.tsx';
import {
  BUILT_IN_RULE_NAMES,
  getAgentEventLabel,
  getDecisionDisplay,
  getEnforcedDecisionDisplay,
  type StoredDecision,
} from './decision-display.ts';
import { DecisionStatus } from './decision-status.tsx';
import { ParsedCommand } from './parsed-command.tsx';
import { allRulesQuery, buildDecisionQuery, buildRelaySimulationQuery } from './relay-data.ts';
import { ruleText } from './rule-text.ts';
import { relayText } from './text.ts';

/**
 * Shows one decision next to the list: the action, the matching rules, the response to the hook and the
 * requester.
 */
export function DecisionDrawer({
  id,
  onClose,
  onPrevious,
  onNext,
}: {
  readonly id: string;
  readonly onClose: () => void;
  readonly onPrevious: () => void;
  readonly onNext: () => void;
}) {
  const { data, error, refetch } = useQuery(buildDecisionQuery(id));
  return (
    <Drawer title={relayText.decision.title} about={id} onClose={onClose}>
      <div className="flex items-start gap-2 px-4 pt-3 md:px-6">
        <div className="min-w-0 flex-1">
          {data ? <Heading decision={data} /> : <Skeleton className="h-7 w-64" />}
        </div>
        <div className="flex">
          <IconButton icon={ChevronUp} label={relayText.decisions.previous} keys="k" onClick={onPrevious} />
          <IconButton icon={ChevronDown} label={relayText.decisions.next} keys="j" onClick={onNext} />
          <IconButton icon={X} label={relayText.decision.close} keys="Esc" onClick={onClose} />
        </div>
      </div>
      <p className="flex flex-wrap items-center gap-x-2 border-b border-line px-4 pt-1 pb-2 text-ui text-ink-2 md:px-6">
        {data && formatFullDateTime(new Date(data.created_at), getBrowserTimeZone(), true)}
        <code className="font-mono text-code">{id}</code>
        <CopyButton text={id} label={relayText.decision.copyId} />
      </p>
      {error && !data ? (
        <ErrorState what={relayText.decision.loadError} error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <div className="grid gap-4 p-4 md:p-6">
          <RecordedAction decision={data} />
          <MatchedRuleList decision={data} />
          <HookAnswer decision={data} />
          <DecisionSource decision={data} />
        </div>
      ) : (
        <Skeleton className="m-6 h-40" />
      )}
    </Drawer>
  );
}

interface DecisionProps {
  readonly decision: StoredDecision;
}

function Heading({ decision }: DecisionProps) {
  const { state, word } = getDecisionDisplay(decision);
  return (
    <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
      {state === null ? <Badge>{word}</Badge> : <StatusBadge state={state}>{word}</StatusBadge>}
      <h2 className="min-w-0 text-body font-semibold break-words">
        {decision.rule === null
          ? getAgentEventLabel(decision.event)
          : relayText.decision.byRule(decision.rule)}
      </h2>
    </div>
  );
}

/** Shows the stored action. A command is parsed again and evaluated with the current rules. */
function RecordedAction({ decision: { event, input_summary: what, findings } }: DecisionProps) {
  const isShell = event === 'shell';
  const read = useQuery({
    ...buildRelaySimulationQuery({ event: 'shell', text: what, url: '' }),
    enabled: isShell && what !== '',
  });
  const link = isShell && (
    <OrgLink
      to="/relay/rules"
      search={{ try: what }}
      className="inline-flex items-center gap-1 text-accent-ink underlined"
    >
      <FlaskConical size={14} aria-hidden="true" /> {relayText.decision.tryRules}
    </OrgLink>
  );
  return (
    <Card title={isShell ? relayText.decision.command : relayText.decision.action} aside={link}>
      <div className="grid gap-3">
        {read.data ? (
          <ParsedCommand text={what} parsed={read.data} />
        ) : (
          <p className="rounded-control border border-line bg-sunken px-3 py-2 font-mono text-code break-words whitespace-pre-wrap">
            {what}
          </p>
        )}
        {findings.length > 0 && (
          <p className="flex flex-wrap items-center gap-1 text-ui text-ink-2">
            {relayText.decision.masked}
            {findings.map(({ kind, count }) => (
              <Badge key={kind} name={kind.replaceAll('_', ' ')}>
                {count}
              </Badge>
            ))}
          </p>
        )}
      </div>
    </Card>
  );
}

function MatchedRuleList({ decision: { matches, reason } }: DecisionProps) {
  return (
    <Card title={relayText.decision.rules} aside={relayText.decision.rulesRemark}>
      {matches.length === 0 ? (
        <p className="text-ui text-ink-2">{reason ?? relayText.decision.noRules}</p>
      ) : (
        <ul className="divide-y divide-line">
          {matches.map((hit) => (
            <li key={hit.rule} className="grid gap-0.5 py-2 first:pt-0 last:pb-0">
              <span className="flex flex-wrap items-center gap-x-3 text-ui">
                <DecisionStatus
                  label={getDecisionDisplay({
                    decision: hit.mode === 'enforce' ? hit.decision : 'abstain',
                    enforced_decision: hit.decision,
                  })}
                />
                <RuleName name={hit.rule} />
                <span className="text-small text-ink-3">{ruleText.modes[hit.mode]}</span>
              </span>
              <span className="text-small text-ink-2">{hit.reason && capitalize(hit.reason)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Shows the name of a rule. It links to the rule, unless the rule is built-in or no longer exists. */
function RuleName({ name }: { readonly name: string }) {
  const { data: rules } = useQuery(allRulesQuery);
  const found = rules?.find(({ rule }) => rule.name === name);
  if (found) return <OrgLink to={`/relay/rules/${encodeURIComponent(found.id)}`}>{name}</OrgLink>;
  return (
    <>
      <span>{name}</span>
      {BUILT_IN_RULE_NAMES.has(name) && <Badge>{relayText.decision.builtIn}</Badge>}
    </>
  );
}

function HookAnswer({ decision }: DecisionProps) {
  const {
    user_message,
    agent_message,
    decision: answered,
    enforced_decision: would,
    approval_id,
    latency_us,
  } = decision;
  return (
    <Card
      title={relayText.decision.answer}
      aside={relayText.decision.latency(formatDuration(latency_us / 1000))}
    >
      <DetailList
        items={[
          [relayText.decision.decision, <code key="answer">{answered}</code>],
          [relayText.decision.ifEnforced, would === answered ? null : getEnforcedDecisionDisplay(would).word],
          [relayText.decision.messageToPerson, user_message],
          [relayText.decision.messageToAgent, agent_message],
          [
            relayText.decision.approval,
            approval_id && (
              <OrgLink key="approval" to={`/relay/approvals/${approval_id}`}>
                {approval_id}
              </OrgLink>
            ),
          ],
        ]}
      />
    </Card>
  );
}

function DecisionSource({ decision }: DecisionProps) {
  const { key, owner, team, agent, agent_version, client_version, repository, cwd, session_id } = decision;
  return (
    <Card title={relayText.decision.requester}>
      <DetailList
        items={[
          [relayText.decision.person, owner],
          [relayText.decision.team, team],
          [relayText.decision.key, key],
          [relayText.decision.agent, formatAgent({ agent, agent_version })],
          [relayText.decision.hookVersion, client_version],
          [relayText.decision.repository, repository],
          [relayText.decision.directory, cwd && <code className="font-mono text-code break-all">{cwd}</code>],
          [
            relayText.decision.session,
            session_id && (
              <OrgLink key="session" to="/relay/decisions" search={{ session: session_id, range: '30d' }}>
                {session_id}
              </OrgLink>
            ),
          ],
        ]}
      />
    </Card>
  );
}

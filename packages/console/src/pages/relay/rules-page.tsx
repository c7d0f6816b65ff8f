import { ListPage } from '../../app/list-page.tsx';
import { OrgLink } from '../../app/org-link.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { formatCount } from '../../format/amounts.ts';
import { Notice } from '../../ui/feedback.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { getAgentEventLabel, getDecisionDisplay } from './decision-display.ts';
import { DecisionStatus } from './decision-status.tsx';
import { RELAY_RULES_API_PATH, type RelayRuleWithMatchCount } from './relay-data.ts';
import { RelaySimulator } from './relay-simulator.tsx';
import { isAnyRuleLimitedToObserve, summarizeRule, toRuleFormValues } from './rule-form.ts';
import { RuleReplayCard } from './rule-replay-card.tsx';
import { ruleText } from './rule-text.ts';

/** Lists the rules. Below the list, users can test the rules with one event and replay past decisions. */
export function RulesPage() {
  const { query } = useUrlState();
  useRefetchOnEvent('config', ['relay', 'rules']);
  const list = useListRows(buildListQuery<RelayRuleWithMatchCount>('relay-rules', RELAY_RULES_API_PATH));
  return (
    <ListPage
      title={ruleText.page.title}
      one={ruleText.page.resource}
      needs="relay"
      list={list}
      columns={COLUMNS}
      card={(rule) => <RuleCard rule={rule} />}
      onOpen={useResourceNavigate('/relay/rules')}
      above={
        <div className="grid gap-3 px-4 pb-3 md:px-6">
          <p className="max-w-3xl text-ui text-ink-2">{ruleText.page.intro}</p>
          {list.rows !== undefined && list.rows.length > 0 && (
            <p className="max-w-3xl text-ui text-ink-2">{ruleText.page.builtIn}</p>
          )}
          {isAnyRuleLimitedToObserve(list.rows ?? []) && <Notice>{ruleText.observeOnly}</Notice>}
        </div>
      }
      below={
        <div className="grid items-start gap-4 p-4 md:p-6 xl:grid-cols-[3fr_2fr]">
          <RelaySimulator start={query.get('try') ?? ''} />
          <RuleReplayCard />
        </div>
      }
      empty={{
        title: ruleText.page.emptyTitle,
        text: ruleText.page.empty,
      }}
    />
  );
}

function ruleDecisionLabel({ rule, mode }: RelayRuleWithMatchCount) {
  const { decision } = toRuleFormValues({ rule });
  const label = getDecisionDisplay({
    decision: mode === 'enforce' ? decision : 'abstain',
    enforced_decision: decision,
  });
  return mode === 'enforce' ? { ...label, word: ruleText.decisions[decision] } : label;
}

/** Shows the decision of a rule. If the mode is `observe` or `warn`, the text starts with “Would”. */
function RuleDecisionText({ rule }: { readonly rule: RelayRuleWithMatchCount }) {
  return <DecisionStatus label={ruleDecisionLabel(rule)} />;
}

const COLUMNS: readonly TableColumn<RelayRuleWithMatchCount>[] = [
  {
    id: 'decision',
    label: ruleText.page.decision,
    width: '10.5rem',
    value: ({ rule }) => String(rule['decision']),
    cell: (rule) => <RuleDecisionText rule={rule} />,
  },
  {
    id: 'name',
    label: ruleText.page.name,
    width: 'minmax(8rem, 16rem)',
    value: ({ rule }) => rule.name,
    cell: ({ rule }) => rule.name,
  },
  {
    id: 'on',
    label: ruleText.page.events,
    width: 'minmax(7rem, 12rem)',
    yields: 1,
    cell: ({ rule }) => toRuleFormValues({ rule }).on.map(getAgentEventLabel).join(', '),
  },
  {
    id: 'match',
    label: ruleText.page.match,
    width: 'minmax(10rem, 1fr)',
    cell: (rule) => <code className="block truncate font-mono text-code">{summarizeRule(rule)}</code>,
  },
  {
    id: 'mode',
    label: ruleText.page.mode,
    width: '5.5rem',
    value: ({ mode }) => mode,
    cell: ({ mode }) => ruleText.modes[mode],
  },
  {
    id: 'hits',
    label: ruleText.page.matches,
    width: '7rem',
    yields: 2,
    align: 'end',
    value: ({ match_count }) => match_count,
    cell: ({ rule, match_count: hits }) =>
      hits === 0 ? (
        <span className="text-ink-3">0</span>
      ) : (
        <OrgLink to="/relay/decisions" search={{ rule: rule.name, range: '7d' }}>
          {formatCount(hits)}
        </OrgLink>
      ),
  },
  {
    id: 'source',
    label: ruleText.page.source,
    width: '8rem',
    yields: 3,
    cell: ({ source }) => <SourceBadge source={source} />,
  },
];

function RuleCard({ rule }: { readonly rule: RelayRuleWithMatchCount }) {
  return (
    <span className="grid gap-0.5">
      <span className="flex items-center gap-3">
        <span className="min-w-0 flex-1 truncate font-medium">{rule.rule.name}</span>
        <RuleDecisionText rule={rule} />
      </span>
      <span className="truncate font-mono text-code text-ink-2">{summarizeRule(rule)}</span>
    </span>
  );
}

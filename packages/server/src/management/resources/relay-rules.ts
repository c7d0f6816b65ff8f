import { relayRule, relayRuleBody } from '@floe/contract/api/relay-management';
import type { RelayRuleConfig } from '@floe/contract/config';
import { RelayRuleSchema } from '@floe/contract/config/relay';
import { isObject } from '@floe/contract/json';
import { compileRule } from '@floe/relay/rules/rule';
import type * as z from 'zod';
import { hitsByRule } from '../../store/relay/decisions.ts';
import type { RuleHost } from '../guardrails/rule-host.ts';
import { validate } from '../input.ts';
import type { RelayHost } from '../relay/relay-host.ts';
import { compiledFor } from '../relay/rule-problem.ts';
import type { Reading } from '../verb-definition.ts';
import { given, ruleKind, type StoredRule, writtenBy } from './rule-kind.ts';

type View = z.input<typeof relayRule>;
type Hits = ReadonlyMap<string, number>;

const WEEK_MS = 7 * 24 * 3_600_000;
const HITS_LOOKED_AT = 10_000;

const SUMMARIES = {
  list: 'List rules of the relay with how often they applied: those of floe.yaml first, then newest first',
  create: 'Create a rule of the relay',
  get: 'Read one rule of the relay',
  update: 'Change some fields of a rule; null clears',
  replace: 'Create or replace the rule with this id; what GET returned is accepted',
  delete: 'Remove a rule of the relay',
};

/** Rules of the relay, with how often they applied. */
export function relayRules({ relays }: Pick<RelayHost, 'relays'>, host: Pick<RuleHost, 'fileRules'>) {
  // A document writes many rules in one transaction, which sees the same decisions from its beginning to its end.
  const known = new WeakMap<Reading, Promise<Hits>>();
  const hitsOf = (context: Reading): Promise<Hits> => {
    const { reader, orgId, clock } = context;
    const hits = known.get(context) ?? hitsByRule(reader, orgId, clock.now() - WEEK_MS, HITS_LOOKED_AT);
    known.set(context, hits);
    return hits;
  };
  return ruleKind<RelayRuleConfig, View>(
    {
      kind: 'relay_rules',
      one: 'rule',
      path: '/api/management/relay/rules',
      changes: 'relay',
      live: ['hits', 'mode'],
      summaries: SUMMARIES,
      unknown: 'No rule of the relay has this id.',
      prefix: 'rlr',
      schema: RelayRuleSchema,
      answer: relayRule,
      body: relayRuleBody,
      replacement: relayRuleBody,
      inFile: (rules) => rules.relay_rules,
      checked: configFrom,
      async view(rule, context) {
        const { mode } = relays.of(context.orgId).relay.config;
        return viewOf(rule, mode, await hitsOf(context));
      },
    },
    host,
  );
}

function viewOf(stored: StoredRule<RelayRuleConfig>, mode: 'observe' | 'enforce', hits: Hits): View {
  const { id, config } = stored;
  const rule: View['rule'] = JSON.parse(JSON.stringify(config));
  return {
    id,
    rule,
    mode: mode === 'enforce' ? config.mode : 'observe',
    hits: hits.get(config.name) ?? 0,
    ...writtenBy(stored),
  };
}

/** A whole rule from what a client sent: the rule itself, or what GET gave. @throws Fault as floe.yaml would refuse it */
function configFrom(body: Readonly<Record<string, unknown>>): RelayRuleConfig {
  const config: RelayRuleConfig = validate(
    RelayRuleSchema,
    given(isObject(body['rule']) ? body['rule'] : body),
  );
  compiledFor(() => compileRule(config));
  return config;
}

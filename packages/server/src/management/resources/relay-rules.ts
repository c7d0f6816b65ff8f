import { relayRule, relayRuleInput } from '@floe/contract/api/relay-management';
import type { RelayRuleConfig } from '@floe/contract/config';
import { RelayRuleSchema } from '@floe/contract/config/relay';
import { isObject } from '@floe/contract/json';
import { compileRule } from '@floe/relay/rules/compile-rule';
import type * as z from 'zod';
import { countDecisionsByRule } from '../../store/relay/relay-decisions.ts';
import type { RuleDependencies } from '../guardrails/rule-dependencies.ts';
import { compileClientInput } from '../relay/compile-submitted.ts';
import type { RelayDependencies } from '../relay/relay-dependencies.ts';
import { validateInput } from '../validate-input.ts';
import type { ReadContext } from '../verb-definition.ts';
import {
  createRuleKind,
  type ManagedRule,
  selectProvidedFields,
  toRuleMetadata,
} from './rule-resource-kind.ts';

type RelayRuleResource = z.input<typeof relayRule>;
type HitCounts = ReadonlyMap<string, number>;

const WEEK_MS = 7 * 24 * 3_600_000;
const MAX_COUNTED_DECISIONS = 10_000;

const RELAY_RULE_SUMMARIES = {
  list: 'List rules of the relay with how often they applied: those of floe.yaml first, then newest first',
  create: 'Create a rule of the relay',
  get: 'Read one rule of the relay',
  update: 'Change some fields of a rule; null clears',
  replace: 'Create or replace the rule with this id; what GET returned is accepted',
  delete: 'Remove a rule of the relay',
};

/** Rules of the relay, with how often they applied. */
export function createRelayRuleKind(
  { orgRelays }: Pick<RelayDependencies, 'orgRelays'>,
  dependencies: Pick<RuleDependencies, 'getFileRules'>,
) {
  // A document writes many rules in one transaction, which sees the same decisions from its beginning to its end.
  const hitsByContext = new WeakMap<ReadContext, Promise<HitCounts>>();
  const loadHits = (context: ReadContext): Promise<HitCounts> => {
    const { reader, orgId, clock } = context;
    const hits =
      hitsByContext.get(context) ??
      countDecisionsByRule(reader, orgId, clock.now() - WEEK_MS, MAX_COUNTED_DECISIONS);
    hitsByContext.set(context, hits);
    return hits;
  };
  return createRuleKind<RelayRuleConfig, RelayRuleResource>(
    {
      kind: 'relay_rules',
      singular: 'rule',
      path: '/api/management/relay/rules',
      invalidates: 'relay',
      volatileFields: ['match_count', 'mode'],
      summaries: RELAY_RULE_SUMMARIES,
      notFoundMessage: 'No rule of the relay has this id.',
      idPrefix: 'rlr',
      schema: RelayRuleSchema,
      answer: relayRule,
      body: relayRuleInput,
      replacement: relayRuleInput,
      fileRulesOf: (rules) => rules.relayRules,
      parseConfig: parseRelayRule,
      async toResource(rule, context) {
        const { mode } = orgRelays.get(context.orgId).relay.config;
        return toRelayRuleResource(rule, mode, await loadHits(context));
      },
    },
    dependencies,
  );
}

function toRelayRuleResource(
  stored: ManagedRule<RelayRuleConfig>,
  mode: 'observe' | 'enforce',
  hits: HitCounts,
): RelayRuleResource {
  const { id, config } = stored;
  const rule: RelayRuleResource['rule'] = JSON.parse(JSON.stringify(config));
  return {
    id,
    rule,
    mode: mode === 'enforce' ? config.mode : 'observe',
    match_count: hits.get(config.name) ?? 0,
    ...toRuleMetadata(stored),
  };
}

/** A whole rule from what a client sent: the rule itself, or what GET gave. @throws Fault as floe.yaml would refuse it */
function parseRelayRule(body: Readonly<Record<string, unknown>>): RelayRuleConfig {
  const config: RelayRuleConfig = validateInput(
    RelayRuleSchema,
    selectProvidedFields(isObject(body['rule']) ? body['rule'] : body),
  );
  compileClientInput(() => compileRule(config));
  return config;
}

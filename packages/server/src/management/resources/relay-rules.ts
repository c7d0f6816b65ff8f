import {
  RELAY_RULE_READ_ONLY_FIELDS,
  relayRuleInput,
  relayRuleResource,
} from '@floe/contract/api/relay-rules';
import type { RelayRuleConfig } from '@floe/contract/config';
import { RelayRuleSchema } from '@floe/contract/config/relay';
import { isJsonObject } from '@floe/contract/json';
import { createCompilationCostError, exceedsCompilationLimit } from '@floe/relay/compilation-cost';
import { compileRule } from '@floe/relay/rules/compile-rule';
import type * as z from 'zod';
import { countRelayDecisionsByRule } from '../../store/relay/relay-decisions.ts';
import type { RuleDependencies } from '../guardrails/rule-dependencies.ts';
import type { ReadOperationContext } from '../operation-definition.ts';
import { convertRuleErrorsToFaults } from '../relay/convert-rule-errors-to-faults.ts';
import type { RelayDependencies } from '../relay/relay-dependencies.ts';
import { createInvalidInputFault, validateInput } from '../validate-input.ts';
import {
  type ConfiguredRule,
  createRuleResourceKind,
  selectProvidedRuleFields,
  toRuleMetadata,
} from './rule-resource-kind.ts';

type RelayRuleResource = z.input<typeof relayRuleResource>;
type HitCounts = ReadonlyMap<string, number>;

const WEEK_MS = 7 * 24 * 3_600_000;
const MAX_COUNTED_DECISIONS = 10_000;

const RELAY_RULE_SUMMARIES = {
  list: 'List relay rules with their match counts for the last seven days; rules in floe.yaml come first, then the others, newest first',
  create: 'Create a relay rule',
  get: 'Read one relay rule',
  update: 'Change fields of a relay rule; null clears a field',
  replace: 'Create or replace a relay rule by its id; accepts the body that GET returns',
  delete: 'Remove a relay rule',
};

/** Creates the resource kind of relay rules, with the number of events that each rule matched. */
export function createRelayRuleResourceKind(
  { orgRelays }: Pick<RelayDependencies, 'orgRelays'>,
  dependencies: Pick<RuleDependencies, 'getFileRules'>,
) {
  // Applying a document writes many rules in one transaction. The counts do not change within it.
  const hitsByContext = new WeakMap<ReadOperationContext, Promise<HitCounts>>();
  const loadHits = (context: ReadOperationContext): Promise<HitCounts> => {
    const { reader, orgId, clock } = context;
    const hits =
      hitsByContext.get(context) ??
      countRelayDecisionsByRule(reader, orgId, clock.now() - WEEK_MS, MAX_COUNTED_DECISIONS);
    hitsByContext.set(context, hits);
    return hits;
  };
  return createRuleResourceKind<RelayRuleConfig, RelayRuleResource>(
    {
      kind: 'relay_rules',
      singular: 'rule',
      path: '/api/management/relay/rules',
      invalidates: 'relay',
      volatileFields: ['match_count', 'mode'],
      summaries: RELAY_RULE_SUMMARIES,
      notFoundMessage: 'No relay rule has this id.',
      idPrefix: 'rlr',
      schema: RelayRuleSchema,
      answer: relayRuleResource,
      body: relayRuleInput,
      replacement: relayRuleInput,
      fileRulesOf: (rules) => rules.relayRules,
      parseConfig: parseRelayRule,
      requireValidList(rules) {
        // A rule in floe.yaml replaces the other rule with its name.
        const byName = new Map(rules.toReversed().map((rule) => [rule.name, rule]));
        if (exceedsCompilationLimit(byName.values()))
          throw createInvalidInputFault(createCompilationCostError(['match', 'text']));
      },
      async toResource(rule, context) {
        const { mode } = orgRelays.get(context.orgId).relay.config;
        return toRelayRuleResource(rule, mode, await loadHits(context));
      },
    },
    dependencies,
  );
}

function toRelayRuleResource(
  stored: ConfiguredRule<RelayRuleConfig>,
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

/**
 * Parses a whole rule from client input, which may be the response of `GET`. @throws Fault as for floe.yaml
 */
function parseRelayRule(body: Readonly<Record<string, unknown>>): RelayRuleConfig {
  const config: RelayRuleConfig = validateInput(
    RelayRuleSchema,
    isJsonObject(body['rule'])
      ? selectProvidedRuleFields(body['rule'])
      : selectProvidedRuleFields(body, new Set(Object.keys(RELAY_RULE_READ_ONLY_FIELDS))),
  );
  convertRuleErrorsToFaults(() => compileRule(config));
  return config;
}

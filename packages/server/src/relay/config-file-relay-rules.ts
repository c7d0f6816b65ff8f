import type { RelayRuleConfig } from '@floe/contract/config';
import type { DeclaredResourceKind } from '../platform/declared-resources.ts';

/**
 * The resource kind of `relay_rules` in floe.yaml. The relay reads these rules directly from the file. They
 * are not stored in the database.
 */
export const CONFIG_FILE_RELAY_RULE_RESOURCE_KIND: DeclaredResourceKind<RelayRuleConfig> & {
  readonly kind: 'relay_rules';
} = {
  kind: 'relay_rules',
  section: ['relay', 'rules'],
  list: ({ relay }) => relay.rules,
  nameOf: ({ name }) => name,
};

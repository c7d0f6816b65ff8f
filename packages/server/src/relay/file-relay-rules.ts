import type { RelayRuleConfig } from '@floe/contract/config';
import type { ListedResourceKind } from '../platform/declared-resources.ts';

/** The `relay_rules` of floe.yaml. The relay reads them from the file and does not store them. */
export const RELAY_RULE_KIND: ListedResourceKind<RelayRuleConfig> & { readonly kind: 'relay_rules' } = {
  kind: 'relay_rules',
  section: ['relay', 'rules'],
  list: ({ relay }) => relay.rules,
  nameOf: ({ name }) => name,
};

import type { RelayRuleConfig } from '@floe/contract/config';
import type { ListedResourceKind } from '../platform/declared-resources.ts';

/** Rules of floe.yaml. They are not stored: those that run are read from the file. */
export const RELAY_RULE_KIND: ListedResourceKind<RelayRuleConfig> & { readonly kind: 'relay_rules' } = {
  kind: 'relay_rules',
  section: ['relay', 'rules'],
  list: ({ relay }) => relay.rules,
  nameOf: ({ name }) => name,
};

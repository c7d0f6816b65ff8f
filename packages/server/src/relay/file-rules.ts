import type { RelayRuleConfig } from '@floe/contract/config';
import type { ListedKind } from '../platform/file-org.ts';

/** Rules of floe.yaml. They are not stored: those that run are read from the file. */
export const RELAY_RULES: ListedKind<RelayRuleConfig> & { readonly kind: 'relay_rules' } = {
  kind: 'relay_rules',
  section: ['relay', 'rules'],
  list: ({ relay }) => relay.rules,
  nameOf: ({ name }) => name,
};

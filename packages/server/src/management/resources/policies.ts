import { policy, policyBody } from '@floe/contract/api/policies';
import type { PolicyConfig } from '@floe/contract/config';
import { PolicySchema } from '@floe/contract/config/guardrails';
import type * as z from 'zod';
import { policyProblem } from '../../guardrails/policies/policies.ts';
import { policyOf } from '../../platform/config/stored-config.ts';
import { copied, shownOf } from '../entries/entry-row.ts';
import type { OrderedEntry } from './ordered-kind.ts';

export const POLICIES: OrderedEntry<PolicyConfig, z.input<typeof policy>> = {
  kind: 'policies',
  one: 'policy',
  named: 'name',
  schema: PolicySchema,
  answer: policy,
  body: policyBody,
  nameOf: ({ name }) => name,
  examine(config) {
    const message = policyProblem(config);
    return message === null ? null : { field: 'when', message };
  },
  view(row, position) {
    const { name, enabled, on, when = null, detect = null, action, mode, message = null } = policyOf(row);
    const shown = { name, enabled, on, when, detect: copied(detect), action, mode, message };
    return { id: row.id, ...shown, position, ...shownOf(row) };
  },
};

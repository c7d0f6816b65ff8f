import { policy, policyBody } from '@floe/contract/api/policies';
import type { PolicyConfig } from '@floe/contract/config';
import { PolicySchema } from '@floe/contract/config/guardrails';
import type * as z from 'zod';
import { policyProblem } from '../../guardrails/policies/policies.ts';
import { policyOf } from '../../platform/config/stored-config.ts';
import { shownOf } from '../entries/entry-row.ts';
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
    const { name, enabled, on, when, detect, action, mode, message } = policyOf(row);
    return {
      id: row.id,
      name,
      enabled,
      on,
      when: when ?? null,
      detect: detect ? { secrets: detect.secrets, pii: [...detect.pii] } : null,
      action,
      mode,
      message: message ?? null,
      position,
      ...shownOf(row),
    };
  },
};

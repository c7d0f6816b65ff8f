import type { policy } from '@floe/contract/api/policies';
import type { PolicyConfig } from '@floe/contract/config';
import { PolicySchema } from '@floe/contract/config/guardrails';
import type * as z from 'zod';
import { policyProblem } from '../../guardrails/policies/policies.ts';
import { policyOf } from '../../platform/config/stored-config.ts';
import type { OrderedKind } from '../entries/ordered-kind.ts';
import { shownOf } from '../entries/own.ts';

/** Policies, as the verbs of `ordered-verbs.ts` handle them. */
export const POLICIES: OrderedKind<PolicyConfig, z.input<typeof policy>> = {
  kind: 'policies',
  one: 'policy',
  named: 'name',
  schema: PolicySchema,
  nameOf: ({ name }) => name,
  beside: () => ({}),
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

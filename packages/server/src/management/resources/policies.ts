import { policyInput, policyResource } from '@floe/contract/api/policies';
import type { PolicyConfig } from '@floe/contract/config';
import { PolicySchema } from '@floe/contract/config/limits-cache-policies';
import type * as z from 'zod';
import {
  COMPILATION_COST_MESSAGE,
  exceedsMaxCompilationSteps,
  findPolicyError,
} from '../../guardrails/policies/policies.ts';
import { parseStoredConfigEntry, parseStoredPolicy } from '../../platform/config/stored-config.ts';
import { cloneJson, toConfigEntryMetadata } from '../entries/config-entry-row.ts';
import type { OrderedResourceKindSpec } from './ordered-resource-kind.ts';

/** The specification of the resource kind of policies. Policies are an ordered list. */
export const POLICY_RESOURCE_KIND_SPEC: OrderedResourceKindSpec<
  PolicyConfig,
  z.input<typeof policyResource>
> = {
  kind: 'policies',
  singular: 'policy',
  nameField: 'name',
  schema: PolicySchema,
  answer: policyResource,
  body: policyInput,
  nameOf: ({ name }) => name,
  findProblem(config) {
    const message = findPolicyError(config);
    return message === null ? null : { field: 'when', message };
  },
  findListProblem(list) {
    const conditions = list.flatMap((row) => parseStoredConfigEntry(row)['when'] ?? []);
    const isTooExpensive = exceedsMaxCompilationSteps(conditions.map(String));
    return isTooExpensive ? { field: 'when', message: COMPILATION_COST_MESSAGE } : null;
  },
  toResource(row, position) {
    const {
      name,
      enabled,
      on,
      when = null,
      detect = null,
      action,
      mode,
      message = null,
    } = parseStoredPolicy(row);
    const shown = { name, enabled, on, when, detect: cloneJson(detect), action, mode, message };
    return { id: row.id, ...shown, position, ...toConfigEntryMetadata(row) };
  },
};

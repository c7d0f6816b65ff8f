import type { policyDryRunResponse, policyResource } from '@floe/contract/api/policies';
import type * as z from 'zod';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';

export type Policy = z.output<typeof policyResource>;
export type DryRun = z.output<typeof policyDryRunResponse>;

export const PII = [
  ['email', 'E-mail addresses'],
  ['phone', 'Phone numbers'],
  ['credit_card', 'Card numbers'],
  ['iban', 'IBANs'],
  ['us_ssn', 'US social security numbers'],
] as const;

export interface PolicyForm {
  readonly name: string;
  readonly enabled: boolean;
  readonly on: Policy['on'];
  readonly when: string;
  readonly secrets: boolean;
  readonly pii: readonly string[];
  readonly action: Policy['action'];
  readonly mode: Policy['mode'];
  readonly message: string;
}

export const EMPTY_POLICY: PolicyForm = {
  name: '',
  enabled: true,
  on: 'request',
  when: '',
  secrets: false,
  pii: [],
  action: 'deny',
  mode: 'monitor',
  message: '',
};

/** Where to start from; each is a whole rule. */
export const EXAMPLES: readonly { readonly label: string; readonly form: PolicyForm }[] = [
  {
    label: 'Cap the output',
    form: {
      ...EMPTY_POLICY,
      name: 'cap-output',
      when: 'request.max_tokens > 8000',
      message: 'Ask for 8,000 tokens at most.',
    },
  },
  {
    label: 'Keep secrets in',
    form: { ...EMPTY_POLICY, name: 'no-secrets', secrets: true, action: 'redact' },
  },
  {
    label: 'Only known projects',
    form: {
      ...EMPTY_POLICY,
      name: 'known-projects',
      when: "!has(metadata.project) || !(metadata.project in ['atlas', 'billing'])",
      message: 'Name your project in x-floe-metadata.',
    },
  },
];

export const ACTIONS = [
  { id: 'deny', label: 'Deny', does: 'The caller gets 403 with the name of the rule.' },
  { id: 'redact', label: 'Redact', does: 'What was found is taken out; the rest goes on.' },
  { id: 'flag', label: 'Flag', does: 'It is written down, nothing else.' },
  { id: 'allow', label: 'Allow', does: 'An exception: rules below it are not asked.' },
] as const;

export const MODES = [
  { id: 'monitor', label: 'Monitor', does: 'Only writes down what it would do.' },
  { id: 'enforce', label: 'Enforce', does: 'Acts on every request it matches.' },
] as const;

export const SIDES = [
  { id: 'request', label: 'Request', does: 'Before anything is sent.' },
  { id: 'answer', label: 'Answer', does: 'Before the client reads it.' },
] as const;

export function policyForm(policy: Policy): PolicyForm {
  return {
    name: policy.name,
    enabled: policy.enabled,
    on: policy.on,
    when: policy.when ?? '',
    secrets: policy.detect?.secrets ?? false,
    pii: policy.detect?.pii ?? [],
    action: policy.action,
    mode: policy.mode,
    message: policy.message ?? '',
  };
}

/** What the API is sent; what a rule does not have is null. */
export function policyBody(form: PolicyForm) {
  const detects = form.secrets || form.pii.length > 0;
  return {
    name: form.name.trim(),
    enabled: form.enabled,
    on: form.on,
    when: form.when.trim() || null,
    detect: detects ? { secrets: form.secrets, pii: [...form.pii] } : null,
    action: form.action,
    mode: form.mode,
    message: form.message.trim() || null,
  };
}

/** The rule for a trial: as the file would have it, where what it does not have is absent. */
export function triedPolicy(form: PolicyForm): Record<string, unknown> {
  const body = policyBody({ ...form, name: form.name.trim() || 'draft' });
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** What a rule looks at, in a few words. */
export function policyWhat({ when, detect }: Pick<Policy, 'when' | 'detect'>): string {
  const found = [detect?.secrets ? 'secrets' : null, ...(detect?.pii ?? [])].filter((one) => one !== null);
  return [when, found.length > 0 ? `finds ${found.join(', ').replaceAll('_', ' ')}` : null]
    .filter((part) => part !== null)
    .join(' and ');
}

/** JSON that somebody pasted: a whole object, or why it is none. */
export function pastedObject(text: string): { readonly object: object } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { object: value };
    return { problem: 'This is JSON, but no object.' };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.` };
  }
}

/** Policies, as their editor and list handle them. */
export const POLICIES: ConsoleResourceKind<Policy, PolicyForm> = {
  one: 'policy',
  path: 'api/management/policies',
  touches: [['policies']],
  needs: 'management',
  formOf: policyForm,
  bodyOf: policyBody,
  removal: ({ id }) => ({
    title: `Delete policy ${id}?`,
    effect: 'Nothing is judged by it from then on. Decisions it made stay with their requests.',
  }),
};

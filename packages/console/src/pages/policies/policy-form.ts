import type { policyDryRunResult, policyResource } from '@floe/contract/api/policies';
import type * as z from 'zod';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';
import { policiesText } from './text.ts';

/** A policy as the API returns it. */
export type Policy = z.output<typeof policyResource>;
/** The result of evaluating a policy against a sample. */
export type PolicySampleResult = z.output<typeof policyDryRunResult>;

/** The detectors of personal data that the form offers. */
export const PERSONAL_DATA_DETECTORS = [
  ['email', policiesText.detectors.email],
  ['phone', policiesText.detectors.phone],
  ['credit_card', policiesText.detectors.credit_card],
  ['iban', policiesText.detectors.iban],
  ['us_ssn', policiesText.detectors.us_ssn],
] as const;

/** The form values of a policy. */
export interface PolicyFormValues {
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

/** The initial form values of a new policy. */
export const NEW_POLICY_FORM: PolicyFormValues = {
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

/** Complete example policies that a new policy can start from. */
export const POLICY_EXAMPLES: readonly { readonly label: string; readonly form: PolicyFormValues }[] = [
  {
    label: policiesText.examples.capOutput.label,
    form: {
      ...NEW_POLICY_FORM,
      name: 'cap-output',
      when: 'request.max_tokens > 8000',
      message: policiesText.examples.capOutput.message,
    },
  },
  {
    label: policiesText.examples.noSecrets.label,
    form: { ...NEW_POLICY_FORM, name: 'no-secrets', secrets: true, action: 'redact' },
  },
  {
    label: policiesText.examples.knownProjects.label,
    form: {
      ...NEW_POLICY_FORM,
      name: 'known-projects',
      when: "!has(metadata.project) || !(metadata.project in ['atlas', 'billing'])",
      message: policiesText.examples.knownProjects.message,
    },
  },
];

/** The actions that the form offers, with their labels and descriptions. */
export const POLICY_ACTIONS = [
  { id: 'deny', ...policiesText.actions.deny },
  { id: 'redact', ...policiesText.actions.redact },
  { id: 'flag', ...policiesText.actions.flag },
  { id: 'allow', ...policiesText.actions.allow },
] as const;

/** The modes that the form offers, with their labels and descriptions. */
export const POLICY_MODES = [
  { id: 'monitor', ...policiesText.modes.monitor },
  { id: 'enforce', ...policiesText.modes.enforce },
] as const;

/** What a policy can apply to: requests or responses. */
export const POLICY_APPLIES_TO_OPTIONS = [
  { id: 'request', ...policiesText.sides.request },
  { id: 'answer', ...policiesText.sides.answer },
] as const;

/** Converts a policy to form values. */
export function toPolicyFormValues(policy: Policy): PolicyFormValues {
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

/** Converts the form to the request body. Fields that the policy does not use are set to null. */
export function toPolicyBody(form: PolicyFormValues) {
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

/**
 * Converts the form to the policy for a dry run. Omits fields that the policy does not use, as in floe.yaml.
 */
export function toDryRunPolicy(form: PolicyFormValues): Record<string, unknown> {
  const body = toPolicyBody({ ...form, name: form.name.trim() || 'draft' });
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** Briefly describes the condition and the detectors of a policy. */
export function describePolicyCondition({ when, detect }: Pick<Policy, 'when' | 'detect'>): string {
  const found = [detect?.secrets ? policiesText.condition.secrets : null, ...(detect?.pii ?? [])].filter(
    (one) => one !== null,
  );
  return [when, found.length > 0 ? policiesText.condition.finds(found.join(', ').replaceAll('_', ' ')) : null]
    .filter((part) => part !== null)
    .join(policiesText.condition.and);
}

/** Parses JSON text. Returns the object, or a message if the text is not a JSON object. */
export function parseJsonObject(json: string): { readonly object: object } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { object: value };
    return { problem: policiesText.json.notObject };
  } catch (error) {
    return {
      problem: policiesText.json.invalid(
        error instanceof Error ? error.message : policiesText.json.unreadable,
      ),
    };
  }
}

/** The resource kind of policies. The list and the editor use it. */
export const POLICY_RESOURCE_KIND: ConsoleResourceKind<Policy, PolicyFormValues> = {
  one: policiesText.page.one,
  path: 'api/management/policies',
  touches: [['policies']],
  needs: 'management',
  formOf: toPolicyFormValues,
  bodyOf: toPolicyBody,
  removal: ({ id }) => ({
    title: policiesText.editor.removal.title(id),
    effect: policiesText.editor.removal.effect,
  }),
};

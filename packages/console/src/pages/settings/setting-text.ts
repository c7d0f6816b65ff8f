/** The label, help text and options of each setting. */

export const settingText = {
  groups: {
    answers: 'Responses',
    ide: 'IDE adapter',
    bodies: 'Request and response logging',
    analytics: 'Analytics',
    monitors: 'Monitor defaults',
  },
  chatReasoning: {
    label: 'Reasoning in Chat Completions',
    hint: 'Clients that do not support reasoning text can display it as part of the answer or fail.',
    choices: { strip: 'Remove reasoning', forward: 'Forward reasoning' },
  },
  storedResponses: {
    label: 'Store responses for previous_response_id',
    hint: 'Stored responses are encrypted. When disabled, clients must send the whole conversation each time.',
  },
  resourceScope: {
    label: 'Access to files, batches and stored responses',
    hint: 'Which keys can read and use these resources.',
    choices: { key: 'The key that created them', org: 'All keys of the organization' },
  },
  ideErrors: {
    label: 'Editor-compatible errors',
    hint: 'Editors display only some kinds of errors. When enabled, Floe returns errors of these kinds.',
  },
  freeformTools: {
    label: 'Freeform tools',
    hint: 'How tools without a schema are sent to models.',
    choices: { function: 'As functions', custom: 'As custom tools' },
  },
  ideCapture: {
    label: 'Record unknown editor requests',
    hint: 'Stores requests that the adapter cannot parse, for bug reports. They can contain parts of prompts.',
  },
  keepBodies: {
    label: 'Store request and response bodies',
    hint: 'Bodies are stored for retention.bodies_days of floe.yaml. Owners and admins can read them.',
  },
  redactBodies: {
    label: 'Redact stored bodies',
    hint: 'Removes secrets and personal data before a body is stored. Removed content cannot be restored.',
  },
  metadataKeys: {
    label: 'Metadata keys',
    hint: 'Metadata keys that analytics can group by. One per line, at most 10. A key applies to new requests only.',
  },
  userHeaders: {
    label: 'End-user headers',
    hint: 'Headers that identify the end user. One per line. Floe uses the first header that a request contains.',
  },
  gracePeriod: {
    label: 'Grace period (min)',
    hint: 'How late a beat may arrive before a monitor fails. Used by monitors without their own grace period.',
  },
} as const;

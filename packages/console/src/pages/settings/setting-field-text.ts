/** The label, help text and options of each setting. */
export const settingFieldText = {
  groups: {
    answers: 'Responses',
    ide: 'IDE adapter',
    bodies: 'Request and response logging',
    analytics: 'Analytics',
    monitors: 'Monitor defaults',
  },
  chatReasoning: {
    label: 'Reasoning in Chat Completions',
    hint: 'Some clients do not support reasoning text. They may show it as part of the response or fail.',
    choices: { strip: 'Remove reasoning', forward: 'Forward reasoning' },
  },
  storedResponses: {
    label: 'Store responses for previous_response_id',
    hint: 'Stored responses are encrypted. If they are not stored, clients must send the whole conversation each time.',
  },
  resourceScope: {
    label: 'Access to files, batches and stored responses',
    hint: 'Determines which keys can read and use these resources.',
    choices: { key: 'The key that created them', org: 'All keys in the organization' },
  },
  ideErrors: {
    label: 'Editor-compatible errors',
    hint: 'Some editors show the error message only for status 400. If this setting is enabled, Floe returns provider errors with this status. Rate limit errors from Floe keep status 429.',
  },
  freeformTools: {
    label: 'Freeform tools',
    hint: 'How Floe represents calls to freeform tools in its responses to the editor. Freeform tools take plain text as input.',
    choices: { function: 'As functions', custom: 'As custom tools' },
  },
  ideCapture: {
    label: 'Record the structure of IDE requests',
    hint: 'Records the keys, and the types and lengths of the values, of each IDE request body in the request log. The values are not recorded.',
  },
  keepBodies: {
    label: 'Store request and response bodies',
    hint: 'The setting retention.bodies_days in floe.yaml determines how many days bodies are stored. Owners and admins can read all bodies. Members can read the bodies of requests with their own keys.',
  },
  redactBodies: {
    label: 'Redact stored bodies',
    hint: 'Removes secrets and personal data before a body is stored. Removed content cannot be restored.',
  },
  metadataKeys: {
    label: 'Metadata keys',
    hint: 'Metadata keys that analytics can group by, one per line, at most 10. New keys apply only to new requests.',
  },
  userHeaders: {
    label: 'End-user headers',
    hint: 'Headers that identify the end user, one per line. Floe uses the first of these headers that a request contains.',
  },
  gracePeriod: {
    label: 'Grace period (min)',
    hint: 'How late a beat may arrive before the monitor is marked as failing. Applies to monitors without their own grace period.',
  },
} as const;

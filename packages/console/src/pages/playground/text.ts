/** Maximum number of parts that a notice names. */
const MAX_NAMED_PARTS = 12;

/** Joins parts that can contain commas, and states how many are left out. */
function joinParts(parts: readonly string[]): string {
  const more = parts.length - MAX_NAMED_PARTS;
  return [...parts.slice(0, MAX_NAMED_PARTS), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** All text of the playground. */
export const playgroundText = {
  page: {
    title: 'Playground',
    prompt: 'Prompt',
    answers: 'Responses',
    permission: (reason: string) =>
      `The playground creates a temporary key for you to call models. ${reason}`,
    modelsFailed: 'Could not load the models.',
    runCost: 'Runs use a key that Floe creates for you. They cost money and count toward budgets.',
    noProvider: 'No provider is enabled.',
    noProviderHint: 'To run a prompt, add a provider.',
    sandboxOnly: 'Only the sandbox is enabled.',
    sandboxHint: 'It repeats your message. To use a real model, add a provider.',
    addProvider: 'Add provider',
    codeCopied: (language: string, omitted: readonly string[]) =>
      `${language} code copied. It reads the key from $FLOE_API_KEY.${omitted.length === 0 ? '' : ` Not included: ${omitted.join(', ')}.`}`,
    omitted: {
      tools: 'tools',
      toolTurns: 'tool calls and results',
      json: 'the JSON response format',
    },
  },
  toolbar: {
    compare: 'Compare models',
    copyAs: 'Copy as code',
    run: 'Run',
    stop: 'Stop',
    runShortcut: 'Run the prompt',
    stopShortcut: 'Stop the run',
  },
  models: {
    first: 'Model or route',
    second: 'Second model or route',
    placeholder: 'provider/model',
    stopComparing: 'Stop comparing',
    route: (targets: string) => `route to ${targets}`,
    context: (tokens: string) => `${tokens} context`,
    prices: (input: string, output: string) => `$${input} in / $${output} out per 1M tokens`,
    free: 'free',
    noPrice: 'no price',
    option: (id: string, facts: readonly string[]) => [id, ...facts].join(' · '),
  },
  roles: { user: 'User', assistant: 'Assistant', tool: 'Tool result' },
  prompt: {
    system: 'System',
    systemPlaceholder: 'You are …',
    userPlaceholder: 'Enter a message',
    addMessage: 'Add message',
    removeMessage: 'Remove message',
    addImage: 'Add image',
    removeImage: (number: number) => `Remove image ${number}`,
    imageAlt: (number: number) => `Attached image ${number}`,
    imageRejected: 'Some files were skipped. You can add only images of up to 8 MB.',
    imageUnreadable: 'The browser could not read the image. Choose another file.',
  },
  parameters: {
    title: 'Parameters and tools',
    temperature: 'Temperature',
    maxTokens: 'Max output tokens',
    modelDefault: 'Model default',
    json: 'Respond in JSON',
    schema: 'JSON Schema',
    schemaHelp: 'The response must match this schema. Leave empty to accept any JSON object.',
    tools: 'Tools',
    toolsHelp: 'A JSON array in the tool format of Chat Completions. Leave empty to send no tools.',
    fillExample: 'Insert example',
  },
  problems: {
    noMessage: 'Enter a message.',
    temperature: 'Temperature must be a number from 0 to 2. Example: 0.7.',
    maxTokens: 'Max output tokens must be a whole number of at least 1. Example: 1024.',
    schema: 'The JSON Schema must be a JSON object. Example: {"type": "object"}.',
    tools: 'Tools must be a JSON array of objects, each with “type” and “function”.',
  },
  answer: {
    label: (model: string) => `Response from ${model}`,
    empty: 'The response appears here. Nothing is sent until you run the prompt.',
    reasoning: 'Reasoning',
    writing: 'Receiving…',
    waiting: 'Waiting…',
    stopped: 'Stopped',
    failed: 'Failed',
    copy: 'Copy response',
    continue: 'Continue conversation',
    answerCall: 'Add tool result',
    call: (name: string) => `Tool call: ${name}`,
    streamBroke: 'The stream ended with an error.',
    cutOff:
      'The response was cut off before it was complete. Check the proxies between this browser and Floe, then run the prompt again.',
  },
  figures: {
    firstToken: (duration: string) => `First token after ${duration}`,
    total: (duration: string) => `Total ${duration}`,
    tokens: (count: string) => `${count} ${count === '1' ? 'token' : 'tokens'}`,
    unknownCost: 'Cost unknown',
    noCost: 'No cost',
    servedBy: (model: string) => `Served by ${model}`,
    attempt: (number: number) => `, attempt ${number}`,
    clientDisconnected: 'Client disconnected',
    openRequest: 'Open request',
  },
  load: {
    noBody: 'The body of this request was not stored, so it cannot be loaded:',
    unsupported: 'The body of this request cannot be sent from the playground:',
    notLoaded: (parts: readonly string[]) => `Not loaded from the request: ${joinParts(parts)}.`,
    systemPosition: 'the position of later system messages',
    dismiss: 'Dismiss notice',
  },
} as const;

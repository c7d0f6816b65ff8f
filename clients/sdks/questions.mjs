// The question every SDK puts, and the tools it offers.
export const QUESTION = 'How thick is the ice?';
export const TOOLS = ['look_up', 'measure', 'now'];
/** Open on purpose: what the model sends as arguments is what must arrive. */
export const PARAMETERS = { type: 'object', properties: {}, additionalProperties: true };

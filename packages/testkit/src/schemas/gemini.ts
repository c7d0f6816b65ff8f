// generateContent as Google documents it (ai.google.dev/api/generate-content), as far as we write it.
import {
  ANY_OBJECT,
  arrayOf,
  BOOLEAN,
  closedObject,
  enumOf,
  INTEGER,
  NON_EMPTY_TEXT,
  numberBetween,
  oneOf,
  openObject,
  TEXT,
} from './schema-builders.ts';

const SIGNATURE = { thoughtSignature: NON_EMPTY_TEXT };
const PART = oneOf(
  closedObject({ text: TEXT }, { ...SIGNATURE, thought: BOOLEAN }),
  closedObject({ inlineData: closedObject({ mimeType: NON_EMPTY_TEXT, data: NON_EMPTY_TEXT }) }, SIGNATURE),
  closedObject(
    { fileData: closedObject({ fileUri: NON_EMPTY_TEXT }, { mimeType: NON_EMPTY_TEXT }) },
    SIGNATURE,
  ),
  closedObject(
    { functionCall: closedObject({ name: NON_EMPTY_TEXT }, { id: NON_EMPTY_TEXT, args: ANY_OBJECT }) },
    SIGNATURE,
  ),
  closedObject(
    {
      functionResponse: closedObject({ name: NON_EMPTY_TEXT, response: ANY_OBJECT }, { id: NON_EMPTY_TEXT }),
    },
    SIGNATURE,
  ),
);
const FUNCTION = closedObject(
  { name: NON_EMPTY_TEXT },
  { description: TEXT, parametersJsonSchema: ANY_OBJECT },
);

export const GEMINI_REQUEST_SCHEMA = closedObject(
  { contents: arrayOf(closedObject({ role: enumOf('user', 'model'), parts: arrayOf(PART, 1) }), 1) },
  {
    systemInstruction: openObject({ parts: arrayOf(closedObject({ text: TEXT }), 1) }),
    tools: arrayOf(closedObject({ functionDeclarations: arrayOf(FUNCTION, 1) }), 1),
    toolConfig: closedObject({
      functionCallingConfig: closedObject(
        { mode: enumOf('AUTO', 'ANY', 'NONE', 'VALIDATED') },
        { allowedFunctionNames: arrayOf(NON_EMPTY_TEXT, 1) },
      ),
    }),
    generationConfig: closedObject(
      {},
      {
        maxOutputTokens: INTEGER,
        temperature: numberBetween(0, 2),
        topP: numberBetween(0, 1),
        topK: INTEGER,
        seed: INTEGER,
        presencePenalty: numberBetween(-2, 2),
        frequencyPenalty: numberBetween(-2, 2),
        stopSequences: arrayOf(TEXT, 1, 5),
        responseMimeType: enumOf('application/json', 'text/plain'),
        responseJsonSchema: ANY_OBJECT,
        thinkingConfig: closedObject(
          {},
          {
            includeThoughts: BOOLEAN,
            thinkingBudget: INTEGER,
            thinkingLevel: enumOf('MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
          },
        ),
      },
    ),
  },
);

// The parts of generateContent that Floe writes, as Google documents them
// (ai.google.dev/api/generate-content).
import {
  ANY_OBJECT_SCHEMA,
  anyOf,
  arrayOf,
  BOOLEAN_SCHEMA,
  closedObject,
  enumOf,
  INTEGER_SCHEMA,
  NON_EMPTY_STRING_SCHEMA,
  numberBetween,
  openObject,
  STRING_SCHEMA,
} from './schema-builders.ts';

const SIGNATURE = { thoughtSignature: NON_EMPTY_STRING_SCHEMA };
const PART = anyOf(
  closedObject({ text: STRING_SCHEMA }, { ...SIGNATURE, thought: BOOLEAN_SCHEMA }),
  closedObject(
    { inlineData: closedObject({ mimeType: NON_EMPTY_STRING_SCHEMA, data: NON_EMPTY_STRING_SCHEMA }) },
    SIGNATURE,
  ),
  closedObject(
    { fileData: closedObject({ fileUri: NON_EMPTY_STRING_SCHEMA }, { mimeType: NON_EMPTY_STRING_SCHEMA }) },
    SIGNATURE,
  ),
  closedObject(
    {
      functionCall: closedObject(
        { name: NON_EMPTY_STRING_SCHEMA },
        { id: NON_EMPTY_STRING_SCHEMA, args: ANY_OBJECT_SCHEMA },
      ),
    },
    SIGNATURE,
  ),
  closedObject(
    {
      functionResponse: closedObject(
        { name: NON_EMPTY_STRING_SCHEMA, response: ANY_OBJECT_SCHEMA },
        { id: NON_EMPTY_STRING_SCHEMA },
      ),
    },
    SIGNATURE,
  ),
);
const FUNCTION = closedObject(
  { name: NON_EMPTY_STRING_SCHEMA },
  { description: STRING_SCHEMA, parametersJsonSchema: ANY_OBJECT_SCHEMA },
);

export const GEMINI_REQUEST_SCHEMA = closedObject(
  { contents: arrayOf(closedObject({ role: enumOf('user', 'model'), parts: arrayOf(PART, 1) }), 1) },
  {
    systemInstruction: openObject({ parts: arrayOf(closedObject({ text: STRING_SCHEMA }), 1) }),
    tools: arrayOf(closedObject({ functionDeclarations: arrayOf(FUNCTION, 1) }), 1),
    toolConfig: closedObject({
      functionCallingConfig: closedObject(
        { mode: enumOf('AUTO', 'ANY', 'NONE', 'VALIDATED') },
        { allowedFunctionNames: arrayOf(NON_EMPTY_STRING_SCHEMA, 1) },
      ),
    }),
    generationConfig: closedObject(
      {},
      {
        maxOutputTokens: INTEGER_SCHEMA,
        temperature: numberBetween(0, 2),
        topP: numberBetween(0, 1),
        topK: INTEGER_SCHEMA,
        seed: INTEGER_SCHEMA,
        presencePenalty: numberBetween(-2, 2),
        frequencyPenalty: numberBetween(-2, 2),
        stopSequences: arrayOf(STRING_SCHEMA, 1, 5),
        responseMimeType: enumOf('application/json', 'text/plain'),
        responseJsonSchema: ANY_OBJECT_SCHEMA,
        thinkingConfig: closedObject(
          {},
          {
            includeThoughts: BOOLEAN_SCHEMA,
            thinkingBudget: INTEGER_SCHEMA,
            thinkingLevel: enumOf('MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
          },
        ),
      },
    ),
  },
);

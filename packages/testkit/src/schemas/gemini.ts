// generateContent as Google documents it (ai.google.dev/api/generate-content), as far as we write it.
import {
  BOOLEAN,
  between,
  closed,
  INTEGER,
  list,
  MAP,
  oneOf,
  open,
  SAID,
  TEXT,
  word,
} from './schema-words.ts';

const SIGNATURE = { thoughtSignature: SAID };
const PART = oneOf(
  closed({ text: TEXT }, { ...SIGNATURE, thought: BOOLEAN }),
  closed({ inlineData: closed({ mimeType: SAID, data: SAID }) }, SIGNATURE),
  closed({ fileData: closed({ fileUri: SAID }, { mimeType: SAID }) }, SIGNATURE),
  closed({ functionCall: closed({ name: SAID }, { id: SAID, args: MAP }) }, SIGNATURE),
  closed({ functionResponse: closed({ name: SAID, response: MAP }, { id: SAID }) }, SIGNATURE),
);
const FUNCTION = closed({ name: SAID }, { description: TEXT, parametersJsonSchema: MAP });

export const GEMINI_REQUEST = closed(
  { contents: list(closed({ role: word('user', 'model'), parts: list(PART, 1) }), 1) },
  {
    systemInstruction: open({ parts: list(closed({ text: TEXT }), 1) }),
    tools: list(closed({ functionDeclarations: list(FUNCTION, 1) }), 1),
    toolConfig: closed({
      functionCallingConfig: closed(
        { mode: word('AUTO', 'ANY', 'NONE', 'VALIDATED') },
        { allowedFunctionNames: list(SAID, 1) },
      ),
    }),
    generationConfig: closed(
      {},
      {
        maxOutputTokens: INTEGER,
        temperature: between(0, 2),
        topP: between(0, 1),
        topK: INTEGER,
        seed: INTEGER,
        presencePenalty: between(-2, 2),
        frequencyPenalty: between(-2, 2),
        stopSequences: list(TEXT, 1, 5),
        responseMimeType: word('application/json', 'text/plain'),
        responseJsonSchema: MAP,
        thinkingConfig: closed(
          {},
          {
            includeThoughts: BOOLEAN,
            thinkingBudget: INTEGER,
            thinkingLevel: word('MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
          },
        ),
      },
    ),
  },
);

// The SDKs as data: which surface each speaks, and how its user sees endings, refusals and failures.
import type { AnswerContent, AnswerEnding, TestDialect } from '../answer-content.ts';
import type { ClientSurface } from '../dialect-gateway.ts';

export interface SdkDefinition {
  /** What the driver knows it as. */
  readonly name: string;
  readonly title: string;
  readonly packages: readonly string[];
  readonly language: 'javascript' | 'python';
  readonly surface: ClientSurface;
  /** Words for why an answer ended; undefined where the SDK does not say. */
  readonly finish?: Readonly<Record<AnswerEnding, string>>;
  /** Shown apart, within the text, or not at all. */
  readonly refusal: 'apart' | 'in text' | 'not shown';
  /** The error it raises for a sound answer, by its own design. */
  readonly raises?: (said: AnswerContent, ending: AnswerEnding, isStream: boolean) => string | undefined;
  /** Streams: counts are read from the first event only, where the prompt's is an estimate. */
  readonly countsEarly?: boolean;
  /** Error classes by the status Floe answers with; `inside` is a stream that breaks. */
  readonly errors: Readonly<Record<400 | 429 | 502 | 'inside', string>>;
  /** The 400 for a prompt that is too long comes without its status. */
  readonly hidesStatus?: boolean;
}

const OPENAI = {
  400: 'BadRequestError',
  429: 'RateLimitError',
  502: 'InternalServerError',
  inside: 'APIError',
};
const VERCEL_ERRORS = {
  400: 'APICallError',
  429: 'APICallError',
  502: 'APICallError',
  inside: 'StreamProviderError',
};
const LANGCHAIN = { errors: { ...OPENAI, 400: 'ContextOverflowError' }, hidesStatus: true };

export const SDK_FINISH_REASONS: Readonly<Record<ClientSurface, Readonly<Record<AnswerEnding, string>>>> = {
  chat: { stop: 'stop', length: 'length', tool: 'tool_calls', refusal: 'content_filter' },
  messages: { stop: 'end_turn', length: 'max_tokens', tool: 'tool_use', refusal: 'refusal' },
  responses: {
    stop: 'completed',
    tool: 'completed',
    length: 'max_output_tokens',
    refusal: 'content_filter',
  },
};
const UNIFIED = { stop: 'stop', length: 'length', tool: 'tool-calls', refusal: 'content-filter' };

const JAVASCRIPT = { language: 'javascript' } as const;
const PYTHON = { language: 'python', errors: OPENAI } as const;
const VERCEL = { ...JAVASCRIPT, finish: UNIFIED, refusal: 'in text', errors: VERCEL_ERRORS } as const;

export const SDK_DEFINITIONS: readonly SdkDefinition[] = [
  {
    ...JAVASCRIPT,
    name: 'openai chat',
    title: 'openai, `chat.completions`',
    packages: ['openai'],
    surface: 'chat',
    finish: SDK_FINISH_REASONS.chat,
    refusal: 'apart',
    errors: OPENAI,
  },
  {
    ...JAVASCRIPT,
    name: 'openai responses',
    title: 'openai, `responses`',
    packages: ['openai'],
    surface: 'responses',
    finish: SDK_FINISH_REASONS.responses,
    refusal: 'apart',
    errors: OPENAI,
  },
  {
    ...JAVASCRIPT,
    name: 'anthropic messages',
    title: '@anthropic-ai/sdk',
    packages: ['@anthropic-ai/sdk'],
    surface: 'messages',
    finish: SDK_FINISH_REASONS.messages,
    refusal: 'in text',
    errors: OPENAI,
  },
  {
    ...VERCEL,
    name: 'vercel openai responses',
    title: 'Vercel AI SDK, `@ai-sdk/openai`',
    packages: ['ai', '@ai-sdk/openai'],
    surface: 'responses',
  },
  {
    ...VERCEL,
    name: 'vercel openai chat',
    title: 'Vercel AI SDK, `@ai-sdk/openai` with `.chat()`',
    packages: ['ai', '@ai-sdk/openai'],
    surface: 'chat',
  },
  {
    ...VERCEL,
    name: 'vercel openai-compatible',
    title: 'Vercel AI SDK, `@ai-sdk/openai-compatible`',
    packages: ['ai', '@ai-sdk/openai-compatible'],
    surface: 'chat',
  },
  {
    ...VERCEL,
    name: 'vercel anthropic',
    title: 'Vercel AI SDK, `@ai-sdk/anthropic`',
    packages: ['ai', '@ai-sdk/anthropic'],
    surface: 'messages',
  },
  {
    ...JAVASCRIPT,
    name: 'agents responses',
    title: '@openai/agents, Responses',
    packages: ['@openai/agents'],
    surface: 'responses',
    refusal: 'apart',
    raises(said, ending) {
      if (ending === 'length' || ending === 'refusal') return 'ModelBehaviorError';
      return said.refusal === '' ? undefined : 'ModelRefusalError';
    },
    errors: OPENAI,
  },
  {
    ...JAVASCRIPT,
    name: 'agents chat',
    title: '@openai/agents, Chat Completions',
    packages: ['@openai/agents'],
    surface: 'chat',
    refusal: 'apart',
    raises(said, ending) {
      const refused = said.refusal !== '' || (ending === 'refusal' && said.text === '');
      return refused ? 'ModelRefusalError' : undefined;
    },
    errors: OPENAI,
  },
  {
    ...JAVASCRIPT,
    ...LANGCHAIN,
    name: 'langchain chat',
    title: 'LangChain JS, `@langchain/openai`',
    packages: ['@langchain/core', '@langchain/openai'],
    surface: 'chat',
    finish: SDK_FINISH_REASONS.chat,
    refusal: 'not shown',
  },
  {
    ...JAVASCRIPT,
    ...LANGCHAIN,
    name: 'langchain responses',
    title: 'LangChain JS, `@langchain/openai` with `useResponsesApi`',
    packages: ['@langchain/core', '@langchain/openai'],
    surface: 'responses',
    finish: SDK_FINISH_REASONS.responses,
    refusal: 'apart',
  },
  {
    ...JAVASCRIPT,
    ...LANGCHAIN,
    name: 'langchain messages',
    title: 'LangChain JS, `@langchain/anthropic`',
    packages: ['@langchain/core', '@langchain/anthropic'],
    surface: 'messages',
    finish: SDK_FINISH_REASONS.messages,
    refusal: 'in text',
    countsEarly: true,
  },
  {
    ...PYTHON,
    name: 'python openai chat',
    title: 'openai for Python, `chat.completions`',
    packages: ['openai'],
    surface: 'chat',
    finish: SDK_FINISH_REASONS.chat,
    refusal: 'apart',
    raises(_said, ending, isStream) {
      if (!isStream) return undefined;
      if (ending === 'length') return 'LengthFinishReasonError';
      return ending === 'refusal' ? 'ContentFilterFinishReasonError' : undefined;
    },
  },
  {
    ...PYTHON,
    name: 'python openai responses',
    title: 'openai for Python, `responses`',
    packages: ['openai'],
    surface: 'responses',
    finish: SDK_FINISH_REASONS.responses,
    refusal: 'apart',
  },
  {
    ...PYTHON,
    name: 'python anthropic messages',
    title: 'anthropic for Python',
    packages: ['anthropic'],
    surface: 'messages',
    finish: SDK_FINISH_REASONS.messages,
    refusal: 'in text',
    errors: { ...OPENAI, inside: 'APIStatusError' },
  },
];

/** Why an answer of this dialect ends on a surface: a call ends a turn even where the provider said otherwise. */
export function expectedEnding(
  surface: ClientSurface,
  dialect: TestDialect,
  said: AnswerContent,
): AnswerEnding {
  if (surface === dialect) return said.ending;
  if (surface === 'messages' && said.refusal !== '') return 'refusal';
  return said.ending === 'stop' && said.calls.length > 0 ? 'tool' : said.ending;
}

/** The word its user reads; what a provider of the same dialect said is forwarded. */
export function expectedFinishReason(
  { finish, surface, refusal }: SdkDefinition,
  dialect: TestDialect,
  said: AnswerContent,
): string {
  if (!finish) return '';
  const ending = expectedEnding(surface, dialect, said);
  if (finish !== UNIFIED) return surface === 'chat' && dialect === 'chat' ? said.finish : finish[ending];
  if (refusal === 'in text' && said.refusal !== '') return finish.refusal;
  if (surface === 'responses' && said.calls.length > 0) return finish.tool;
  const isKnown = Object.values(SDK_FINISH_REASONS.chat).includes(said.finish);
  return surface === 'chat' && dialect === 'chat' && !isKnown ? 'other' : finish[ending];
}

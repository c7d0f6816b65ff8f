import OpenAI from 'openai';
import { PARAMETERS, QUESTION, TOOLS } from './questions.mjs';

let client;
const clientOf = ({ url, key }) => (client ??= new OpenAI({ baseURL: url, apiKey: key, maxRetries: 0 }));

export async function askChat(question) {
  const { model, want, stream } = question;
  const body = {
    model,
    messages: [{ role: 'user', content: QUESTION }],
    ...(want === 'tools' && {
      tools: TOOLS.map((name) => ({ type: 'function', function: { name, parameters: PARAMETERS } })),
    }),
    ...(want === 'thinking' && { reasoning_effort: 'low' }),
  };
  const { completions } = clientOf(question).chat;
  const { choices, usage } = stream
    ? await completions.stream({ ...body, stream_options: { include_usage: true } }).finalChatCompletion()
    : await completions.create(body);
  const [{ message, finish_reason }] = choices;
  return {
    text: message.content ?? '',
    refusal: message.refusal ?? '',
    thinking: message.reasoning_content ?? message.reasoning ?? '',
    calls: (message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function.name,
      input: JSON.parse(call.function.arguments || '{}'),
    })),
    finish: finish_reason,
    usage: {
      input: usage?.prompt_tokens,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      output: usage?.completion_tokens,
    },
  };
}

export async function askResponses(question) {
  const { model, want, stream } = question;
  const body = {
    model,
    input: QUESTION,
    ...(want === 'tools' && {
      tools: TOOLS.map((name) => ({ type: 'function', name, parameters: PARAMETERS, strict: false })),
    }),
    ...(want === 'thinking' && { reasoning: { effort: 'low', summary: 'auto' } }),
  };
  const { responses } = clientOf(question);
  const answer = stream ? await responses.stream(body).finalResponse() : await responses.create(body);
  const { output, usage, status, incomplete_details } = answer;
  if (answer.error)
    return { error: { name: 'response.failed', status: null, message: answer.error.message } };
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const joined = (type, member, list = parts) =>
    list
      .filter((part) => part.type === type)
      .map((part) => part[member])
      .join('');
  return {
    text: answer.output_text,
    refusal: joined('refusal', 'refusal'),
    thinking: output.map((item) => joined('summary_text', 'text', item.summary ?? [])).join(''),
    calls: output
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({ id: item.call_id, name: item.name, input: JSON.parse(item.arguments || '{}') })),
    finish: incomplete_details?.reason ?? status,
    usage: {
      input: usage?.input_tokens,
      cached: usage?.input_tokens_details.cached_tokens,
      output: usage?.output_tokens,
    },
  };
}

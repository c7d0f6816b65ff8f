// Asks through the SDK it is told to: one question per line of standard input, what its user sees per line of
// output. Runs where the pinned packages are installed; started by packages/server/test/run-clients.ts.
import { createInterface } from 'node:readline';
import { agentOverChat, agentOverResponses } from './agents.mjs';
import { askMessages } from './anthropic.mjs';
import { langchainChat, langchainMessages, langchainResponses } from './langchain.mjs';
import { askChat, askResponses } from './openai.mjs';
import { vercelAnthropic, vercelChat, vercelCompatible, vercelResponses } from './vercel.mjs';

const CLIENTS = {
  'openai chat': askChat,
  'openai responses': askResponses,
  'anthropic messages': askMessages,
  'vercel openai responses': vercelResponses,
  'vercel openai chat': vercelChat,
  'vercel openai-compatible': vercelCompatible,
  'vercel anthropic': vercelAnthropic,
  'agents responses': agentOverResponses,
  'agents chat': agentOverChat,
  'langchain chat': langchainChat,
  'langchain responses': langchainResponses,
  'langchain messages': langchainMessages,
};

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  const answer = await CLIENTS[question.client](question).catch(failure);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** The error as its user meets it. */
function failure(error) {
  const status = error?.statusCode ?? error?.status ?? null;
  const { name } = error?.constructor ?? {};
  return { error: { name: name ?? typeof error, status, message: String(error?.message ?? error) } };
}

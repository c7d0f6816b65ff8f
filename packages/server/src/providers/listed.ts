// Every provider Floe knows, one line each.
export { sandbox } from './sandbox/sheet.ts';
export { anthropic } from './sheets/anthropic.ts';
export { anthropicCompatible } from './sheets/anthropic-compatible.ts';
export { azureOpenai } from './sheets/azure-openai.ts';
export { deepseek } from './sheets/deepseek.ts';
export { fireworks } from './sheets/fireworks.ts';
export { gemini } from './sheets/gemini.ts';
export { groq } from './sheets/groq.ts';
export { mistral } from './sheets/mistral.ts';
export { ollama } from './sheets/ollama.ts';
export { openai } from './sheets/openai.ts';
export { openaiCompatible } from './sheets/openai-compatible.ts';
export { openrouter } from './sheets/openrouter.ts';
export { perplexity } from './sheets/perplexity.ts';
export { together } from './sheets/together.ts';
export { vllm } from './sheets/vllm.ts';
export { xai } from './sheets/xai.ts';

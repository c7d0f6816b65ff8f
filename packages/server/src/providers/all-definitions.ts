// The definitions of all kinds of providers.

export { anthropic } from './definitions/anthropic.ts';
export { anthropicCompatible } from './definitions/anthropic-compatible.ts';
export { azureOpenai } from './definitions/azure-openai.ts';
export { bedrock } from './definitions/bedrock.ts';
export { cerebras } from './definitions/cerebras.ts';
export { cohere } from './definitions/cohere.ts';
export { deepseek } from './definitions/deepseek.ts';
export { fireworks } from './definitions/fireworks.ts';
export { gemini } from './definitions/gemini.ts';
export { groq } from './definitions/groq.ts';
export { mistral } from './definitions/mistral.ts';
export { moonshot } from './definitions/moonshot.ts';
export { ollama } from './definitions/ollama.ts';
export { openai } from './definitions/openai.ts';
export { openaiCompatible } from './definitions/openai-compatible.ts';
export { openrouter } from './definitions/openrouter.ts';
export { perplexity } from './definitions/perplexity.ts';
export { together } from './definitions/together.ts';
export { vertex } from './definitions/vertex.ts';
export { vllm } from './definitions/vllm.ts';
export { xai } from './definitions/xai.ts';
export { sandbox } from './sandbox/sandbox-definition.ts';

import type { ProviderSheet } from './provider.ts';
import { sandbox } from './sandbox/sheet.ts';
import { anthropic } from './sheets/anthropic.ts';
import { anthropicCompatible } from './sheets/anthropic-compatible.ts';
import { azureOpenai } from './sheets/azure-openai.ts';
import { deepseek } from './sheets/deepseek.ts';
import { fireworks } from './sheets/fireworks.ts';
import { gemini } from './sheets/gemini.ts';
import { groq } from './sheets/groq.ts';
import { mistral } from './sheets/mistral.ts';
import { ollama } from './sheets/ollama.ts';
import { openai } from './sheets/openai.ts';
import { openaiCompatible } from './sheets/openai-compatible.ts';
import { openrouter } from './sheets/openrouter.ts';
import { perplexity } from './sheets/perplexity.ts';
import { together } from './sheets/together.ts';
import { vllm } from './sheets/vllm.ts';
import { xai } from './sheets/xai.ts';

/** Every provider Floe knows. A new one is one file and one line here. */
export const SHEETS: readonly ProviderSheet[] = [
  sandbox,
  openai,
  anthropic,
  gemini,
  azureOpenai,
  mistral,
  groq,
  deepseek,
  xai,
  together,
  fireworks,
  openrouter,
  perplexity,
  ollama,
  vllm,
  openaiCompatible,
  anthropicCompatible,
];

export function sheetOf(kind: string): ProviderSheet | undefined {
  return SHEETS.find((sheet) => sheet.kind === kind);
}

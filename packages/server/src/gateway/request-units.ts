import { mergeUsage, type Usage } from '@floe/wire/usage';
import type { Price } from '../providers/prices.ts';
import type { BillingMode } from './billing.ts';
import type { OpaqueRequest } from './opaque/opaque-request.ts';

/** A picture in tokens, at the size and quality with the most of them. */
const TOKENS_PER_IMAGE = 8_192;
/** Eight kilobits a second: the leanest sound that the formats of these APIs carry. */
const BYTES_PER_SECOND = 1_000;
/** Gemini counts the most of those known: 32 tokens a second. Nobody speaks faster than ten. */
const AUDIO_TOKENS_PER_SECOND = 32;
const SPEECH_TOKENS_PER_SECOND = 10;
const BYTES_PER_TOKEN = 3;
/** Documents that one search of a rerank covers (Cohere). */
const DOCUMENTS_PER_SEARCH = 100;

/**
 * The most that a request for pictures, sound or searches uses, in the units its model is priced by. Null when that
 * cannot be said, neither before the answer nor afterwards: speech priced per token of sound comes without a count.
 */
export function estimateRequestUnits(
  billing: BillingMode,
  opaque: OpaqueRequest,
  price: Price,
  atMs: number,
): Usage | null {
  const rates = price.ratesAt(atMs).units;
  const { bytes, characters } = opaque;
  const seconds = Math.ceil(bytes / BYTES_PER_SECOND);
  switch (billing) {
    case 'images': {
      const images = opaque.images ?? 1;
      if (rates.image) return { units: { image: images } };
      return { units: { input: Math.ceil(bytes / BYTES_PER_TOKEN), output: images * TOKENS_PER_IMAGE } };
    }
    case 'speech':
      return rates.character && characters !== null ? { units: { character: characters } } : null;
    case 'transcription': {
      if (rates.audio_second) return { units: { audio_second: seconds } };
      const input = seconds * AUDIO_TOKENS_PER_SECOND;
      return { units: { input, output: seconds * SPEECH_TOKENS_PER_SECOND } };
    }
    case 'searches':
      return rates.search
        ? { units: { search: Math.max(1, Math.ceil((opaque.documents ?? 1) / DOCUMENTS_PER_SEARCH)) } }
        : null;
    default:
      return null;
  }
}

/** Units that only the request tells, for an answer that left them out though its model is priced by them. */
export function withRequestUnits(usage: Usage, measured: Usage | null): Usage {
  // Tokens of the answer are better than the most it could have had.
  return measured === null || measured.units.input !== undefined ? usage : mergeUsage(measured, usage);
}

import { mergeUsage, type Usage } from '@floe/wire/usage';
import type { Price } from '../providers/prices.ts';
import type { BillingMode } from './billing.ts';
import type { OpaqueRequest } from './opaque/opaque-request.ts';

/** Tokens of an image at the highest size and quality. */
const TOKENS_PER_IMAGE = 8_192;
/** Bytes per second of audio at eight kilobits per second, the lowest bit rate of these APIs. */
const BYTES_PER_SECOND = 1_000;
/** Tokens per second of audio. Gemini counts 32, the most of all known providers. Speech has at most ten. */
const AUDIO_TOKENS_PER_SECOND = 32;
const SPEECH_TOKENS_PER_SECOND = 10;
const BYTES_PER_TOKEN = 3;
/** Documents per search of a rerank (Cohere). */
const DOCUMENTS_PER_SEARCH = 100;

/**
 * Estimates a request's maximum usage of images, audio or searches, in the units that its price uses. Returns
 * null if the usage can be determined neither before nor after the response. An example is speech that is
 * priced per audio token, because its response contains no token count. Another example is the transcription of an
 * audio file at a URL.
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
      const images = opaque.choices ?? 1;
      if (rates.image) return { units: { image: images } };
      return { units: { input: Math.ceil(bytes / BYTES_PER_TOKEN), output: images * TOKENS_PER_IMAGE } };
    }
    case 'speech':
      return rates.character && characters !== null ? { units: { character: characters } } : null;
    case 'transcription': {
      if (opaque.hasRemoteFile) return null;
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

/**
 * Adds billed units that Floe counted in the request (`measured`), such as the characters of a speech input, to
 * the usage that the response reports. Reported counts take precedence. If `measured` contains token counts,
 * returns `usage` unchanged.
 */
export function addRequestUnits(usage: Usage, measured: Usage | null): Usage {
  // Reported tokens are more accurate than the maximum.
  return measured === null || measured.units.input !== undefined ? usage : mergeUsage(measured, usage);
}

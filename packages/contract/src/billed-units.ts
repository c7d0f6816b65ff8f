/**
 * All units that providers bill. `partOf` has one of these values:
 * - `tokens`: The unit is the total of the input tokens or of the output tokens.
 * - The name of a unit earlier in the list: The unit is a part of that unit. The part is charged at its own price
 *   instead of the price of that unit.
 * - Null: The unit is billed in addition to tokens.
 */
export const BILLED_UNITS = [
  { unit: 'input', partOf: 'tokens', label: 'Input' },
  { unit: 'cached', partOf: 'input', label: 'Read from the prompt cache' },
  { unit: 'cache_write', partOf: 'input', label: 'Written to the prompt cache' },
  { unit: 'cache_write_1h', partOf: 'cache_write', label: 'Written to the prompt cache for 1 hour' },
  { unit: 'input_audio', partOf: 'input', label: 'Audio input' },
  { unit: 'input_image', partOf: 'input', label: 'Image input' },
  { unit: 'input_video', partOf: 'input', label: 'Video input' },
  { unit: 'cached_audio', partOf: 'cached', label: 'Cached audio input' },
  { unit: 'cached_image', partOf: 'cached', label: 'Cached image input' },
  { unit: 'output', partOf: 'tokens', label: 'Output' },
  { unit: 'output_audio', partOf: 'output', label: 'Audio output' },
  { unit: 'output_image', partOf: 'output', label: 'Image output' },
  { unit: 'reasoning', partOf: 'output', label: 'Reasoning' },
  { unit: 'web_search', partOf: null, label: 'Web searches' },
  { unit: 'file_search', partOf: null, label: 'File searches' },
  { unit: 'search', partOf: null, label: 'Searches' },
  { unit: 'search_source', partOf: null, label: 'Search sources' },
  { unit: 'code_execution', partOf: null, label: 'Code executions' },
  { unit: 'image_generation', partOf: null, label: 'Image generation calls' },
  { unit: 'image', partOf: null, label: 'Images' },
  { unit: 'audio_second', partOf: null, label: 'Seconds of audio' },
  { unit: 'character', partOf: null, label: 'Characters' },
  { unit: 'advisor_tokens', partOf: null, label: 'Tokens of the advisor model' },
  { unit: 'regional_inference', partOf: null, label: 'Regional inference' },
] as const;

/** The name of a billed unit in prices and rows. */
export type BilledUnit = (typeof BILLED_UNITS)[number]['unit'];

const LABELS = new Map<string, string>(BILLED_UNITS.map(({ unit, label }) => [unit, label]));

/** Returns a unit's display name. For an unknown unit, returns the unit itself. */
export function getBilledUnitLabel(unit: string): string {
  return LABELS.get(unit) ?? unit;
}

/** Units whose count is part of a token count, and of which one: they are priced in place of those tokens. */
export const UNIT_PARTS: Readonly<Record<string, 'input' | 'cached' | 'cacheWrite' | 'output'>> = {
  cache_write_1h: 'cacheWrite',
  input_audio: 'input',
  input_image: 'input',
  input_video: 'input',
  cached_audio: 'cached',
  cached_image: 'cached',
  output_audio: 'output',
  output_image: 'output',
};

/** What people call each unit; one that is not here goes by its name. */
export const UNIT_LABELS: Readonly<Record<string, string>> = {
  cache_write_1h: 'Cache writes, 1 hour',
  input_audio: 'Audio input',
  input_image: 'Image input',
  input_video: 'Video input',
  cached_audio: 'Cached audio input',
  cached_image: 'Cached image input',
  output_audio: 'Audio output',
  output_image: 'Image output',
  web_search: 'Web searches',
  file_search: 'File searches',
  search: 'Searches',
  search_source: 'Search sources',
  code_execution: 'Code executions',
  image_generation: 'Image generation calls',
  image: 'Images',
  audio_second: 'Seconds of audio',
  character: 'Characters',
  advisor_tokens: 'Tokens of the advisor model',
  regional_inference: 'Regional inference',
};

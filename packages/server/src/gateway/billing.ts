/**
 * How an operation is billed. Under a hard budget a request is priced, free, or refused:
 *
 * - `tokens`: by the usage its answer reports; the most it may come to is reserved.
 * - `searches`: as `tokens`, and by the search (rerank).
 * - `images`, `speech`, `transcription`: by pictures, characters or seconds, else by tokens of their medium.
 * - `free`: nothing, whatever the model.
 * - `free-unless-priced`: nothing, unless the model has a price; then as `tokens`.
 * - `results`: what a batch used before; booked when its results are read, for nothing is spent by reading.
 * - `unknown`: nobody can say what it will cost before it is done.
 */
export type BillingMode =
  | 'tokens'
  | 'searches'
  | 'images'
  | 'speech'
  | 'transcription'
  | 'free'
  | 'free-unless-priced'
  | 'results'
  | 'unknown';

type BillingRule = readonly [path: RegExp, billing: BillingMode];

/** Requests that change or make something, by their path below the API's base. The first that matches counts. */
const WRITE_BILLING_RULES: Readonly<Record<'a' | 'b', readonly BillingRule[]>> = {
  a: [
    [/^(?:chat\/completions|completions|responses|responses\/compact|embeddings)$/, 'tokens'],
    [/^(?:responses\/input_tokens|tokenize|detokenize)$/, 'free'],
    [/^moderations$/, 'free-unless-priced'],
    [/^rerank$/, 'searches'],
    [/^images\/(?:generations|edits|variations)$/, 'images'],
    [/^audio\/speech$/, 'speech'],
    [/^audio\/(?:transcriptions|translations)$/, 'transcription'],
    [/^(?:files|uploads|conversations|skills)(?:\/|$)/, 'free'],
    [/^(?:responses|chat\/completions)\/[^/]+(?:\/cancel)?$/, 'free'],
    [/^(?:batches|fine_tuning\/jobs|vector_stores\/[^/]+\/file_batches)\/[^/]+\/(?:cancel|pause)$/, 'free'],
  ],
  b: [
    [/^messages$/, 'tokens'],
    [/^messages\/count_tokens$/, 'free'],
    [/^messages\/batches\/[^/]+\/cancel$/, 'free'],
    [/^(?:files|skills)(?:\/|$)/, 'free'],
  ],
};

/** How an operation of a native API is billed; what is not listed nobody can price. Reading is free. */
export function resolveBillingMode(
  style: 'a' | 'b',
  method: string,
  path: string,
  isResults: boolean,
): BillingMode {
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH') return isResults ? 'results' : 'free';
  return WRITE_BILLING_RULES[style].find(([pattern]) => pattern.test(path))?.[1] ?? 'unknown';
}

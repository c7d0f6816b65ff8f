/**
 * How an operation is billed. Under a hard budget, a request is rejected unless it has a price or
 * is free.
 * - `tokens`: by the reported usage. The maximum is reserved.
 * - `searches`: like `tokens`, plus a price per search (rerank).
 * - `images`, `speech`, `transcription`: by images, characters or seconds; if the model has no such
 * price, by the tokens of that medium.
 * - `free`: nothing.
 * - `free-unless-priced`: like `tokens` if the model has a price, otherwise nothing.
 * - `results`: by the usage of a batch. The usage is charged when the batch results are read. The
 * read itself is free.
 * - `unknown`: the cost is unknown until the operation is complete.
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

/**
 * Billing modes of the operations that change or create something, by their path below the base of the API.
 * The first match applies.
 */
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

/**
 * Returns how a native API operation is billed. Read operations are free. The cost of an unlisted
 * operation is unknown.
 */
export function resolveBillingMode(
  style: 'a' | 'b',
  method: string,
  path: string,
  isResults: boolean,
): BillingMode {
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH') return isResults ? 'results' : 'free';
  return WRITE_BILLING_RULES[style].find(([pattern]) => pattern.test(path))?.[1] ?? 'unknown';
}

import * as z from 'zod';

/** The kinds of personal data that detectors find. */
export const PERSONAL_DATA_KINDS = ['email', 'phone', 'credit_card', 'iban', 'us_ssn'] as const;

/** What a policy or a relay rule searches for in a text. */
export const DetectSchema = z
  .strictObject({
    secrets: z
      .boolean()
      .default(false)
      .describe('Whether to search for API keys, tokens, passwords in URLs, and private keys.'),
    pii: z
      .array(z.enum(PERSONAL_DATA_KINDS))
      .default([])
      .describe('Kinds of personal data to search for. Defaults to none.'),
  })
  .refine(
    ({ secrets, pii }) => secrets || pii.length > 0,
    'must set secrets to true, list at least one kind in pii, or both',
  );

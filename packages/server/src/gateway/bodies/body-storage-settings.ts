import type { OrgConfig } from '@floe/contract/config';

/** How an organization stores bodies; null if it does not. */
export interface BodyStorageSettings {
  /** Whether secrets and personal data are redacted before anything is written. */
  readonly redact: boolean;
}

/** Compiles the settings for stored bodies; null if bodies are not stored. */
export function compileBodyStorageSettings({
  bodies,
}: Pick<OrgConfig, 'bodies'>): BodyStorageSettings | null {
  return bodies.keep ? { redact: bodies.redact } : null;
}

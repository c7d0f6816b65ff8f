import type { OrgConfig } from '@floe/contract/config';

/** How an organization stores request and response bodies. */
export interface BodyStorageSettings {
  /** Whether secrets and personal data are redacted before anything is written. */
  readonly redact: boolean;
}

/**
 * Builds the body storage settings from an organization's configuration; null if bodies are not
 * stored.
 */
export function compileBodyStorageSettings({
  bodies,
}: Pick<OrgConfig, 'bodies'>): BodyStorageSettings | null {
  return bodies.keep ? { redact: bodies.redact } : null;
}

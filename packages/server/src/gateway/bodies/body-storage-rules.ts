import type { OrgConfig } from '@floe/contract/config';

/** How an org keeps bodies; null for an org that does not. */
export interface BodyStorageRules {
  /** Secrets and personal data are taken out before anything is written. */
  readonly redact: boolean;
}

export function compileBodyStorage({ bodies }: Pick<OrgConfig, 'bodies'>): BodyStorageRules | null {
  return bodies.keep ? { redact: bodies.redact } : null;
}

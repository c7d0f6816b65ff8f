import type { OrgConfig } from '@floe/contract/config';

/** How an org keeps bodies; null for an org that does not. */
export interface BodyRules {
  /** Secrets and personal data are taken out before anything is written. */
  readonly redact: boolean;
}

export function compileBodies({ bodies }: Pick<OrgConfig, 'bodies'>): BodyRules | null {
  return bodies.keep ? { redact: bodies.redact } : null;
}

import type { limit } from '@floe/contract/api/guardrails';
import type { LimitConfig } from '@floe/contract/config';
import { LimitSchema } from '@floe/contract/config/guardrails';
import type * as z from 'zod';
import { limitClaims } from '../../guardrails/claims.ts';
import { compileLimit, scopedSubject } from '../../guardrails/rules.ts';
import { limitStanding } from '../../guardrails/standing.ts';
import { storedLimit } from '../../guardrails/stored-rules.ts';
import type { RuleKind, Shown } from './rule-kind.ts';
import { shownRule } from './rule-kind.ts';

type LimitView = z.input<typeof limit>;

/** Limits, as the verbs of `rule-verbs.ts` handle them. */
export const LIMITS: RuleKind<LimitConfig, LimitView> = {
  kind: 'limits',
  one: 'limit',
  prefix: 'lim',
  schema: LimitSchema,
  storedConfig: (row) => storedLimit(row).config,
  fileRules: (rules) => rules.limits,
  nameOf: ({ name }) => name,
  raises: () => false,

  async view({ guard, orgId }, shown: Shown<LimitConfig>) {
    const { config, id, source } = shown;
    const rule = compileLimit({ id, source: source.kind, config });
    const whose = scopedSubject(config);
    const claims = whose === null ? [] : limitClaims(rule.buckets.of(whose), 0);
    const levels = await guard.levels(orgId, claims);
    const standing = limitStanding(
      rule,
      claims,
      new Map(claims.map((claim, n) => [claim.bucket, levels[n]])),
    );
    return {
      ...shownRule(shown),
      name: config.name ?? null,
      rpm: config.rpm ?? null,
      tpm: config.tpm ?? null,
      concurrency: config.concurrency ?? null,
      state:
        whose === null
          ? null
          : {
              rpm_used: standing.rpm_used,
              rpm_reset_ms: standing.rpm_reset_ms,
              tpm_used: standing.tpm_used,
              tpm_reset_ms: standing.tpm_reset_ms,
              concurrency_used: standing.concurrency_used,
            },
    };
  },
};

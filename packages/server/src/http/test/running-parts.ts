import type { OrgConfig } from '@floe/contract/config';
import { createMailer } from '../../alerts/mail.ts';
import { createSender } from '../../alerts/send.ts';
import type { Clock } from '../../core/clock.ts';
import { systemClock } from '../../core/clock.ts';
import { createOutboundGuard } from '../../core/outbound.ts';
import { EMPTY_CATALOG } from '../../gateway/catalog.ts';
import { compileCatalogs } from '../../gateway/compile.ts';
import { Latencies } from '../../gateway/latencies.ts';
import { Conversations } from '../../gateway/stickiness.ts';
import type { VerbParts } from '../../management/verbs.ts';
import { deriveSecretsKey } from '../../platform/secrets.ts';

/** What verbs read of a running gateway whose floe.yaml says `org` about the org `acme`; entries stand on lines 10, 11, … */
export function runningParts(
  clock: Clock,
  org: OrgConfig | undefined,
): Pick<VerbParts, 'running' | 'cacheOf'> {
  const { catalogs } = compileCatalogs(org ? [org] : [], 'nobody', {
    variable: () => undefined,
    outbound: { proxy: '', no_proxy: '', ca_file: '' },
  });
  const running: VerbParts['running'] = {
    orgs: (orgId) => ({
      config: orgId === org?.id ? org : null,
      catalog: catalogs.get(orgId) ?? EMPTY_CATALOG,
      lineOf: (_, index) => 10 + index,
    }),
    conversations: new Conversations(clock),
    latencies: new Latencies(clock),
    outputMost: () => null,
  };
  return { running, cacheOf: () => null };
}

/** Channels whose receivers live on loopback, and no mail. */
export function channelParts() {
  const guard = createOutboundGuard(() => ({
    trustPrivate: true,
    privateNetworks: [],
    named: new Set<string>(),
  }));
  const mailer = createMailer(() => ({ url: '', from: '' }), guard);
  return {
    secretsKey: deriveSecretsKey(Buffer.alloc(32, 9)),
    sender: createSender({ guard, via: () => undefined, clock: systemClock, mailer }),
    baseUrl: () => 'https://floe.example',
  };
}

// The real server in front of upstreams that do what they are asked, one per dialect.
import { randomBytes } from 'node:crypto';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { replyToComplianceRequest } from './compliance-upstream.ts';

export interface ComplianceGateway {
  /** Address of the gateway, ending in `/v1`. */
  readonly url: string;
  readonly key: string;
  close(): Promise<void>;
}

/** Model ids that are answered, by the dialect of their upstream. */
export const COMPLIANCE_MODELS = ['chat/able', 'messages/able'] as const;

/** `more` are further providers. */
export async function startComplianceGateway(more: readonly object[] = []): Promise<ComplianceGateway> {
  const upstream = await startFakeUpstream({ respond: replyToComplianceRequest });
  const key = `eis_${randomBytes(24).toString('hex')}`;
  const common = { base_url: `${upstream.url}/v1`, api_key: 'secret', models: ['able'] };
  const providers = [
    { id: 'chat', kind: 'openai-compatible', ...common },
    { id: 'messages', kind: 'anthropic-compatible', ...common },
    ...more,
  ];
  const routes = [{ model: '*', retries: 0 }];
  const yaml = JSON.stringify({ orgs: [{ id: 'acme', keys: [{ name: 'k', key }], providers, routes }] });
  const floe = await startFloeProcess({ yaml });
  return {
    url: `${floe.url}/gateway/v1`,
    key,
    async close() {
      await floe.stop();
      await upstream.close();
    },
  };
}

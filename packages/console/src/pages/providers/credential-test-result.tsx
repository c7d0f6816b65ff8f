import { StatusIcon } from '../../ui/status.tsx';
import type { CredentialTest } from './provider-data.ts';
import { describeTest } from './provider-status.ts';

/** The result of a credential test, with the message of the provider where it failed. */
export function CredentialTestResult({ test }: { readonly test: CredentialTest }) {
  return (
    <span role="status" className="inline-flex min-w-0 items-start gap-1.5 text-ui">
      <span className="mt-0.5">
        <StatusIcon state={test.ok ? 'healthy' : 'failing'} />
      </span>
      <span className="min-w-0 break-words">{describeTest(test)}</span>
    </span>
  );
}

import { StatusIcon } from '../../ui/status.tsx';
import type { CredentialTestResult } from './provider-data.ts';
import { describeCredentialTest } from './provider-status.ts';

/** Shows the result of a credential test. If the test failed, also shows the provider’s message. */
export function CredentialTestStatus({ test }: { readonly test: CredentialTestResult }) {
  return (
    <span role="status" className="inline-flex min-w-0 items-start gap-1.5 text-ui">
      <span className="mt-0.5">
        <StatusIcon state={test.ok ? 'healthy' : 'failing'} />
      </span>
      <span className="min-w-0 break-words">{describeCredentialTest(test)}</span>
    </span>
  );
}

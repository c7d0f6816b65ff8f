import type { RequestDetail } from '@floe/contract/api/analytics';
import { Notice } from '../../ui/feedback.tsx';
import { describeInterruption } from './request-rows.ts';

/** Of a request that did not end as it should have: when, and what its client got. */
export function EndingNotice({ request }: { readonly request: RequestDetail }) {
  const ending = describeInterruption(request);
  return ending && <Notice state={ending.state}>{ending.text}</Notice>;
}

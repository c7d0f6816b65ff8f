import { Notice } from '../../ui/feedback.tsx';
import type { RequestDetail } from './request-data.ts';
import { endingOf } from './request-rows.ts';

/** Of a request that did not end as it should have: when, and what its client got. */
export function EndingNotice({ request }: { readonly request: RequestDetail }) {
  const ending = endingOf(request);
  return ending && <Notice state={ending.state}>{ending.text}</Notice>;
}

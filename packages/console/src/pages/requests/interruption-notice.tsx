import type { RequestDetail } from '@floe/contract/api/analytics';
import { Notice } from '../../ui/feedback.tsx';
import { describeInterruption } from './request-details.ts';

/** Shows when the response to an interrupted request ended and what the client received. */
export function InterruptionNotice({ request }: { readonly request: RequestDetail }) {
  const ending = describeInterruption(request);
  return ending && <Notice state={ending.state}>{ending.text}</Notice>;
}

import { ApiError } from '../../data/api-error.ts';
import { requestDetailText } from './request-detail-text.ts';

/** Returns the title of the error that is shown if a request cannot be loaded. */
export function getRequestErrorTitle(id: string, error: Error): string {
  return error instanceof ApiError && error.status === 404
    ? requestDetailText.page.notFound(id)
    : requestDetailText.page.loadFailed;
}

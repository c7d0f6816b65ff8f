export type { RunEvent } from './beat-request.ts';
export {
  FloeApiError,
  FloeAuthenticationError,
  FloeConnectionError,
  FloeError,
  FloeInvalidArgumentError,
  FloeMonitorNotFoundError,
  FloeRateLimitError,
  FloeRequestError,
  FloeServerError,
  FloeTimeoutError,
  FloeUnexpectedResponseError,
  FloeUnhealthyError,
} from './errors.ts';
export type { OnError } from './failure-reporter.ts';
export { Floe } from './floe.ts';
export type { FloeOptions, MonitorOptions } from './floe-options.ts';
export type { HeartbeatHandle, HeartbeatOptions } from './heartbeat-options.ts';
export type { Beat } from './parse-beat-response.ts';
export type { Fetch, FetchInit, FetchReader, FetchResponse } from './runtime.ts';
export { type RunEventOptions, sendRunEvent } from './send-run-event.ts';
export type { HeartbeatResult } from './send-with-retries.ts';

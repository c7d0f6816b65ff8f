export type { Beat } from './answer.ts';
export type { Signal } from './call.ts';
export {
  FloeAnswerError,
  FloeApiError,
  FloeAuthenticationError,
  FloeConfigurationError,
  FloeConnectionError,
  FloeError,
  FloeMonitorNotFoundError,
  FloeRateLimitError,
  FloeRequestError,
  FloeServerError,
  FloeTimeoutError,
  FloeUnhealthyError,
} from './errors.ts';
export { Floe, type FloeOptions, type MonitorOptions } from './floe.ts';
export type { HeartbeatHandle, LoopOptions } from './loop-options.ts';
export type { OnError } from './reports.ts';
export type { HeartbeatResult } from './send.ts';
export { type SignalOptions, sendSignal } from './signal.ts';
export type { Fetch, FetchAnswer, FetchInit, FetchReader } from './surroundings.ts';

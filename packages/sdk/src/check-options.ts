import type { FloeOptions, MonitorOptions } from './floe-options.ts';
import type { HeartbeatOptions } from './heartbeat-options.ts';

const DEFAULT_INTERVAL_SECONDS = 60;

/** The names of the options of a function. A missing or an additional name does not compile. */
type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

const HEARTBEAT_OPTIONS: OptionNames<HeartbeatOptions> = {
  everySeconds: true,
  metadata: true,
  healthy: true,
  stallAfterSeconds: true,
  onError: true,
  beatAtStart: true,
  keepAlive: true,
  stopOnSigterm: true,
};
const MONITOR_OPTIONS: OptionNames<MonitorOptions> = { metadata: true, beatUrl: true, onError: true };
const FLOE_OPTIONS: OptionNames<FloeOptions> = {
  apiKey: true,
  baseUrl: true,
  timeoutSeconds: true,
  onError: true,
  fetch: true,
};

/** Options that can be used, and why others were ignored. */
export interface CheckedOptions<Options> {
  readonly options: Options;
  /** One text for each option that was ignored. */
  readonly problems: readonly string[];
}

/**
 * Replaces options of a heartbeat loop that are not valid with their defaults. A wrong option must not stop
 * the job. But if it were ignored silently, a job that hangs could look healthy.
 */
export function checkHeartbeatOptions(
  given: HeartbeatOptions | null | undefined,
): CheckedOptions<HeartbeatOptions & { readonly everySeconds: number }> {
  const { everySeconds = DEFAULT_INTERVAL_SECONDS, stallAfterSeconds, ...rest } = readOptions(given);
  const problems = describeUnknownOptions(given, HEARTBEAT_OPTIONS);
  const isIntervalValid = isPositive(everySeconds);
  if (!isIntervalValid)
    problems.push(
      `everySeconds must be a positive number, got ${String(everySeconds)}; using ${DEFAULT_INTERVAL_SECONDS} s`,
    );
  const isStallValid = stallAfterSeconds === undefined || isPositive(stallAfterSeconds);
  if (!isStallValid)
    problems.push(
      `stallAfterSeconds must be a positive number, got ${String(stallAfterSeconds)}; a job that hangs is not detected`,
    );
  return {
    options: {
      ...rest,
      everySeconds: isIntervalValid ? everySeconds : DEFAULT_INTERVAL_SECONDS,
      ...(isStallValid && stallAfterSeconds !== undefined ? { stallAfterSeconds } : {}),
    },
    problems,
  };
}

/** Reads each option by its name, because options can be inherited, as in an instance of a class. */
function readOptions(given: HeartbeatOptions | null | undefined): HeartbeatOptions {
  const object = Object(given);
  const names = Object.keys(HEARTBEAT_OPTIONS).filter((name) => Reflect.get(object, name) !== undefined);
  return Object.fromEntries(names.map((name) => [name, Reflect.get(object, name)]));
}

/** Ignores options of a monitored job that do not exist. */
export function checkMonitorOptions(
  given: MonitorOptions | null | undefined,
): CheckedOptions<MonitorOptions> {
  return { options: given ?? {}, problems: describeUnknownOptions(given, MONITOR_OPTIONS) };
}

/** Returns a message for each given option that the constructor of `Floe` does not have. */
export function describeUnknownFloeOptions(given: object): string[] {
  return describeUnknownOptions(given, FLOE_OPTIONS);
}

function describeUnknownOptions(given: object | null | undefined, known: Readonly<Record<string, true>>) {
  return Object.keys(given ?? {})
    .filter((name) => !Object.hasOwn(known, name))
    .map(
      (name) =>
        `the option ${JSON.stringify(name)} does not exist, so it is ignored. The options are ${Object.keys(known).join(', ')}`,
    );
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && Number.isFinite(value);
}

import type { CelLibrary } from './cel-library.ts';
import {
  compileRegularExpression,
  estimateCompilationSteps,
  type RegularExpressionMatcher,
} from './regular-expression.ts';
import type { StepMeter } from './step-meter.ts';

type Environment = ReturnType<CelLibrary['celEnv']>;
type Functions = Environment['funcs'];
type FunctionGroup = NonNullable<ReturnType<Functions['find']>>;

/**
 * The name of the internal function that charges the steps of one iteration of a loop. Conditions cannot call
 * it.
 */
export const LOOP_STEP_FUNCTION_NAME = 'floe_step_';
/** The name of the internal function that charges for the list that a loop iterates over. */
export const LOOP_RANGE_FUNCTION_NAME = 'floe_range_';
/** Returns whether a function name is reserved for internal use. */
export const isReservedFunctionName = (name: string): boolean => name.startsWith('floe_');

/**
 * Characters that are compared or copied in one step. Searching for a string of length n takes n times as long.
 */
const CHARS_PER_STEP = 256;
const SEARCHED_CHARS_PER_STEP = 512;
/** Numbers and timestamps are shorter. Parsing longer strings takes more than linear time. */
const MAX_CONVERTED_CHARS = 200;
const CONVERSIONS: ReadonlySet<string> = new Set(['int', 'uint', 'double', 'bool', 'timestamp', 'duration']);
const TIME_ACCESSORS: ReadonlySet<string> = new Set(
  [
    'FullYear',
    'Month',
    'Date',
    'DayOfMonth',
    'DayOfWeek',
    'DayOfYear',
    'Hours',
    'Minutes',
    'Seconds',
    'Milliseconds',
  ].map((part) => `get${part}`),
);
/** Measured: 1 to 2 µs. */
const TIME_STEPS = 10;
/** Measured: 80 µs. The library loads the rules of the time zone in each call. */
const TIME_ZONE_STEPS = 800;
/** A time zone without rules, such as `+02:00`. */
const FIXED_OFFSET = /^[+-]?\d\d:\d\d$/;
/** Maximum number of computed patterns that stay compiled. Further patterns are compiled each time they are used. */
const MAX_COMPUTED_PATTERNS = 100;

/** The step meter and the compiled regular expressions of one evaluation of a condition. */
export interface ConditionEvaluationContext {
  readonly steps: StepMeter;
  /** The regular expressions that were compiled with the condition. */
  readonly patterns: ReadonlyMap<string, RegularExpressionMatcher>;
}

/**
 * Creates a CEL environment with the standard functions. Before a function runs, the environment charges steps
 * for the strings and lists that the function reads. If the step limit is exceeded, the whole evaluation ends.
 * An expression cannot catch this error.
 * @param current Returns the evaluation in progress.
 */
export function createMeteredEnvironment(
  cel: CelLibrary,
  current: () => ConditionEvaluationContext,
): Environment {
  const plain = cel.celEnv({ funcs: customFunctions(cel, current) });
  const groups = new Map<string, FunctionGroup>();
  const find = (name: string): FunctionGroup | undefined => {
    const group = groups.get(name) ?? plain.funcs.find(name);
    if (!group || groups.has(name)) return group;
    const counted: FunctionGroup = Object.create(group, {
      call: {
        value(...[id, target, args]: Parameters<FunctionGroup['call']>) {
          chargeCall(cel, current().steps, name, target === undefined ? args : [target, ...args]);
          return group.call(id, target, args);
        },
      },
    });
    groups.set(name, counted);
    return counted;
  };
  return Object.create(plain, { funcs: { value: Object.create(plain.funcs, { find: { value: find } }) } });
}

function customFunctions(cel: CelLibrary, current: () => ConditionEvaluationContext) {
  const { BOOL, DYN, INT, STRING } = cel.CelScalar;
  return [
    cel.celFunc(LOOP_STEP_FUNCTION_NAME, [INT], BOOL, () => true),
    cel.celFunc(LOOP_RANGE_FUNCTION_NAME, [DYN], DYN, (list) => list),
    cel.celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
      const { steps, patterns } = current();
      return (patterns.get(pattern) ?? compileComputedPattern(pattern, steps))(String(this), steps);
    }),
    // The library's own function creates a list of all characters.
    cel.celFunc('size', [STRING], INT, (text) => countCodePoints(text)),
    cel.celMethod('size', STRING, [], INT, function () {
      return countCodePoints(String(this));
    }),
  ];
}

/** The patterns that the evaluations with one meter have computed. No other evaluation affects them. */
const computedPatterns = new WeakMap<StepMeter, Map<string, RegularExpressionMatcher>>();

/** Compiles a pattern that is known only at run time. @throws StepLimitExceededError */
function compileComputedPattern(pattern: string, steps: StepMeter): RegularExpressionMatcher {
  const computed = computedPatterns.get(steps) ?? new Map<string, RegularExpressionMatcher>();
  computedPatterns.set(steps, computed);
  const known = computed.get(pattern);
  if (known) return known;
  steps.charge(estimateCompilationSteps(pattern));
  const compiled = compileRegularExpression(pattern);
  if (computed.size < MAX_COMPUTED_PATTERNS) computed.set(pattern, compiled);
  return compiled;
}

function countCodePoints(text: string): bigint {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    count -= 1;
    at += 1;
  }
  return BigInt(count);
}

/** Charges for the values that a call reads. @throws StepLimitExceededError */
function chargeCall(cel: CelLibrary, meter: StepMeter, name: string, values: readonly unknown[]): void {
  const [first, second] = values;
  if (name === LOOP_STEP_FUNCTION_NAME) return meter.charge(Number(first));
  if (name === LOOP_RANGE_FUNCTION_NAME) return chargeEntries(cel, meter, first);
  if (name === 'contains' && typeof first === 'string' && typeof second === 'string')
    return meter.charge(
      first.length / CHARS_PER_STEP + (first.length * second.length) / SEARCHED_CHARS_PER_STEP,
    );
  if (CONVERSIONS.has(name) && typeof first === 'string' && first.length > MAX_CONVERTED_CHARS)
    throw new Error(`a string of more than ${MAX_CONVERTED_CHARS} characters cannot be converted to ${name}`);
  if (TIME_ACCESSORS.has(name))
    meter.charge(typeof second === 'string' && !FIXED_OFFSET.test(second) ? TIME_ZONE_STEPS : TIME_STEPS);
  if (name === 'timestamp' || name === 'duration') meter.charge(TIME_STEPS);
  if (name === '@in' && cel.isCelList(second))
    return meter.charge(second.size * (1 + chargedLength(first) / CHARS_PER_STEP));
  const isEquality = name === '_==_' || name === '_!=_';
  for (const value of values)
    if (isEquality) chargeDeep(cel, meter, value);
    else if (cel.isCelList(value)) meter.charge(value.size);
    else meter.charge(chargedLength(value) / CHARS_PER_STEP);
}

/** Charges for the list that a loop copies before its first iteration. */
function chargeEntries(cel: CelLibrary, meter: StepMeter, value: unknown): void {
  if (cel.isCelList(value) || cel.isCelMap(value)) meter.charge(value.size);
}

function chargeDeep(cel: CelLibrary, meter: StepMeter, value: unknown): void {
  meter.charge(1 + chargedLength(value) / CHARS_PER_STEP);
  if (cel.isCelList(value) || Array.isArray(value)) for (const entry of value) chargeDeep(cel, meter, entry);
  else if (cel.isCelMap(value) || value instanceof Map)
    for (const [key, entry] of value) {
      chargeDeep(cel, meter, key);
      chargeDeep(cel, meter, entry);
    }
}

function chargedLength(value: unknown): number {
  if (typeof value === 'string') return value.length + 1;
  return value instanceof Uint8Array ? value.length + 1 : CHARS_PER_STEP / 4;
}

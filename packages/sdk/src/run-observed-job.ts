/** How a monitored job ended. */
export type JobOutcome = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

/**
 * Runs a job and calls `onEnd` once, when the job has ended. The caller gets the return value or error of the
 * job unchanged. If the job returns a promise, it ends when the promise is settled. If it returns a
 * generator, it ends with the last step of the generator.
 */
export function runObservedJob<T>(job: () => T, report: (ending: JobOutcome) => void): T {
  let hasEnded = false;
  const onEnd = (ending: JobOutcome) => {
    if (!hasEnded) report(ending);
    hasEnded = true;
  };
  let result: T;
  try {
    result = job();
  } catch (error) {
    onEnd({ ok: false, error });
    throw error;
  }
  const observed = tryObserveAsyncResult(result, onEnd);
  if (observed !== null) return asOriginalType(result, observed);
  onEnd({ ok: true });
  return result;
}

/**
 * Returns null if the result cannot be examined, for example because a getter throws. The job then counts as ended. A
 * thenable may already have reported its end; that report counts.
 */
function tryObserveAsyncResult(result: unknown, onEnd: (ending: JobOutcome) => void): unknown {
  try {
    return observeAsyncResult(result, onEnd);
  } catch {
    return null;
  }
}

/** Wraps the result so that its end is observed. Null if the job has already ended. */
function observeAsyncResult(result: unknown, onEnd: (ending: JobOutcome) => void): unknown {
  if (isThenable(result))
    return result.then(
      (value) => {
        onEnd({ ok: true });
        return value;
      },
      (error) => {
        onEnd({ ok: false, error });
        throw error;
      },
    );
  if (isAsyncGenerator(result)) return observeAsyncGenerator(result, onEnd);
  if (isGenerator(result)) return observeGenerator(result, onEnd);
  return null;
}

function* observeGenerator(inner: Generator, onEnd: (outcome: JobOutcome) => void): Generator {
  let outcome: JobOutcome = { ok: true };
  try {
    return yield* inner;
  } catch (error) {
    outcome = { ok: false, error };
    throw error;
  } finally {
    onEnd(outcome);
  }
}

async function* observeAsyncGenerator(
  inner: AsyncGenerator,
  onEnd: (outcome: JobOutcome) => void,
): AsyncGenerator {
  let outcome: JobOutcome = { ok: true };
  try {
    return yield* inner;
  } catch (error) {
    outcome = { ok: false, error };
    throw error;
  } finally {
    onEnd(outcome);
  }
}

interface Thenable {
  then(onValue: (value: unknown) => unknown, onError: (error: unknown) => unknown): unknown;
}

function isThenable(value: unknown): value is Thenable {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return 'then' in value && typeof value.then === 'function';
}

function isGenerator(value: unknown): value is Generator {
  return Object.prototype.toString.call(value) === '[object Generator]';
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  return Object.prototype.toString.call(value) === '[object AsyncGenerator]';
}

/**
 * The observed promise, thenable or generator has the type of the original, because it produces the same
 * values and errors.
 */
function asOriginalType<T>(_original: T, observed: unknown): T {
  return observed as T;
}

/** How a job under watch ended. */
export type Ending = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

/**
 * Runs the job and tells how it ended, once. What it returns or throws reaches the caller unchanged, and first:
 * `ended` is called after the outcome stands. Promises are awaited, generators counted from first to last step.
 */
export function watch<T>(job: () => T, ended: (ending: Ending) => void): T {
  let result: T;
  try {
    result = job();
  } catch (error) {
    ended({ ok: false, error });
    throw error;
  }
  const watched = watchedLater(result, ended);
  if (watched !== null) return sameAs(result, watched);
  ended({ ok: true });
  return result;
}

/** The result with its end observed; null when the job is already over. */
function watchedLater(result: unknown, ended: (ending: Ending) => void): unknown {
  if (isThenable(result))
    return result.then(
      (value) => {
        ended({ ok: true });
        return value;
      },
      (error) => {
        ended({ ok: false, error });
        throw error;
      },
    );
  if (isAsyncGenerator(result)) return throughAsync(result, ended);
  if (isGenerator(result)) return through(result, ended);
  return null;
}

function* through(inner: Generator, ended: (ending: Ending) => void): Generator {
  let ending: Ending = { ok: true };
  try {
    return yield* inner;
  } catch (error) {
    ending = { ok: false, error };
    throw error;
  } finally {
    ended(ending);
  }
}

async function* throughAsync(inner: AsyncGenerator, ended: (ending: Ending) => void): AsyncGenerator {
  let ending: Ending = { ok: true };
  try {
    return yield* inner;
  } catch (error) {
    ending = { ok: false, error };
    throw error;
  } finally {
    ended(ending);
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

/** A promise, thenable or generator stands for the one it was made from: same values, same errors. */
function sameAs<T>(_original: T, watched: unknown): T {
  return watched as T;
}

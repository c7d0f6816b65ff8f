import pg from 'pg';
import type { Clock } from '../../core/clock.ts';

/** Time after which an unanswered call causes a check of the server. */
const SLOW_CALL_MS = 2_500;
/** How long the server may take to respond to a check. */
const CHECK_TIMEOUT_MS = 2_000;

/**
 * Distinguishes a slow statement from a server that does not respond, such as a frozen one. When a call has waited for
 * 2.5 seconds, checks the server with a separate connection. If the check fails too, the call fails, and further calls
 * wait only for a check until the server responds. If the server responds, a long query continues. While other
 * statements end, the server responds, even if a new connection has to wait, for example in PgBouncer.
 */
export class PostgresLiveness {
  readonly #url: string;
  readonly #clock: Pick<Clock, 'after'>;
  #check: Promise<boolean> | null = null;
  #isUnresponsive = false;
  #responses = 0;

  constructor(url: string, clock: Pick<Clock, 'after'>) {
    this.#url = url;
    this.#clock = clock;
  }

  /**
   * If the last check failed, checks the server again.
   * @throws Error, which `describePostgresOutage` recognizes, if the server still does not respond
   */
  async requireResponsive(): Promise<void> {
    if (this.#isUnresponsive && !(await this.#isResponsive())) throw createTimeoutError();
  }

  /** Records that the server has responded to a statement. */
  recordResponse(): void {
    this.#responses += 1;
    this.#isUnresponsive = false;
  }

  /**
   * Resolves to the result of a call. The call itself continues if this promise rejects.
   * @throws Error, which `describePostgresOutage` recognizes, if the server does not respond
   */
  watch<T>(call: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const checkLater = () =>
        this.#clock.after(SLOW_CALL_MS, async () => {
          if (!(await this.#isResponsive())) reject(createTimeoutError());
          else if (!isSettled) timer = checkLater();
        });
      let timer = checkLater();
      const settle = () => {
        isSettled = true;
        timer.cancel();
      };
      call.then(resolve, reject).finally(settle);
    });
  }

  #isResponsive(): Promise<boolean> {
    this.#check ??= this.#runCheck().finally(() => {
      this.#check = null;
    });
    return this.#check;
  }

  async #runCheck(): Promise<boolean> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'floe check',
      connectionTimeoutMillis: CHECK_TIMEOUT_MS,
      query_timeout: CHECK_TIMEOUT_MS,
    });
    client.on('error', () => undefined);
    const responses = this.#responses;
    try {
      await client.connect();
      await client.query('select 1');
      this.#isUnresponsive = false;
    } catch (error) {
      // Any other error, such as too many connections, is a response.
      const isTimeout = error instanceof Error && /timeout/i.test(error.message);
      this.#isUnresponsive = isTimeout && this.#responses === responses;
    }
    client.end().catch(() => undefined);
    return !this.#isUnresponsive;
  }
}

/**
 * The word "timeout" classifies the error as an outage (`PG_CLIENT_ERRORS` in postgres-errors.ts), so callers receive
 * `overloaded`.
 */
function createTimeoutError(): Error {
  return new Error('timeout: the database server did not respond to a check');
}

// A child process that holds SDKs: a question per line in, what the SDK's user saw per line out.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isJsonObject, type JsonObject } from '@floe/contract/json';

export interface DriverQuestion {
  readonly client: string;
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly want: string;
  readonly stream: boolean;
}

export interface SdkDriver {
  /** @throws Error when the process has ended or says nothing for `LIMIT_MS`. */
  ask(question: DriverQuestion): Promise<JsonObject>;
  stop(): void;
}

const LIMIT_MS = 60_000;

export function startSdkDriver(command: string, args: readonly string[], cwd: string): SdkDriver {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, NO_PROXY: '*' };
  const child = spawn(command, args, { cwd, env, stdio: 'pipe' });
  // Their warnings are shown only when they die of one.
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    complaints = (complaints + part).slice(-2000);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
      const { value, done } = await lines.next();
      clearTimeout(timer);
      if (done) throw new Error(`${question.client}: the driver ended\n${complaints}`);
      const seen: unknown = JSON.parse(String(value));
      assert.ok(isJsonObject(seen));
      return seen;
    },
    stop: () => void child.kill(),
  };
}

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { TEST_TIMEOUT_MS } from '@floe/testkit/eventually';
import { chromium, type Locator, type Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { type DisplayMode, findBrowser } from '../console-harness.ts';
import { collectPageFaults } from '../page-faults.ts';

/** Components of `src/ui` mounted alone, each in a page of its own, without a server of Floe. */

/** As the console's own: what a component writes must not break it. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'self'";
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css' } as const;

export interface MountedSpecimen {
  readonly page: Page;
  /** Closes the page; a page that did what none may do fails the test. */
  readonly close: () => Promise<void>;
}

/** Shows a specimen of this folder by the name of its function. */
export type MountSpecimen = (
  specimen: string,
  look?: DisplayMode & { readonly role?: string },
) => Promise<MountedSpecimen>;

export interface Workbench {
  readonly mount: MountSpecimen;
  readonly close: () => Promise<void>;
}

/** Builds the page of specimens as the console is built, and opens a browser. */
export async function startWorkbench(): Promise<Workbench> {
  const files = await builtFiles();
  const server = createServer((req, res) => {
    const path = new URL(req.url ?? '/', 'http://127.0.0.1').pathname.slice(1) || 'index.html';
    const body = files.get(path);
    const type = Object.entries(TYPES).find(([ending]) => path.endsWith(`.${ending}`))?.[1] ?? 'text/plain';
    res.writeHead(body === undefined ? 404 : 200, {
      'content-type': type,
      'content-security-policy': CONTENT_SECURITY_POLICY,
    });
    res.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
  return {
    async mount(specimen, { role = 'owner', phone = false, dark = false } = {}) {
      const context = await browser.newContext({
        viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
        colorScheme: dark ? 'dark' : 'light',
        hasTouch: phone,
        timezoneId: 'UTC',
        locale: 'en-GB',
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      const page = await context.newPage();
      page.setDefaultTimeout(TEST_TIMEOUT_MS);
      const faults = await collectPageFaults(page, url);
      await page.goto(`${url}/?show=${specimen}&role=${role}`);
      await page.locator('main').waitFor({ state: 'attached' });
      return {
        page,
        async close() {
          assert.deepEqual(faults, []);
          await context.close();
        },
      };
    },
    async close() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What the specimen reported so far. */
export function readReports(page: Page): Promise<string> {
  return page.locator('output').innerText();
}

/** Waits until the focus is on it. */
export function waitForFocus(control: Locator): Promise<void> {
  return control.and(control.page().locator(':focus')).waitFor();
}

async function builtFiles(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const root = fileURLToPath(new URL('.', import.meta.url));
  const built = await build({
    configFile: fileURLToPath(new URL('../../vite.config.ts', import.meta.url)),
    root,
    publicDir: false,
    logLevel: 'error',
    build: { write: false, minify: false },
  });
  if ('on' in built) throw new Error('The build watches instead of ending.');
  const outputs: readonly Rolldown.RolldownOutput[] = Array.isArray(built) ? built : [built];
  return new Map(
    outputs.flatMap(({ output }) =>
      output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source] as const),
    ),
  );
}
